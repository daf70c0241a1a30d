"""Patterns traced with samples: what they ask for, without a connection and without data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Literal, NewType
from uuid import UUID

import pytest

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import (
    BatchGet,
    Collection,
    DesignError,
    Entity,
    F,
    Get,
    GlobalIndex,
    Index,
    Query,
    Scan,
    ServiceError,
    Store,
    Table,
    collect,
    get_many,
    pattern,
)
from singletable.store.samples import sample
from singletable.store.tracing import Trace, trace

table = Table("traced", indexes=["GSI1"])


class Colour(Enum):
    """A type of its own."""

    RED = "red"


class Thing(Entity, table=table, pk="USER#{user_id}", sk="THING#{number:03d}"):
    """Something to trace."""

    by_kind = Index("GSI1", pk="KIND#{kind}", sk="{user_id}")

    user_id: str
    number: int
    kind: str = ""


@dataclass(frozen=True)
class Things:
    """The things of a user."""

    things: list[Thing]


class Piece(Entity, table=table, pk="PIECE#{kind}#{colour}", sk="PIECE#{piece_id}"):
    """Something whose key lists the texts that it takes."""

    kind: Literal["NEW", "USED"]
    colour: Colour
    piece_id: str


class Pieces(Store, table=table):
    """Patterns whose parameters take more than the fields do."""

    @pattern
    def part(self, sort: str, colour: str, piece_id: str) -> Get[Piece]:
        """One part."""
        return Piece.get(kind=sort, colour=colour, piece_id=piece_id)

    @pattern
    def parts(self, sort: str, colour: Colour) -> Query[Piece]:
        """The parts of a kind."""
        return Piece.query(kind=sort, colour=colour)

    @pattern
    def both(self, sorts: list[str]) -> BatchGet[Piece]:
        """A part of each kind."""
        return get_many(Piece.get(kind=one, colour="red", piece_id="p") for one in sorts)

    @pattern
    def changed(self, sort: str) -> Query[Piece]:
        """What is made of the argument is not known to be the argument."""
        return Piece.query(kind=sort.upper(), colour="red")

    @pattern
    def broken(self) -> Query[Piece]:
        """A kind that there is not."""
        return Piece.query(kind="BROKEN", colour="red")


class Pages(Store, table=table):
    """Pages that are bounded in every way."""

    @pattern(page=20)
    def paged(self, owner: str) -> Query[Thing]:
        """By the pattern."""
        return Thing.query(user_id=owner)

    @pattern(page=20)
    def limited(self, owner: str, dear: bool) -> Query[Thing]:
        """By a limit."""
        return Thing.query(user_id=owner).limit(1)

    @pattern(page=20)
    def asked(self, most: int, owner: str) -> Query[Thing]:
        """By the caller, and by the pattern beyond that."""
        return Thing.query(user_id=owner).limit(most)

    @pattern
    def free(self, owner: str) -> Query[Thing]:
        """By nothing."""
        return Thing.query(user_id=owner)

    @pattern(page=20)
    def view(self, owner: str) -> Collection[Things]:
        """A collection has a limit, and no pages."""
        return collect(Things, user_id=owner).limit(7)


class Traced(Store, table=table):
    """One pattern of each kind, and one that cannot be served."""

    @pattern
    def thing(self, owner: str, number: int) -> Get[Thing]:
        """One thing."""
        return Thing.get(user_id=owner, number=number)

    @pattern
    def red(self) -> Query[Thing]:
        """The red things."""
        return Thing.by_kind.query(kind="red")

    @pattern
    def some(self, owner: str, numbers: list[int]) -> BatchGet[Thing]:
        """Some things."""
        return get_many(Thing.get(user_id=owner, number=number) for number in numbers)

    @pattern
    def settled(self, owner: str, numbers: list[int]) -> BatchGet[Thing]:
        """Some things as of one moment."""
        return get_many(Thing.get(user_id=owner, number=number) for number in numbers).snapshot()

    @pattern
    def whole(self) -> Query[Thing]:
        """The red things, read from the table."""
        return Thing.by_kind.query(kind="red").fetch(Thing)

    @pattern
    def every(self) -> Scan[Thing]:
        """Every thing."""
        return Thing.scan()

    @pattern
    def lost(self, number: int) -> Query[Thing]:
        """By a number alone: there is no key for it."""
        return Thing.query(number=number)


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    """What each pattern comes to, by its name."""
    return {one.pattern.name: one for one in trace(Traced)}


def test_a_trace_has_the_exact_requests(traces: dict[str, Trace]) -> None:
    assert traces["thing"].requests == (
        {
            "TableName": "traced",
            "Key": {"PK": {"S": "USER#‹owner›"}, "SK": {"S": "THING#002"}},
        },
    )


def test_a_trace_tells_the_kind_the_index_and_the_entities(traces: dict[str, Trace]) -> None:
    told = {name: (one.kind, one.index) for name, one in traces.items()}
    assert told == {
        "thing": ("GetItem", None),
        "red": ("Query", "GSI1"),
        "some": ("BatchGetItem", None),
        "settled": ("TransactGetItems", None),
        "whole": ("Query", "GSI1"),
        "every": ("Scan", None),
        "lost": ("Query", None),
    }
    assert {one.entities for one in traces.values()} == {(Thing.__schema__,)}


def test_a_trace_marks_the_batch_that_depends_on_data(traces: dict[str, Trace]) -> None:
    fetched = {name: one.fetches for name, one in traces.items() if one.fetches}
    assert fetched == {"whole": Thing.__schema__}
    assert traces["whole"].requests == traces["red"].requests


def test_a_trace_tells_where_each_known_value_comes_from(traces: dict[str, Trace]) -> None:
    thing, red = traces["thing"], traces["red"]
    sources = {field: thing.source(value) for field, value in thing.known.items()}
    assert sources == {"user_id": "owner", "number": "number"}
    assert {field: red.source(value) for field, value in red.known.items()} == {"kind": None}


def test_a_pattern_that_cannot_be_served_has_a_fault_and_no_requests(
    traces: dict[str, Trace],
) -> None:
    assert "has to know user_id" in str(traces["lost"].fault)
    assert traces["lost"].requests == ()


def test_a_text_that_the_key_refuses_is_sampled_by_one_that_it_lists() -> None:
    parts = {one.pattern.name: one for one in trace(Pieces)}
    assert parts["part"].arguments == {"sort": "NEW", "colour": "red", "piece_id": "‹piece_id›"}
    assert parts["part"].requests[0]["Key"]["PK"] == {"S": "PIECE#NEW#red"}
    assert parts["parts"].arguments == {"sort": "NEW", "colour": Colour.RED}
    assert parts["both"].arguments == {"sorts": ["NEW"]}
    for name in ("part", "parts", "both"):
        assert parts[name].fault is None
        assert "'‹sort" in str(parts[name].refused)


def test_what_no_listed_text_helps_stays_a_fault() -> None:
    parts = {one.pattern.name: one for one in trace(Pieces)}
    assert "kind='‹SORT›' is refused" in str(parts["changed"].fault)
    assert "kind='BROKEN' is refused" in str(parts["broken"].fault)
    assert parts["changed"].refused is parts["broken"].refused is None


def test_a_value_in_a_list_comes_from_its_parameter() -> None:
    [some] = [one for one in trace(Traced) if one.pattern.name == "some"]
    assert {name: some.source(value) for name, value in some.known.items()} == {
        "user_id": "owner",
        "number": "numbers",
    }


def test_a_page_has_what_the_read_asks_for_unless_its_caller_decides() -> None:
    found = {one.pattern.name: one.page_max for one in trace(Pages)}
    assert found == {"paged": 20, "limited": 1, "asked": 20, "free": None, "view": 7}


@pytest.mark.parametrize("store", [Campaigns, Stories, Surveys])
def test_every_pattern_of_the_apps_can_be_traced(store: type[Store]) -> None:
    traces = trace(store)
    assert [one.pattern.name for one in traces] == list(store.patterns)
    assert [one.pattern.name for one in traces if one.fault or not one.requests] == []


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, str),
        (int | None, int),
        (Annotated[float, "any"], float),
        (datetime, datetime),
        (date, date),
        (UUID, UUID),
        (Colour, Colour),
        (NewType("Id", str), str),
        (list[int], list),
        (tuple[str, ...], tuple),
    ],
)
def test_samples_are_of_their_type(annotation: object, kind: type) -> None:
    assert type(sample("name", annotation)) is kind


def test_a_literal_is_sampled_by_its_first_value() -> None:
    assert sample("status", Literal["NEW", "DONE"]) == "NEW"


def test_a_type_without_a_sample_is_named() -> None:
    with pytest.raises(DesignError, match=r"thing: .*object.* has no sample value"):
        sample("thing", object)


orders = Table("orders", indexes=[GlobalIndex("by_status", pk="status", sk="at")])


class Order(Entity, table=orders, pk="ORDER#{order_id}", sk="ORDER"):
    """Something with fields that are themselves the keys of an index."""

    by_status = Index("by_status", pk="{status}", sk="{at}")

    order_id: str
    status: str
    at: str


class Orders(Store, table=orders):
    """Filters by keys: of the index that is queried, of another one, of what is scanned."""

    @pattern
    def since(self, status: str, at: str) -> Query[Order]:
        """What DynamoDB refuses."""
        return Order.by_status.query(status=status).filter(F("at") >= at)

    @pattern
    def order(self, order_id: str, at: str) -> Query[Order]:
        """A key of another index is like any attribute."""
        return Order.query(order_id=order_id).filter(F("at") >= at)

    @pattern
    def all_since(self, at: str) -> Scan[Order]:
        """A scan may filter by its keys."""
        return Order.by_status.scan().filter(F("at") >= at)


def test_a_query_that_filters_by_its_own_keys_has_a_fault() -> None:
    found = {one.pattern.name: one.fault for one in trace(Orders)}
    assert "filter takes no key of what is queried, and at is one of by_status" in str(
        found.pop("since")
    )
    assert found == {"order": None, "all_since": None}


def test_dynamodb_refuses_the_filters_that_have_a_fault_and_no_others() -> None:
    with Orders.connect(":memory:") as store:
        with pytest.raises(ServiceError, match="only contain non-primary key attributes"):
            store.since("open", "2026").page()
        assert store.order("o1", "2026").page().items == []
        assert store.all_since("2026").page().items == []
