"""Events: what they may hold, and what is refused when they are made."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from singletable import Entity, Table
from singletable.errors import UsageError
from singletable.streams.consumers import PASSING
from singletable.streams.events import Event, NotSent, SinkUnreachable

table = Table("events")


class Book(Entity, table=table, pk="BOOK#{id}", sk="BOOK"):
    id: str
    price: Decimal
    out: date


def test_a_detail_is_kept_as_plain_json() -> None:
    detail = {"at": datetime(2026, 1, 2, tzinfo=UTC), "price": Decimal("9.90"), "tags": {"new"}}
    made = Event("BookOut", detail)
    assert made.detail == {"at": "2026-01-02T00:00:00Z", "price": "9.90", "tags": ["new"]}
    detail["price"] = Decimal(0)
    assert made.detail["price"] == "9.90"


def test_an_entity_is_a_detail() -> None:
    book = Book(id="1", price=Decimal("9.90"), out=date(2026, 5, 1))
    assert Event("BookOut", book).detail == {"id": "1", "price": "9.90", "out": "2026-05-01"}
    assert Event("BookOut", {"books": [book]}).detail["books"][0]["id"] == "1"


@pytest.mark.parametrize("detail", [object(), {"rate": float("nan")}, b"\xff", "\ud800"])
def test_a_detail_that_is_no_json_is_refused_with_the_name_of_the_event(detail: Any) -> None:
    with pytest.raises(UsageError, match="The detail of event 'BookOut' cannot be written as JSON"):
        Event("BookOut", detail)


def test_a_detail_that_holds_itself_is_refused() -> None:
    detail: dict[str, Any] = {}
    detail["self"] = detail
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        Event("BookOut", detail)


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 129])
def test_a_name_is_short_and_printable(name: str) -> None:
    with pytest.raises(UsageError, match="cannot name an event: a name has 1 to 128 printable"):
        Event(name)


def test_a_time_has_a_time_zone() -> None:
    with pytest.raises(UsageError, match="The time of event 'BookOut' lacks a time zone"):
        Event("BookOut", at=datetime(2026, 1, 2))  # noqa: DTZ001 - it is what is refused


def test_what_was_not_sent_is_named_and_can_be_pickled() -> None:
    class Nowhere:
        def send(self, events: object, /) -> None: ...

        def __repr__(self) -> str:
            return "Nowhere()"

    failed = [(Event("BookOut", id=str(number)), "no bus") for number in range(5)]
    error = NotSent.to(Nowhere(), failed)
    assert str(error) == (
        "Nowhere() was not sent 'BookOut' (0): no bus; 'BookOut' (1): no bus; "
        "'BookOut' (2): no bus; and 2 more"
    )
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - it was pickled here
    assert (str(again), again.failed) == (str(error), failed)


def test_a_sink_out_of_reach_is_no_events_fault() -> None:
    """So a delivery waits, and nothing is put aside."""
    assert issubclass(SinkUnreachable, NotSent)
    assert issubclass(SinkUnreachable, PASSING)
    assert not issubclass(NotSent, PASSING)
