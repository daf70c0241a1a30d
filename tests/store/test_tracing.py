"""Patterns traced with samples: what they ask for, without a connection and without data."""

from __future__ import annotations

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
    DesignError,
    Entity,
    Get,
    Index,
    Query,
    Scan,
    Store,
    Table,
    get_many,
    pattern,
)
from singletable.store.samples import sample
from singletable.store.tracing import Trace, trace

table = Table("traced", indexes=["GSI1"])


class Thing(Entity, table=table, pk="USER#{user_id}", sk="THING#{number:03d}"):
    """Something to trace."""

    by_kind = Index("GSI1", pk="KIND#{kind}", sk="{user_id}")

    user_id: str
    number: int
    kind: str = ""


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


@pytest.mark.parametrize("store", [Campaigns, Stories, Surveys])
def test_every_pattern_of_the_apps_can_be_traced(store: type[Store]) -> None:
    traces = trace(store)
    assert [one.pattern.name for one in traces] == list(store.patterns)
    assert [one.pattern.name for one in traces if one.fault or not one.requests] == []


class Colour(Enum):
    """A type of its own."""

    RED = "red"


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
