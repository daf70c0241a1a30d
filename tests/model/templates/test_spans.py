"""Spans: what they hold, what covers them, and the order of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import UsageError
from singletable.model.templates.spans import Span, below, end

NASTY = st.text(alphabet='\0 !"#$%Aa\ud7ff\ue000\U0010fffe\U0010ffff', min_size=1, max_size=5)
SPANS = st.one_of(
    st.builds(Span.one, NASTY),
    st.builds(Span.starting, NASTY),
    st.builds(Span, NASTY | st.none(), NASTY | st.none()),
)


def test_one_text_is_exact() -> None:
    assert Span.one("A#1") == Span("A#1", "A#1", exact="A#1")


def test_a_prefix_ends_with_the_successor_of_its_last_character() -> None:
    assert Span.starting("A#") == Span("A#", "A$", prefix="A#")


def test_the_empty_prefix_is_no_limit() -> None:
    assert Span.starting("") == Span()


def test_a_root_and_its_children_are_covered_by_one_span() -> None:
    both = Span.cover([Span.one("SURVEY#1"), Span.starting("SURVEY#1#")])
    assert both == Span("SURVEY#1", "SURVEY#1$")
    assert "SURVEY#10" not in both


def test_a_cover_stays_a_prefix_where_one_span_is_enough() -> None:
    wide = Span.starting("A#")
    assert Span.cover([Span.one("A#1"), wide, Span.starting("A#2#")]) == wide
    assert Span.cover([Span.one("A#1"), Span.one("A#1")]) == Span.one("A#1")


def test_the_text_behind_a_prefix_is_not_lost_from_a_cover() -> None:
    assert "A$" in Span.cover([Span.starting("A#"), Span.one("A$")])


@given(st.lists(SPANS, min_size=1, max_size=4), NASTY)
def test_a_cover_holds_whatever_one_of_its_spans_holds(spans: list[Span], text: str) -> None:
    assert text in Span.cover(spans) or not any(text in span for span in spans)


@given(NASTY, NASTY)
def test_the_end_of_a_prefix_is_behind_all_that_begins_with_it(prefix: str, more: str) -> None:
    last = end(prefix)
    assert last is None or prefix + more < last
    assert last is None or last.encode() > (prefix + more).encode()


@given(NASTY, NASTY)
def test_nothing_but_what_begins_so_lies_between_a_prefix_and_its_end(
    prefix: str, text: str
) -> None:
    last = end(prefix)
    inside = prefix <= text and (last is None or text < last)
    assert inside == text.startswith(prefix)


@pytest.mark.parametrize("prefix", ["\U0010ffff", "\U0010ffff\U0010ffff"])
def test_nothing_is_behind_the_last_prefix(prefix: str) -> None:
    assert end(prefix) is None


def test_successors_skip_the_surrogates() -> None:
    assert end("a\ud7ff") == "a\ue000"
    assert below("a\ue000") == "a\ud7ff\U0010ffff"


@given(NASTY.filter(lambda text: text != "\0"), st.text(alphabet=" #$Aa", min_size=1))
def test_the_text_below_is_below_and_nothing_ordinary_is_between(text: str, other: str) -> None:
    assert below(text) < text
    assert not below(text) < other < text


def test_nothing_is_below_the_first_text() -> None:
    with pytest.raises(UsageError, match="nothing sorts before"):
        below("\0")
