"""Key templates: built, refused, read back, and never two values in one key."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from singletable.errors import DesignError, KeyValueError
from singletable.model.templates import Template


class Color(StrEnum):
    """A choice whose values begin alike."""

    RED = "r"
    ROSE = "r-"
    TAG = "r#"


class Plain(StrEnum):
    """A choice whose values hold no marks."""

    ONE = "1"
    TEN = "10"


MOMENT = datetime(2026, 2, 6, 10, 30, tzinfo=UTC)
TYPES: Mapping[str, Any] = {
    "user_id": str,
    "session_id": str,
    "status": Literal["NEW", "DONE"] | None,
    "order": int,
    "number": int,
    "survey_id": str,
    "created_at": datetime,
    "day": date,
    "price": Decimal,
    "done": bool,
    "id": UUID,
    "plain": Plain,
    "email": str,
}


def template(text: str, delimiter: str = "#") -> Template:
    return Template.compile(text, TYPES, delimiter=delimiter, owner="Session.pk")


@pytest.mark.parametrize(
    ("text", "values", "key"),
    [
        ("METADATA", {}, "METADATA"),
        (
            "USER#{user_id}#STATUS#{status}",
            {"user_id": "u1", "status": "DONE"},
            "USER#u1#STATUS#DONE",
        ),
        (
            "{created_at}#{session_id}",
            {"created_at": MOMENT, "session_id": "s"},
            "2026-02-06T10:30:00.000000Z#s",
        ),
        ("CHILD#{order:05d}#{id}", {"order": 7, "id": UUID(int=1)}, f"CHILD#00007#{UUID(int=1)}"),
        ("VERSION#{number:05d desc}", {"number": 1}, "VERSION#99998"),
        ("P#{price}#{done}", {"price": Decimal("-1.50"), "done": True}, "P#-1.5#true"),
        ("{user_id}#{user_id}", {"user_id": "u"}, "u#u"),
        ("{day}{order:02d}", {"day": date(2026, 2, 6), "order": 3}, "2026-02-0603"),
        ("100%#{{{user_id}}}", {"user_id": "u"}, "100%#{u}"),
        ("X#{plain}", {"plain": Plain.TEN}, "X#10"),
    ],
)
def test_a_key_is_built_and_read_back(text: str, values: dict[str, Any], key: str) -> None:
    compiled = template(text)
    assert compiled.build(values) == key
    assert compiled.parse(key) == values


@pytest.mark.parametrize(
    ("text", "values", "key"),
    [
        ("SURVEYS#{survey_id:shard 10}", {"survey_id": "123456789"}, "SURVEYS#2"),
        ("STORIES#{created_at:%Y-%m}", {"created_at": MOMENT}, "STORIES#2026-02"),
        ("EMAIL#{email:lower}", {"email": "Ada@X"}, "EMAIL#ada@x"),
    ],
)
def test_a_key_leaves_out_what_it_does_not_tell(
    text: str, values: dict[str, Any], key: str
) -> None:
    assert template(text).build(values) == key
    assert template(text).parse(key) == {}


def test_fields_are_named_once_and_in_order() -> None:
    compiled = template("{created_at:%Y}#{user_id}#{created_at}")
    assert compiled.fields == ("created_at", "user_id")
    assert str(compiled) == compiled.text


def test_values_beside_the_fields_are_ignored() -> None:
    assert template("A#{user_id}").build({"user_id": "1", "other": object()}) == "A#1"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("A#{user_id}", "B#1"),
        ("A#{user_id}", "A#"),
        ("A#{user_id}", "A#1#2"),
        ("A#{user_id}", "A#1\n#"),
        ("A#{user_id}-{session_id}", "A#1"),
        ("A#{order}", "A#01"),
        ("A#{order}", "A#+1"),
        ("A#{order}", "A#1_0"),
        ("A#{order}", "A#\u0661"),
        ("A#{order:03d}", "A#0 1"),
        ("A#{order:03d}", "A#0001"),
        ("A#{order}0{number}", "A#50030"),
        ("A#{price}", "A#1.50"),
        ("A#{price}", "A#NaN"),
        ("A#{price}", "A#x"),
        ("A#{done}", "A#TRUE"),
        ("A#{id}", f"A#{{{UUID(int=1)}}}"),
        ("A#{id}", "A#0190F3A1-0000-7000-8000-00000000000A"),
        ("A#{created_at}", "A#2026-02-06T10:30:00.000000+"),
        ("A#{created_at}", "A#2026-02-30T10:30:00.000000Z"),
        ("A#{created_at:desc}", "A#000000000000000000"),
        ("A#{day}", "A#2026-W06-5"),
        ("A#{status}", "A#OLD"),
        ("A#{survey_id:shard 10}", "A#x"),
        ("A#{created_at:%Y-%m}", "A#2026-13"),
        ("A#{email:lower}", "A#Ada"),
        ("A#{user_id:escaped}", "A#a%41"),
        ("A#{user_id:escaped}", "A#a%"),
        ("A#{user_id:escaped}", "A#%FF"),
    ],
)
def test_a_key_of_another_form_is_not_read(text: str, key: str) -> None:
    assert template(text).parse(key) is None


def test_a_field_that_occurs_twice_must_agree() -> None:
    assert template("{user_id}#{user_id}").parse("a#b") is None
    compiled = template("{created_at:%Y-%m}#{created_at}")
    assert compiled.parse(compiled.build({"created_at": MOMENT})) == {"created_at": MOMENT}
    assert compiled.parse("2026-03#2026-02-06T10:30:00.000000Z") is None


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("A#{user_id}", {"user_id": "a#b"}, "it holds '#', .* write {user_id:escaped}, or choose"),
        ("A#{user_id}#X", {"user_id": "#"}, "it holds '#'"),
        ("A#{user_id}-{order}", {"user_id": "a-", "order": 1}, "it holds '-'"),
        ("A#{user_id}--{order}", {"user_id": "a-", "order": 1}, "it holds '--'"),
        ("A#{user_id}", {"user_id": ""}, "it is empty"),
        ("A#{user_id:escaped}", {"user_id": ""}, "it is empty"),
        ("A#{user_id}", {"user_id": "\ud800"}, "lone surrogate"),
        ("A#{user_id:shard 4}", {"user_id": "\udfff"}, "lone surrogate"),
        ("A#{user_id}", {"user_id": 7}, "it is of type int, and the field is of type str"),
        ("A#{status}", {"status": None}, "it is none of 'NEW', 'DONE'"),
        ("A#{order:03d}", {"order": 1000}, "more than 3 digits"),
        ("A#{created_at}", {"created_at": MOMENT.replace(tzinfo=None)}, "no time zone"),
    ],
)
def test_a_refusal_names_owner_template_field_value_and_fix(
    text: str, values: dict[str, Any], message: str
) -> None:
    field, value = next(iter(values.items()))
    with pytest.raises(KeyValueError, match=message) as refused:
        template(text).build(values)
    assert str(refused.value).startswith(f"Session.pk {text!r}: {field}={value!r} is refused: ")


def test_a_missing_field_is_named() -> None:
    with pytest.raises(KeyValueError, match="the field 'session_id' is needed, not given"):
        template("A#{user_id}#{session_id}").build({"user_id": "1"})


def test_a_key_has_at_most_2048_bytes() -> None:
    compiled = template("A#{user_id}")
    assert compiled.build({"user_id": "é" * 1023}).endswith("é")
    with pytest.raises(KeyValueError, match="longer than 2048 bytes"):
        compiled.build({"user_id": "é" * 1024})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a key cannot be empty"),
        ("A#{user}", "there is no field 'user', only user_id, session_id"),
        ("A#{}", "there is no field ''"),
        ("A#{user_id.name}", "there is no field 'user_id.name'"),
        ("A#{user_id", "expected '}'"),
        ("A#user_id}", "Single '}'"),
        ("A#{user_id!r}", "!r has no place"),
        ("A#{user_id}{order:03d}", r"nothing tells where \{user_id\} ends: put '#' behind it"),
        ("A#{order}{user_id}", r"nothing tells where \{order\} ends"),
        ("A#{user_id:>10}", "the field 'user_id': there is no format '>10'"),
        ("A#{created_at:%d-%m-%Y}", "does not sort"),
        ("A#{created_at:%Y#%m}", "can be '0001#01', but it holds '#'"),
        ("A#{user_id:escaped}%{order}", "'user_id' cannot be escaped before '%'"),
        ("A#{user_id:escaped}2{order}", "'user_id' cannot be escaped before '2'"),
        ("A#{status}D", "the field 'status' can be 'DONE', but it holds 'D'"),
        ("\ud800", "surrogates not allowed"),
    ],
)
def test_a_faulty_template_is_refused_when_it_is_compiled(text: str, message: str) -> None:
    with pytest.raises(DesignError, match=message) as refused:
        template(text)
    assert str(refused.value).startswith(f"Session.pk {text!r}: ")


def test_floats_and_choices_that_hold_the_delimiter_are_refused() -> None:
    with pytest.raises(DesignError, match="the field 'x': a float has no one text"):
        Template.compile("{x}", {"x": float})
    with pytest.raises(DesignError, match="the field 'x' can be 'r#', but it holds '#'"):
        Template.compile("{x}", {"x": Color})
    with pytest.raises(DesignError, match="there is no field 'x', only none at all"):
        Template.compile("{x}", {})


@pytest.mark.parametrize("delimiter", ["|", "::", "_", "/"])
def test_a_table_may_have_another_delimiter(delimiter: str) -> None:
    compiled = template(f"A{delimiter}{{user_id}}{delimiter}{{day}}", delimiter)
    values = {"user_id": "u#1", "day": date(2026, 2, 6)}
    assert compiled.parse(compiled.build(values)) == values
    with pytest.raises(KeyValueError, match="it holds"):
        compiled.build({**values, "user_id": f"a{delimiter}b"})


@pytest.mark.parametrize("delimiter", ["", "A", "0", "{"])
def test_a_delimiter_is_a_mark(delimiter: str) -> None:
    with pytest.raises(DesignError, match="is no delimiter: choose a mark"):
        template("A", delimiter)


@pytest.mark.parametrize(("text", "delimiter"), [("{id}", "-"), ("{created_at}", ":")])
def test_a_delimiter_that_a_type_is_written_with_is_refused(text: str, delimiter: str) -> None:
    with pytest.raises(DesignError, match=f"but it holds '{delimiter}'"):
        template(text, delimiter)


NASTY = st.text("#-:%2a\n é\0\U0010ffff", max_size=4)
KINDS: dict[str, tuple[Any, tuple[str, ...], st.SearchStrategy[Any]]] = {
    "s": (str, ("", "escaped"), NASTY),
    "i": (int, ("", "02d", "02d desc"), st.integers(-11, 101)),
    "p": (Decimal, ("",), st.decimals(-2, 2, places=1)),
    "b": (bool, ("",), st.booleans()),
    "d": (date, ("", "desc"), st.dates()),
    "t": (datetime, ("", "desc"), st.datetimes(timezones=st.just(UTC))),
    "u": (UUID, ("",), st.uuids()),
    "e": (Plain, ("", "lower"), st.sampled_from(Plain)),
    "l": (Literal[1, 11], ("", "02d"), st.sampled_from([1, 11])),
}
FIELDS = {f"{kind}{place}": KINDS[kind] for kind in KINDS for place in range(2)}
LITERALS = st.sampled_from(["#", "#A#", "-", "--", "2", "%", "1#", ".", "", "#a", "a#", "{{", "::"])


@st.composite
def templates(draw: st.DrawFn) -> Template:
    """Templates of up to four fields, many of them strings, with nasty literals between."""
    text = draw(LITERALS)
    names = st.sampled_from(sorted(FIELDS)) | st.sampled_from(["s0", "s1"])
    for _ in range(draw(st.integers(1, 4))):
        name = draw(names)
        spec = draw(st.sampled_from([each for each in FIELDS[name][1] if each != "lower"]))
        text += f"{{{name}:{spec}}}" + draw(LITERALS)
    delimiter = draw(st.sampled_from(["#", "#", "::"]))
    try:
        return Template.compile(
            text, {name: kind[0] for name, kind in FIELDS.items()}, delimiter=delimiter
        )
    except DesignError:
        assume(condition=False)
        raise


def drawn(data: st.DataObject, compiled: Template) -> dict[str, Any]:
    return {name: data.draw(FIELDS[name][2]) for name in compiled.fields}


def built(compiled: Template, values: dict[str, Any]) -> str | None:
    try:
        return compiled.build(values)
    except KeyValueError:
        return None


@given(templates(), st.data())
def test_what_is_built_is_read_back(compiled: Template, data: st.DataObject) -> None:
    values = drawn(data, compiled)
    key = built(compiled, values)
    event(f"refused: {key is None}")
    assert key is None or compiled.parse(key) == values


@given(templates(), st.data())
def test_two_sets_of_values_never_make_one_key(compiled: Template, data: st.DataObject) -> None:
    one, other = drawn(data, compiled), drawn(data, compiled)
    key = built(compiled, one)
    assume(key is not None)
    assert (key == built(compiled, other)) == (one == other)


@given(templates(), NASTY | st.from_regex(r"[#a:2%-]{0,9}", fullmatch=True))
def test_what_is_read_builds_the_same_key(compiled: Template, key: str) -> None:
    values = compiled.parse(key)
    assert values is None or compiled.build(values) == key


@given(templates(), st.data())
def test_a_start_holds_exactly_the_keys_that_share_its_values(
    compiled: Template, data: st.DataObject
) -> None:
    values = drawn(data, compiled)
    other = {name: data.draw(st.sampled_from([values[name]]) | FIELDS[name][2]) for name in values}
    key = built(compiled, other)
    assume(key is not None and built(compiled, values) is not None)
    assert key is not None
    known = compiled.fields[: data.draw(st.integers(0, len(compiled.fields)))]
    start = compiled.start({name: values[name] for name in known})
    shared = all(values[name] == other[name] for name in start.used)
    assert (key in start.span()) == shared
    assert start.used == set(known)
