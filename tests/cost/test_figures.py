"""How many items a read finds follows from keys, pages and traffic."""

from datetime import date, datetime
from typing import Any, Literal

import pytest

from apps.campaigns.design import Campaigns, Session, Summary
from singletable import Entity, Query, Scan, Store, Table, between, pattern, ulid
from singletable.cost.assumptions import Assumptions
from singletable.cost.estimating import estimate
from singletable.cost.explaining import explain
from singletable.cost.figures import Figures, items_max
from singletable.cost.prices import Prices
from singletable.cost.reading import read_cost
from singletable.cost.reporting import notes
from singletable.cost.traffic import Traffic


def _counts(name: str, told: Any = None, **assumed: Any) -> dict[str, float]:
    traffic = Traffic.of({"patterns": {name: {"items": told}}} if told is not None else {})
    figures = Figures(Campaigns, traffic, Assumptions(**assumed))
    [traced] = [one for one in figures.traces if one.pattern.name == name]
    return {schema.name: number for schema, number in figures.counts(traced).items()}


def test_a_page_is_full() -> None:
    assert _counts("campaigns") == {"Campaign": 50}


def test_what_has_no_page_is_assumed() -> None:
    assert _counts("recently_done") == {"Session": 10}
    assert _counts("recently_done", items=3) == {"Session": 3}


def test_a_whole_key_names_one_item() -> None:
    assert _counts("shared") == {"Session": 1}
    assert _counts("profile") == {"User": 1}


def test_a_view_has_what_its_keys_allow() -> None:
    """One session and one transcript; two summaries, since there are two audiences."""
    assert _counts("session") == {"Session": 1, "Transcript": 1, "Summary": 2}


def test_traffic_tells_how_many_in_all() -> None:
    assert _counts("campaigns", 7) == {"Campaign": 7}
    assert _counts("session", 10) == {"Session": 1, "Transcript": 1, "Summary": 8}
    assert _counts("session", 2) == {"Session": 0.5, "Transcript": 0.5, "Summary": 1}


def test_traffic_tells_how_many_of_each() -> None:
    assert _counts("session", {"Session": 1, "Summary": 5}) == {"Session": 1, "Summary": 5}


@pytest.mark.parametrize(
    ("entity", "known", "most"),
    [
        (Session, {"user_id", "campaign_id"}, float("inf")),
        (Session, {"user_id", "campaign_id", "session_id"}, 1),
        (Session, {"session_id"}, 1),
        (Summary, {"user_id", "campaign_id", "session_id"}, 2),
        (Summary, {"session_id"}, float("inf")),
    ],
)
def test_what_is_known_bounds_how_many_there_are(
    entity: type[Entity], known: set[str], most: float
) -> None:
    assert items_max(entity.__schema__, known) == most


def test_a_key_of_few_values_has_few_items() -> None:
    table = Table("few")

    class Flag(Entity, table=table, pk="{kind}", sk="{on}#{size}"):
        kind: Literal["a", "b", "c"]
        on: bool
        size: Literal[1, 2]
        note: str = ulid()

    assert items_max(Flag.__schema__, set()) == 3 * 2 * 2
    assert items_max(Flag.__schema__, {"kind"}) == 4


def test_a_span_of_values_bounds_nothing() -> None:
    table = Table("warmth")

    class Measure(Entity, table=table, pk="SENSOR#{sensor}#{at:%Y-%m}", sk="{at}"):
        sensor: str
        at: datetime

    class Measures(Store, table=table):
        @pattern()
        def of(self, sensor: str, first: datetime, last: datetime) -> Query[Measure]:
            """What a sensor measured."""
            return Measure.query(sensor=sensor, at=between(first, last))

    figures = Figures(Measures)
    assert list(figures.counts(figures.traces[0]).values()) == [10]


def test_a_page_of_a_long_span_asks_a_stated_number_of_buckets() -> None:
    table = Table("years")

    class Year(Entity, table=table, pk="MONTH#{at:%Y-%m}", sk="{at}"):
        at: datetime

    class Years(Store, table=table):
        @pattern()
        def years(self) -> Query[Year]:
            """Ten years."""
            return Year.query(at=between(date(2016, 1, 1), date(2025, 12, 31)))

    figures = Figures(Years)
    assert read_cost(figures.traces[0], figures).requests == 12
    [explained] = explain(figures)
    assert "12 in this example, never more than 12 a page" in explained.bound


def test_a_page_of_a_parallel_scan_is_one_of_each_segment_and_a_limit_is_for_all() -> None:
    table = Table("segments")

    class Thing(Entity, table=table, pk="THING#{thing_id}", sk="THING"):
        thing_id: str

    class Things(Store, table=table):
        @pattern(page=20)
        def paged(self) -> Scan[Thing]:
            """Everything, by pages."""
            return Thing.scan().parallel(4)

        @pattern()
        def some(self) -> Scan[Thing]:
            """A few."""
            return Thing.scan().parallel(4).limit(3)

    figures = Figures(Things)
    paged, some = (read_cost(traced, figures) for traced in figures.traces)
    assert (paged.items, paged.requests) == ({"Thing": 80}, 4)
    assert (some.items, some.requests) == ({"Thing": 3}, 3)


def test_a_scan_finds_all_that_the_traffic_tells_of() -> None:
    table = Table("scanned")

    class Thing(Entity, table=table, pk="THING#{thing_id}", sk="THING"):
        thing_id: str

    class Things(Store, table=table):
        @pattern()
        def all_things(self) -> Scan[Thing]:
            """Everything."""
            return Thing.scan()

    figures = Figures(Things, Traffic.of({"entities": {"Thing": {"items": 50_000}}}))
    assert list(figures.counts(figures.traces[0]).values()) == [50_000]


def test_a_page_of_a_table_without_items_has_none() -> None:
    table = Table("empty")

    class Thing(Entity, table=table, pk="THING#{thing_id}", sk="THING"):
        thing_id: str

    class Things(Store, table=table):
        @pattern(page=20)
        def things(self) -> Scan[Thing]:
            """All of them."""
            return Thing.scan()

    figures = Figures(Things, Traffic.of({"entities": {"Thing": {"items": 0}}}))
    assert [*figures.counts(figures.traces[0]).values()] == [0]
    assert read_cost(figures.traces[0], figures).requests == 1


def test_a_limit_that_the_caller_gives_is_not_that_of_the_sample() -> None:
    """It is what the traffic says, the parameter's default, the page, or an assumption."""
    table = Table("limits")

    class Thing(Entity, table=table, pk="OWNER#{owner}", sk="THING#{thing_id}"):
        owner: str
        thing_id: str

    class Things(Store, table=table):
        @pattern()
        def some(self, owner: str, most: int) -> Query[Thing]:
            """As many as the caller wants."""
            return Thing.query(owner=owner).limit(most)

        @pattern(page=30)
        def paged(self, owner: str, most: int) -> Query[Thing]:
            """As many as the caller wants, usually a page."""
            return Thing.query(owner=owner).limit(most)

        @pattern(page=30)
        def usual(self, owner: str, most: int = 40) -> Query[Thing]:
            """As many as the caller wants, usually 40."""
            return Thing.query(owner=owner).limit(most)

        @pattern()
        def scanned(self, most: int) -> Scan[Thing]:
            """Some of all."""
            return Thing.scan().parallel(4).limit(most)

        @pattern()
        def fixed(self, owner: str) -> Query[Thing]:
            """Five."""
            return Thing.query(owner=owner).limit(5)

    def read(**items: Any) -> list[tuple[float, int, str | None]]:
        figures = Figures(Things, Traffic.of({"patterns": items}))
        costs = [read_cost(traced, figures) for traced in figures.traces]
        return [(one.total_items, one.requests, one.limited_by) for one in costs]

    asked = "most"
    assert read() == [(10, 1, asked), (30, 1, asked), (40, 1, asked), (10, 4, asked), (5, 1, None)]
    assert read(usual={"items": 70})[2] == (70, 1, asked)
    shown = explain(Figures(Things))
    assert shown[0].bound == "one for a page of ‹most› items"
    assert shown[0].requests[0]["Limit"] == "‹most: 2›"
    assert shown[4].bound == "one for a page of 5 items"
    assert shown[4].requests[0]["Limit"] == 5
    said = list(notes(estimate(Figures(Things), Prices.of_region())))
    assert said[1].startswith("paged: its caller says by most how many items to read; 30 are taken")
    assert not [one for one in said if one.startswith("fixed")]
