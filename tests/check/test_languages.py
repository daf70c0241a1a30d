"""Whether two sets of key texts have a text in common, and which."""

import re
from datetime import date, datetime
from decimal import Decimal
from itertools import product
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.check.languages import DIGITS, Each, OneOf, Piece, Rest, Some, interval, language
from singletable.check.reach import template_language
from singletable.model.templates import Template

TYPES: dict[str, Any] = {
    "user_id": str,
    "other": str,
    "order": int,
    "price": Decimal,
    "at": datetime,
    "day": date,
    "uuid": UUID,
    "kind": Literal["GM", "PLAYER"],
    "is_new": bool,
}


def _template(text: str) -> Template:
    return Template.compile(text, TYPES)


def _meet(one: str, other: str) -> str | None:
    return template_language(_template(one)).meets(template_language(_template(other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("USER#{user_id}", "USER#{other}"),
        ("{user_id}", "PROFILE"),
        ("A#{user_id}#B", "A#{other}#{user_id}"),
        ("{kind}", "GM"),
        ("{kind}", "{user_id}"),
        ("{order:05d}", "{user_id}"),
        ("{order}", "{price}"),
        ("{at}", "{user_id}"),
        ("{at:%Y-%m}", "2026-01"),
        ("{user_id:shard 10}", "{order}"),
        ("{user_id:lower}", "{other:escaped}"),
        ("{is_new}", "true"),
    ],
)
def test_templates_that_can_write_the_same_text(one: str, other: str) -> None:
    """The text is the proof: both templates parse it, or would if they had the value."""
    text = _meet(one, other)
    assert text is not None
    assert _meet(other, one) is not None
    for template in map(_template, (one, other)):
        assert template._pattern.fullmatch(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("USER#{user_id}", "STORY#{other}"),
        ("USER#{user_id}", "USER#{user_id}#{other}"),
        ("USER#{user_id}", "USER#"),
        ("{kind}", "NPC"),
        ("{at}", "{uuid}"),
        ("{day}", "{at}"),
        ("{order:05d}", "{order:04d}"),
        ("{order:05d}", "PAGE"),
        ("{user_id:lower}", "GM"),
        ("{user_id:shard 10}", "A{other}"),
        ("{is_new}", "{kind}"),
    ],
)
def test_templates_that_never_write_the_same_text(one: str, other: str) -> None:
    assert _meet(one, other) is None
    assert _meet(other, one) is None


texts = st.text("ab#", max_size=4)


@given(texts, texts, texts)
def test_an_interval_holds_what_lies_between(low: str, high: str, text: str) -> None:
    one = language([text])
    assert (interval(low, high).meets(one) == text) == (low <= text <= high)
    assert (interval(low, None).meets(one) == text) == (low <= text)
    assert (interval(None, high).meets(one) == text) == (text <= high)


@given(texts, texts)
def test_a_prefix_holds_what_begins_so(prefix: str, text: str) -> None:
    assert (language([prefix, Rest()]).meets(language([text])) == text) == text.startswith(prefix)


PIECES: dict[str, Piece] = {
    "a": "a",
    "ab": "ab",
    "[ab]": Each((((97, 98),),)),
    "[0-9]+": Some(DIGITS),
    "(?:a|1b)": OneOf(("a", "1b")),
    ".*": Rest(),
}


@given(st.lists(st.sampled_from(sorted(PIECES)), max_size=4), st.text("ab1", max_size=5))
def test_a_language_is_that_of_its_regular_expression(pieces: list[str], text: str) -> None:
    made = language([PIECES[piece] for piece in pieces])
    matches = re.fullmatch("".join(pieces), text) is not None
    assert (made.meets(language([text])) == text) == matches


def test_what_two_languages_share_is_in_both() -> None:
    for one, other in product(PIECES, repeat=2):
        pair = language([PIECES[one], "#", PIECES[other]])
        mirrored = language([PIECES[other], "#", PIECES[one]])
        text = pair.meets(mirrored)
        expected = [
            re.fullmatch(f"{one}#{other}", text or ""),
            re.fullmatch(f"{other}#{one}", text or ""),
        ]
        assert text is None or all(expected)
