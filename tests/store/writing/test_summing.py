"""A sum on a parent that the writes themselves keep, however its children come, change and go."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from singletable import Entity, NotFound, Store, Table, add, count_of
from singletable.model.fields import sum_of

table = Table("bills")
DAY = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


class Account(Entity, table=table, pk="ACCOUNT#{name}", sk="ACCOUNT"):
    name: str
    balance: Decimal = sum_of("Entry", "amount")
    entries: int = count_of("Entry")
    hours: float = sum_of("Entry", "hours", when={"kind": "WORK"})


class Day(Entity, table=table, pk="DAY#{day}", sk="DAY"):
    day: date
    entries: int = count_of("Entry", day="at")


class Entry(Entity, table=table, pk="ENTRY#{number}", sk="ENTRY"):
    number: int
    name: str | None = None
    amount: Decimal | None = None
    hours: float = 0.0
    kind: str = "WORK"
    at: datetime | None = None


class Bills(Store, table=table):
    """Bills."""


@pytest.fixture
def store() -> Iterator[Bills]:
    with Bills.connect(":memory:") as store:
        store.create(Account(name="a"))
        yield store


def account(store: Bills) -> Any:
    found = store.bind(Account.get(name="a")).one()
    return found.balance, found.entries, found.hours


def test_what_children_have_adds_up(store: Bills) -> None:
    store.create(Entry(number=1, name="a", amount=Decimal("2.50"), hours=0.1))
    store.create(Entry(number=2, name="a", amount=Decimal(-4), hours=0.2))
    store.create(Entry(number=3, name="a", hours=7, kind="PLAY"))
    assert account(store) == (Decimal("-1.50"), 3, 0.3)


def test_a_change_of_the_amount_changes_the_sum(store: Bills) -> None:
    entry = store.create(Entry(number=1, name="a", amount=Decimal(2)))
    store.update(entry, amount=Decimal(9), kind="PLAY")
    assert account(store) == (9, 1, 0)
    store.update(Entry.key(number=1), amount=add(Decimal("0.5")))
    assert account(store)[0] == Decimal("9.5")
    store.put(Entry(number=1, name="a"))
    assert account(store) == (0, 1, 0)


def test_what_goes_is_taken_away_however_low_the_sum_is(store: Bills) -> None:
    store.create(Entry(number=1, name="a", amount=Decimal(2)))
    store.create(Entry(number=2, name="a", amount=Decimal(-9)))
    store.delete(Entry.key(number=1))
    assert account(store) == (-9, 1, 0)
    store.delete(Entry.key(number=2))
    assert account(store) == (0, 0, 0)


def test_a_parent_of_the_same_transaction_has_the_sum(store: Bills) -> None:
    with store.transaction() as tx:
        tx.create(Account(name="b"))
        tx.create(Entry(number=1, name="b", amount=Decimal(3), hours=1.5))
    assert tx.results[0] == Account(name="b", balance=Decimal(3), entries=1, hours=1.5)
    assert store.bind(Account.get(name="b")).one() == tx.results[0]


def test_a_new_parent_begins_at_nothing_whatever_it_is_given(store: Bills) -> None:
    made: Any = store.create(Account(name="c", balance=Decimal(7), entries=7))
    assert (made.balance, made.entries) == (0, 0)
    assert made.model_dump_json() == '{"name":"c","balance":"0","entries":0,"hours":0.0}'


def test_without_a_parent_a_child_is_refused_and_may_go(store: Bills) -> None:
    with pytest.raises(NotFound, match="no Account"):
        store.create(Entry(number=1, name="x", amount=Decimal(1)))
    store.create(Entry(number=1, name="a", amount=Decimal(1)))
    store.delete(Account.key(name="a"), orphans=True)
    store.update(Entry.key(number=1), amount=Decimal(5))
    store.delete(Entry.key(number=1))


def test_a_moment_counts_for_its_day_in_utc(store: Bills) -> None:
    store.create(Day(day=date(2026, 3, 1)))
    store.create(Entry(number=1, at=DAY))
    assert store.bind(Day.get(day=date(2026, 3, 1))).one().entries == 1
