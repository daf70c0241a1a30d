"""A cursor comes back as the position it was made of, or not at all."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import Entity, Index, Query, Scan, Store, Table
from singletable.errors import InvalidCursor, UsageError, ValidationException
from singletable.store.reading.cursors import (
    CURSOR_LENGTH_MAX,
    WHOLE,
    Cursors,
    Position,
    _json,
    binding,
)
from singletable.store.reading.cursors import _tag as tag
from singletable.store.reading.cursors import _text as text
from singletable.values import AttributeValue, Item

HERE = binding("sessions", {"TableName": "t", "Limit": 20})
ELSEWHERE = binding("campaigns", {"TableName": "t", "Limit": 20})
PAGE_1 = Position({WHOLE: {"SK": {"S": "SESSION#7"}}})
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES: st.SearchStrategy[AttributeValue] = st.one_of(
    st.builds(lambda content: {"S": content}, TEXTS),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda content: {"B": content}, st.binary(max_size=12)),
)
KEYS: st.SearchStrategy[Item] = st.dictionaries(TEXTS, VALUES, max_size=4)
POSITIONS = st.builds(Position, st.dictionaries(TEXTS, st.none() | KEYS, max_size=4))
SECRETS = st.none() | st.binary(min_size=1, max_size=40)
BINDINGS = st.binary(max_size=32)


@given(POSITIONS, BINDINGS, SECRETS)
def test_a_cursor_opens_to_the_position_it_was_made_of(
    position: Position, bound: bytes, secret: bytes | None
) -> None:
    cursors = Cursors(secret)
    cursor = cursors.seal(position, bound)
    assert cursors.open(cursor, bound) == position
    assert re.fullmatch(r"[A-Za-z0-9_-]+", cursor)


@given(POSITIONS, SECRETS, st.data())
def test_every_change_of_one_character_is_refused(
    position: Position, secret: bytes | None, data: st.DataObject
) -> None:
    cursors = Cursors(secret)
    cursor = cursors.seal(position, HERE)
    at = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.characters().filter(lambda drawn: drawn != cursor[at]))
    with pytest.raises(InvalidCursor):
        cursors.open(cursor[:at] + other + cursor[at + 1 :], HERE)


@pytest.mark.parametrize("secret", [None, b"secret"])
def test_every_character_in_every_place_matters(secret: bytes | None) -> None:
    """All of the alphabet, in all places: spare bits at the end of base64 included."""
    cursors = Cursors(secret)
    for length in range(3):
        cursor = cursors.seal(Position({"x" * length: None}), HERE)
        changed = {
            cursor[:at] + letter + cursor[at + 1 :]
            for at in range(len(cursor))
            for letter in ALPHABET
        }
        opened = {each for each in changed if _opens(cursors, each)}
        assert opened == {cursor}


@pytest.mark.parametrize("secret", [None, b"secret"])
def test_a_cursor_cut_or_made_longer_is_refused(secret: bytes | None) -> None:
    cursors = Cursors(secret)
    cursor = cursors.seal(PAGE_1, HERE)
    changed = [cursor[:end] for end in range(len(cursor))] + [cursor + more for more in "A=\n ."]
    assert not [each for each in changed if _opens(cursors, each)]


@given(POSITIONS, BINDINGS, BINDINGS, SECRETS)
def test_a_cursor_of_one_query_is_refused_by_another(
    position: Position, one: bytes, other: bytes, secret: bytes | None
) -> None:
    cursors = Cursors(secret)
    if one != other:
        with pytest.raises(InvalidCursor):
            cursors.open(cursors.seal(position, one), other)


@pytest.mark.parametrize("maker", [None, b"other"], ids=["unsigned", "another secret"])
def test_a_cursor_that_the_secret_did_not_sign_is_refused(maker: bytes | None) -> None:
    cursor = Cursors(maker).seal(PAGE_1, HERE)
    with pytest.raises(InvalidCursor):
        Cursors(b"secret").open(cursor, HERE)


def test_secrets_are_rotated_by_putting_the_new_one_first() -> None:
    old, new, both = Cursors("old"), Cursors("new"), Cursors(["new", "old"])
    assert both.open(old.seal(PAGE_1, HERE), HERE) == PAGE_1
    assert new.open(both.seal(PAGE_1, HERE), HERE) == PAGE_1
    assert not _opens(old, both.seal(PAGE_1, HERE))


@pytest.mark.parametrize("secret", ["", b"", [], ["new", ""]])
def test_an_empty_secret_is_refused(secret: Any) -> None:
    with pytest.raises(UsageError, match="secret of the cursors is empty"):
        Cursors(secret)


def test_a_secret_given_as_text_is_its_utf8() -> None:
    cursor = Cursors("schlüssel").seal(PAGE_1, HERE)
    assert Cursors("schlüssel".encode()).open(cursor, HERE) == PAGE_1


def test_secrets_are_not_shown() -> None:
    assert "hunter2" not in repr(Cursors("hunter2")) + str(Cursors("hunter2"))


@pytest.mark.parametrize(
    "garbage",
    ["", "A", "AAAA", "not a cursor", "ключ", "\ud800", "\0", "=" * 4, "A" * 99, None, 7, b"AAAA"],
)
def test_garbage_is_refused_with_the_way_out(garbage: Any) -> None:
    with pytest.raises(InvalidCursor, match="ask for the first page"):
        Cursors().open(garbage, HERE)


def test_a_cursor_too_long_to_be_one_is_not_even_decoded() -> None:
    huge = Position({"": {"SK": {"S": "x" * CURSOR_LENGTH_MAX}}})
    with pytest.raises(InvalidCursor):
        Cursors().open(Cursors().seal(huge, HERE), HERE)


def test_a_cursor_of_another_version_is_refused() -> None:
    payload = _json(PAGE_1.keys)
    sealed = tag(b"", HERE, payload) + payload
    assert _opens(Cursors(), text(b"\x01" + sealed))
    assert not _opens(Cursors(), text(b"\x02" + sealed))


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"[]",
        b"null",
        b'"x"',
        b"{",
        b'{"":0}',
        b'{"":[]}',
        b'{"":{"SK":"x"}}',
        b'{"":{"SK":{}}}',
        b'{"":{"SK":{"S":"a","N":"1"}}}',
        b'{"":{"SK":{"S":1}}}',
        b'{"":{"SK":{"B":"?"}}}',
        b'{"":{"SK":{"L":[]}}}',
        b'{"":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_an_unsigned_cursor_forged_to_hold_no_keys_is_refused(forged: bytes) -> None:
    assert not _opens(Cursors(), text(b"\x01" + tag(b"", HERE, forged) + forged))


def test_a_forged_partition_key_is_overruled_by_the_query() -> None:
    mine: Item = {"PK": {"S": "USER#1"}}
    forged = Position({"": {"PK": {"S": "USER#2"}, "SK": {"S": "A"}}})
    opened = Cursors().open(Cursors().seal(forged, HERE), HERE)
    assert opened.start_key(mine) == {"PK": {"S": "USER#1"}, "SK": {"S": "A"}}


def test_a_cursor_holds_no_partition_key() -> None:
    assert PAGE_1.keys == {"": {"SK": {"S": "SESSION#7"}}}


def test_a_part_is_done_or_begun_or_not_yet_begun() -> None:
    partition: Item = {"PK": {"S": "P"}}
    position = Position({"0": None, "1": {"SK": {"N": "1"}}})
    assert [position.done(part) for part in "012"] == [True, False, False]
    assert [position.start_key(partition, part) for part in "012"] == [
        None,
        {"PK": {"S": "P"}, "SK": {"N": "1"}},
        None,
    ]


def test_a_binding_is_the_pattern_and_what_all_its_pages_have_in_common() -> None:
    request = {"TableName": "t", "ExpressionAttributeValues": {":0": {"B": b"\xff"}}}
    bound = binding("sessions", request)
    assert bound == binding("sessions", dict(reversed(request.items())))
    page_2 = {
        "ExclusiveStartKey": {"SK": {"S": "x"}},
        "Limit": 5,
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert bound == binding("sessions", request | page_2)
    others = [
        binding("session", request),
        binding("sessions", request | {"TableName": "u"}),
        binding("sessions", request | {"ScanIndexForward": False}),
        binding("sessions", request | {"ExpressionAttributeValues": {":0": {"B": b"\xfe"}}}),
        binding("sessions", request | {"ExpressionAttributeValues": {":0": {"S": "/w=="}}}),
    ]
    assert len({bound, *others}) == 6


def test_no_byte_of_a_binding_passes_for_one_of_the_keys() -> None:
    assert tag(b"secret", b"ab", b"c") != tag(b"secret", b"a", b"bc")


def test_other_patterns_have_other_cursors() -> None:
    assert not _opens(Cursors(), Cursors().seal(PAGE_1, ELSEWHERE))


def _opens(cursors: Cursors, cursor: str) -> bool:
    try:
        cursors.open(cursor, HERE)
    except InvalidCursor:
        return False
    return True


table = Table("forged", indexes=["GSI1"])


class Stone(Entity, table=table, pk="STONES#{kind}", sk="STONE#{number:03d}"):
    """One of many, in one partition of the table and three of an index."""

    by_number = Index("GSI1", pk="NUMBERS#{number:shard 3}", sk="{number:03d}")

    kind: str
    number: int


class Stones(Store, table=table):
    """Reads them in every way that has cursors."""


READS: dict[str, Query[Stone] | Scan[Stone]] = {
    "a query": Stone.query(kind="grey").but(page_size=1),
    "a query of an index": Stone.by_number.query().but(page_size=1),
    "a scan": Stone.scan().but(page_size=1),
    "a scan of segments": Stone.scan().parallel(2).but(page_size=1),
}
FORGED: dict[str, Item] = {
    "another attribute": {"X": {"S": "x"}},
    "an attribute too many": {"SK": {"S": "STONE#000"}, "X": {"S": "x"}},
    "another type": {"SK": {"N": "1"}},
    "no number": {"SK": {"N": "one"}},
    "an empty key": {"SK": {"S": ""}},
    "no key": {},
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_key_is_refused_as_a_cursor(
    read: str, forged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stones.connect(":memory:") as store:
        store.put_many([Stone(kind="grey", number=number) for number in range(9)])
        asked = store.bind(READS[read])
        assert asked.page().next is not None
        opened = Position(dict.fromkeys(["", "0", "1", "2"], FORGED[forged]))
        monkeypatch.setattr(Cursors, "open", lambda *_: opened)
        with pytest.raises(InvalidCursor) as raised:
            asked.page("x")
        assert isinstance(raised.value.__cause__, ValidationException)
        with pytest.raises(InvalidCursor):
            asyncio.run(asked.apage("x"))


def test_what_is_wrong_with_a_first_page_is_not_blamed_on_a_cursor() -> None:
    class Wrong:
        def call(self, *_: Any) -> dict[str, Any]:
            raise ValidationException("no")

        async def acall(self, *_: Any) -> dict[str, Any]:
            raise ValidationException("no")

        def close(self) -> None:
            pass

        async def aclose(self) -> None:
            pass

    for read in READS.values():
        with pytest.raises(ValidationException):
            Stones(Wrong()).bind(read).page()
