"""Starts: prefixes of keys, and ranges over the field that follows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from operator import ge, gt, le, lt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyValueError, UsageError
from singletable.model.templates import Span, Start, Template

TYPES = {"a": str, "b": str, "n": int, "d": date, "t": datetime}
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {"lt": lt, "le": le, "gt": gt, "ge": ge}
NUMBERS = st.integers(0, 12) | st.integers(988, 999)
DAYS = st.dates(date(2025, 12, 30), date(2026, 1, 2)) | st.sampled_from([date.min, date.max])
MOMENTS = st.builds(
    lambda day, step: (
        datetime(day.year, day.month, day.day, tzinfo=UTC) + step * timedelta.resolution
    ),
    st.dates(date(2025, 12, 30), date(2026, 1, 2)),
    st.integers(-2, 2),
)
FIXED: dict[str, st.SearchStrategy[Any]] = {
    "{n:03d}": NUMBERS,
    "{n:03d desc}": NUMBERS,
    "{d}": DAYS,
    "{d:desc}": DAYS,
    "{t}": MOMENTS,
    "{t:desc}": MOMENTS,
}


def start(text: str, **values: object) -> Start:
    return Template.compile(text, TYPES, owner="E.sk").start(values)


def test_a_start_holds_all_that_is_known_and_the_literal_behind_it() -> None:
    found = start("A#{a}#B#{b}", a="1", n=3)
    assert (found.text, found.used) == ("A#1#B#", frozenset({"a"}))
    assert found.slot is not None
    assert found.slot.field == "b"
    assert found.span() == Span.starting("A#1#B#")


def test_a_start_stops_at_the_first_unknown_field() -> None:
    found = start("A#{a}#B#{b}#{a}", b="2")
    assert (found.text, found.used) == ("A#", frozenset())


def test_a_whole_start_is_one_key() -> None:
    found = start("A#{a}", a="1")
    assert (found.slot, found.span()) == (None, Span.one("A#1"))
    assert start("METADATA").span() == Span.one("METADATA")


def test_a_start_of_nothing_is_everything() -> None:
    assert start("{t}#{a}").span() == Span()


def test_a_prefix_never_matches_a_longer_value() -> None:
    assert "S#10#X" not in start("S#{a}#{b}", a="1").span()


def test_a_start_refuses_what_a_key_refuses() -> None:
    with pytest.raises(KeyValueError, match=r"E.sk 'A#\{a\}#\{b\}': a='1#2' is refused"):
        start("A#{a}#{b}", a="1#2")


def test_a_slot_can_be_filled_with_a_shard() -> None:
    found = start("L#{a:shard 3}#{b}", b="x")
    assert found.slot is not None
    assert [found.fill(text).span().exact for text in found.slot.shards] == [
        "L#0#x",
        "L#1#x",
        "L#2#x",
    ]


@pytest.mark.parametrize(
    ("operator", "span"),
    [
        ("ge", Span("C#00042", "C$")),
        ("gt", Span("C#00042$", "C$")),
        ("le", Span("C#", "C#00042$")),
        ("lt", Span("C#", "C#00041$")),
    ],
)
def test_ranges_of_numbers(operator: str, span: Span) -> None:
    assert start("C#{n:05d}#{a}").compare(operator, 42) == span


def test_ranges_over_the_last_slot_end_with_the_value() -> None:
    found = start("{t}")
    noon = datetime(2026, 2, 6, 12, tzinfo=UTC)
    text = "2026-02-06T12:00:00.000000Z"
    assert found.compare("le", noon) == Span(None, text)
    assert found.compare("ge", noon) == Span(text, None)
    assert found.compare("gt", noon) == Span(text + "\0", None)
    assert found.compare("lt", noon) == Span(None, "2026-02-06T11:59:59.999999Z")


def test_a_date_among_moments_is_the_whole_day() -> None:
    found, day = start("{t}#{a}"), date(2026, 2, 6)
    assert found.compare("between", day, day) == Span(
        "2026-02-06T00:00:00.000000Z", "2026-02-06T23:59:59.999999Z$"
    )
    assert found.compare("ge", day).low == "2026-02-06T00:00:00.000000Z"
    assert found.compare("gt", day).low == "2026-02-06T23:59:59.999999Z$"
    assert found.compare("lt", day).high == "2026-02-05T23:59:59.999999Z$"
    assert found.compare("le", day).high == "2026-02-06T23:59:59.999999Z$"


@given(st.data(), st.sampled_from(list(FIXED)), st.sampled_from(["", "#{a}", "{d:%Y}"]))
def test_a_range_holds_exactly_the_values_that_compare_so(
    data: st.DataObject, slot: str, more: str
) -> None:
    template = Template.compile(f"K#{slot}{more}", TYPES)
    low, high = data.draw(FIXED[slot]), data.draw(FIXED[slot])
    value = data.draw(FIXED[slot])
    field = template.fields[0]
    key = template.build({"a": "x", "d": date(2026, 1, 1), field: value})
    begun = template.start({})
    for operator, holds in OPERATORS.items():
        assert (key in begun.compare(operator, low)) == holds(value, low), operator
    if low <= high:
        assert (key in begun.compare("between", low, high)) == (low <= value <= high)


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 4)),  # noqa: DTZ001  # made aware below
    st.sampled_from(["{t}", "{t:desc}", "{t}#{a}", "{t:desc}#{a}", "{t:%Y-%m-%d}", "{t:%Y%m%d%H}"]),
)
def test_a_range_of_days_holds_exactly_the_moments_of_those_days(
    naive: datetime, text: str
) -> None:
    template = Template.compile(text, TYPES)
    key = template.build({"t": naive.replace(tzinfo=UTC), "a": "x"})
    day = date(2026, 1, 2)
    for operator, holds in OPERATORS.items():
        span = template.start({}).compare(operator, day)
        assert (key in span) == holds(naive.date(), day), operator


@given(st.text("-Zaé", min_size=1), st.text("-Zaé", min_size=1), st.sampled_from(["", "#{b}"]))
def test_a_range_of_text_is_exact_where_no_character_sorts_before_the_delimiter(
    value: str, operand: str, more: str
) -> None:
    template = Template.compile("K#{a}" + more, TYPES)
    key = template.build({"a": value, "b": "x"})
    for operator, holds in OPERATORS.items():
        span = template.start({}).compare(operator, operand)
        assert (key in span) == holds(value, operand), operator


@given(st.text("\0 !$a\U0010ffff", min_size=1), st.sampled_from(["{a}", "{a}#{b}", "K{a}-{b}"]))
def test_a_value_is_in_its_inclusive_ranges_and_never_in_the_others(value: str, text: str) -> None:
    template = Template.compile(text, TYPES)
    key, found = template.build({"a": value, "b": "x"}), template.start({})
    assert key in found.compare("le", value)
    assert key in found.compare("ge", value)
    assert key in found.compare("between", value, value)
    assert key not in found.compare("gt", value)
    if found.text or value != "\0":
        assert key not in found.compare("lt", value)


@given(
    st.text("-ab", min_size=1),
    st.text("-ab", min_size=1),
    st.sampled_from(["K#{a}", "K#{a}#{b}", "K#{a}--{b}", "K#{a:escaped}#{b}"]),
)
def test_begins_with_holds_exactly_the_values_that_begin_so(
    value: str, prefix: str, text: str
) -> None:
    template = Template.compile(text, TYPES)
    try:
        key = template.build({"a": value, "b": "x"})
        span = template.start({}).compare("begins_with", prefix)
    except KeyValueError:
        assert "--" in text
    else:
        assert (key in span) == value.startswith(prefix)
        assert span.prefix == "K#" + prefix


@pytest.mark.parametrize(
    ("text", "operator", "operands", "message"),
    [
        ("A", "ge", ("x",), "'A' is a whole key: nothing is left to compare"),
        (
            "{n}",
            "ge",
            (1,),
            r"E.sk '\{n\}': n has no ge, since int does not sort .*: write \{n:05d\}",
        ),
        ("{a:shard 3}", "lt", ("x",), "a has no lt, since a shard does not sort"),
        ("{a:escaped}", "between", ("x", "y"), "escaped text does not sort"),
        ("{a}", "between", ("y", "x"), "the wrong way round"),
        ("{n:03d desc}", "between", (2, 1), "the wrong way round"),
        ("{a}", "like", ("x",), "there is no comparison 'like'"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_refused(
    text: str, operator: str, operands: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        start(text).compare(operator, *operands)


@pytest.mark.parametrize(
    ("text", "operator", "operand", "message"),
    [
        ("A#{a}", "ge", 3, "a=3 is refused: it is of type int"),
        ("A#{a}", "begins_with", "x#", "a='x#' is refused: it holds '#'"),
        ("A#{a}", "begins_with", "", "it is empty"),
        ("A#{a}--{b}", "begins_with", "x-", "it ends as '--' begins"),
        ("A#{t}", "begins_with", "2026", "begins_with needs text, and the field is datetime"),
        ("A#{t:%Y-%m}", "ge", date(2026, 2, 6), "the key tells only its bucket"),
        ("A#{n:03d}", "le", 1000, "more than 3 digits"),
    ],
)
def test_an_operand_that_does_not_fit_is_refused(
    text: str, operator: str, operand: Any, message: str
) -> None:
    with pytest.raises(KeyValueError, match=message):
        start(text).compare(operator, operand)
