"""Rows that want what another row has: none is lost, and none takes another's away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import orjson
import pytest

from singletable import Entity, Index, Store, Table, Unique, UniqueViolation, count_of
from singletable.backends.address import connect
from singletable.migrate import Cutover, DualWrites, Job, Migration, Row, follow, rows, verify
from singletable.migrate.dual.journal import row_of
from singletable.migrate.rejects import rejected
from singletable.migrate.transforming import Reject
from singletable.migrate.units import Placer
from tests.databases import sqlite_database

from .sources.dynamodb.support import create, put
from .test_running import run

table = Table("people", indexes=["GSI1"])


class Person(Entity, table=table, pk="PERSON#{name}", sk="PERSON"):
    name: str
    email: Annotated[str | None, Unique()] = None
    phone: Annotated[str | None, Unique()] = None
    note: str = ""
    orders: int = count_of("Order")


class Shop(Entity, table=table, pk="SHOP#{shop}", sk="SHOP"):
    shop: str
    orders: int = count_of("Order")


class Order(Entity, table=table, pk="PERSON#{name}", sk="ORDER#{order_id}"):
    by_shop = Index("GSI1", pk="SHOP#{shop}", sk="{order_id}")

    name: str
    order_id: str
    shop: str | None = None


class People(Store, table=table):
    """Who is there."""


class ToPeople(Migration[People]):
    """Takes names in one case for the same."""

    @rows("people")
    def people(self, row: Row) -> Iterator[Entity]:
        name = str(row.get("name", row["id"])).lower()
        email, phone = row.get("email"), row.get("phone")
        yield Person(name=name, email=email, phone=phone, note=row["id"])
        if "alias" in row:
            yield Person(name=row["alias"], email=email, note=row["id"])

    @rows("orders")
    def orders(self, row: Row) -> Iterator[Entity]:
        yield Order(name=row["name"], order_id=row["id"], shop=row.get("shop"))

    @rows("shops")
    def shops(self, row: Row) -> Iterator[Entity]:
        yield Shop(shop=row["id"])


@dataclass(frozen=True)
class Sides:
    """The rows of a table of DynamoDB, and what follows of them."""

    job: Job
    path: Path

    def put(self, kind: str = "people", **row: Any) -> None:
        with closing(connect(str(self.path))) as old:
            put(old, kind, **row)

    def delete(self, name: str, kind: str = "people") -> None:
        with closing(connect(str(self.path))) as old:
            old.call("DeleteItem", {"TableName": kind, "Key": {"id": {"S": name}}})

    def people(self) -> dict[str, Any]:
        """Give each name with its email, and whose row it is."""
        with People.connect(self.job.destination) as store:
            return {one.name: (one.email, one.note) for one in store.bind(Person.scan())}

    def emails(self) -> dict[str, str | None]:
        return {name: email for name, (email, _) in self.people().items()}

    def counts(self) -> dict[str, int]:
        with People.connect(self.job.destination) as store:
            return {one.name: one.orders for one in store.bind(Person.scan())}

    def rejects(self) -> str:
        return self.job.rejects.read_text("utf-8")


@pytest.fixture
def sides(tmp_path: Path) -> Sides:
    path = tmp_path / "old.db"
    with closing(connect(str(path))) as old:
        create(old, "people", "id")
        create(old, "orders", "id")
        create(old, "shops", "id")
    return Sides(job_in(tmp_path), path)


def job_in(folder: Path) -> Job:
    return Job(
        migration=ToPeople,
        source=f"dynamodb:{folder / 'old.db'}?tables=people,orders,shops",
        destination=str(folder / "new.db"),
        folder=folder / "work",
    )


def test_unique_values_move_between_rows_that_are_followed(sides: Sides) -> None:
    for name in "abcde":
        sides.put(id=name, email=f"{name}@x")
    run(sides.job, follow=True)
    sides.put(id="b", email="passing")  # so b is told before a
    sides.put(id="a", email="free")
    sides.put(id="b", email="a@x")
    for name, email in [("c", "passing"), ("d", "c@x"), ("e", "d@x"), ("c", "e@x")]:  # in a circle
        sides.put(id=name, email=email)
    follow(sides.job)
    assert sides.emails() == {"a": "free", "b": "a@x", "c": "e@x", "d": "c@x", "e": "d@x"}
    assert sides.rejects() == ""
    assert verify(sides.job, settle_s=0).agrees


def test_a_row_that_is_refused_one_unique_value_takes_none(sides: Sides) -> None:
    with People.connect(sides.job.destination) as store:
        store.create(Person(name="there", phone="1"))
    sides.put(id="a", email="a@x", phone="1")
    assert run(sides.job).rejected == 1
    assert "Person.phone is unique" in sides.rejects()
    with People.connect(sides.job.destination) as store:
        store.create(Person(name="new", email="a@x"))
        with pytest.raises(UniqueViolation):
            store.create(Person(name="newer", email="a@x"))


def test_a_row_takes_several_unique_values_at_once(sides: Sides) -> None:
    sides.put(id="a", email="a@x", phone="1")
    assert run(sides.job).rejected == 0
    with People.connect(sides.job.destination) as store:
        for another in (Person(name="new", email="a@x"), Person(name="new", phone="1")):
            with pytest.raises(UniqueViolation):
                store.create(another)
    assert verify(sides.job, settle_s=0).agrees


def test_a_row_that_wants_a_value_for_two_of_its_own_is_refused(sides: Sides) -> None:
    sides.put(id="a", alias="b", email="a@x")
    assert run(sides.job).rejected == 1
    assert "Person.email is unique" in sides.rejects()
    assert sides.people() == {}


def test_a_row_that_waits_for_a_value_gets_it_in_a_later_turn(
    sides: Sides, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.following.CHANGES", 1)
    sides.put(id="a", email="a@x")
    run(sides.job, follow=True)
    sides.put(id="b", email="a@x")
    follow(sides.job)
    assert sides.emails() == {"a": "a@x"}
    assert "another Person has 'a@x'" in sides.rejects()
    sides.delete("a")
    follow(sides.job)
    assert sides.emails() == {"b": "a@x"}
    assert sides.rejects() == ""


@pytest.mark.parametrize("wants", ["free", "c@x"])
def test_a_row_has_the_value_it_waits_for_when_who_gave_it_up_died_before_it_was_put(
    sides: Sides, wants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides.put(id="a", email="a@x")
    sides.put(id="c", email="c@x")
    run(sides.job, follow=True)
    sides.put(id="b", email="a@x")
    follow(sides.job)
    sides.put(id="a", email=wants)

    def killed(*_: Any) -> None:
        raise RuntimeError("It died here")

    with monkeypatch.context() as dying:
        dying.setattr(Placer, "_free", killed)
        with pytest.raises(RuntimeError, match="died"):
            follow(sides.job)
    follow(sides.job)
    assert sides.emails()["b"] == "a@x"


def test_a_value_moves_while_both_sides_are_written_whoever_is_first(sides: Sides) -> None:
    sides.put(id="a", email="a@x")
    sides.put(id="b", email="b@x")
    run(sides.job)
    with People.connect(sides.job.destination) as store:
        cutover = Cutover(store, ToPeople, refresh_s=0.02)
        cutover.advance("dual", by="ann")
        with DualWrites(sides.job, cutover) as dual, dual.writing("people", "a"):
            sides.put(id="a", email="free")
            with dual.writing("people", "b"):
                sides.put(id="b", email="a@x")
    assert sides.emails() == {"a": "free", "b": "a@x"}
    assert verify(sides.job, settle_s=0).agrees


def test_a_row_is_written_on_both_sides_however_long_its_key_is(
    sides: Sides, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise RuntimeError("It died here")

    long = {"a": "k" * 1100, "b": "k" * 1101}
    run(sides.job)
    with People.connect(sides.job.destination) as store:
        cutover = Cutover(store, ToPeople, refresh_s=0.02)
        cutover.advance("dual", by="ann")
        with DualWrites(sides.job, cutover) as dual:
            with monkeypatch.context() as dying:
                dying.setattr("singletable.migrate.dual.desk.Placer.put", killed)
                for name, key in long.items():
                    with dual.writing("people", key):
                        sides.put(id=key, name=name)
            assert sorted(map(row_of, dual.journal())) == [(key,) for key in long.values()]
            assert dual.settle(older_s=0) == 0
            assert dual.journal() == []
    assert sides.people() == {name: (None, key) for name, key in long.items()}


@pytest.mark.parametrize("listed", [False, True])
def test_a_repair_lets_values_move_and_deletes_no_row(sides: Sides, *, listed: bool) -> None:
    for name in "ab":
        sides.put(id=name, email=f"{name}@x")
        sides.put("orders", id=f"{name}1", name=name)
    run(sides.job)
    for name, email in (("a", "b@x"), ("b", "a@x")):
        sides.put(id=name, email=email)
        if listed:
            reject = Reject(Row("people", (name,), {}), "another has it")
            with sides.job.opened() as opened:
                opened.books.put(rejected(sides.job.name, reject))
    assert verify(sides.job, settle_s=0, repair=True).left == 0
    assert sides.emails() == {"a": "b@x", "b": "a@x"}
    assert sides.counts() == {"a": 1, "b": 1}
    again = verify(sides.job, settle_s=0)
    assert (again.agrees, again.rejected) == (True, {})


def test_a_row_that_was_refused_leaves_the_item_to_the_one_that_has_it(sides: Sides) -> None:
    sides.put(id="1", name="ann")
    sides.put(id="2", name="ANN")
    assert run(sides.job, follow=True).rejected == 1
    sides.put(id="2", name="Bob")
    follow(sides.job)
    assert sides.people() == {"ann": (None, "1"), "bob": (None, "2")}
    sides.put(id="2", name="ANN")
    follow(sides.job)
    assert sides.people() == {"ann": (None, "1")}
    sides.delete("2")
    follow(sides.job)
    assert sides.people() == {"ann": (None, "1")}
    assert sides.rejects() == ""


def test_the_next_has_the_item_when_the_row_goes_that_had_it(sides: Sides) -> None:
    sides.put(id="1", name="ann")
    sides.put(id="2", name="ANN")
    run(sides.job, follow=True)
    sides.delete("1")
    follow(sides.job)
    assert sides.people() == {"ann": (None, "2")}
    assert sides.rejects() == ""


def test_a_row_that_comes_later_does_not_take_an_item_over(sides: Sides) -> None:
    sides.put(id="1", name="ann")
    run(sides.job, follow=True)
    sides.put(id="2", name="Ann")
    follow(sides.job)
    assert sides.people() == {"ann": (None, "1")}
    assert "people/1 makes an item with the key PERSON#ann, PERSON, too" in sides.rejects()
    sides.delete("2")
    follow(sides.job)
    assert sides.people() == {"ann": (None, "1")}


def test_children_are_counted_whenever_their_parent_comes(sides: Sides) -> None:
    sides.put(id="a")
    sides.put("orders", id="a1", name="a")
    run(sides.job, follow=True)
    sides.put("orders", id="b1", name="b")
    sides.put("orders", id="b2", name="b")
    follow(sides.job)
    sides.put(id="b")
    sides.delete("a")
    follow(sides.job)
    assert sides.counts() == {"b": 2}
    sides.put(id="a")
    sides.put("orders", id="b3", name="b")
    follow(sides.job)
    assert sides.counts() == {"a": 1, "b": 3}


def test_a_child_that_misses_one_parent_is_counted_by_the_other(sides: Sides) -> None:
    sides.put("shops", id="s")
    run(sides.job, follow=True)
    sides.put("orders", id="1", name="nobody", shop="s")
    follow(sides.job)
    with People.connect(sides.job.destination) as store:
        assert store.bind(Shop.get(shop="s")).one().orders == 1


class BothKeys(Migration[People]):
    """Has nothing to say to some rows."""

    @rows("pairs")
    def pairs(self, row: Row) -> Iterator[Entity]:
        raise ValueError(row["a"])


def test_every_row_that_is_refused_is_told_whatever_its_key(tmp_path: Path) -> None:
    keys = [("a/b", "c"), ("a", "b/c"), ("k" * 1500, "x"), ("k" * 1500, "y"), ("😀|" * 400, "z")]
    with sqlite_database(tmp_path / "old.sqlite") as old:
        old.execute("CREATE TABLE pairs (a TEXT, b TEXT, PRIMARY KEY (a, b))")
        old.executemany("INSERT INTO pairs VALUES (?, ?)", keys)
    job = Job(
        migration=BothKeys,
        source=f"sqlite:///{tmp_path / 'old.sqlite'}",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )
    assert run(job).rejected == len(keys)
    told = [orjson.loads(line) for line in job.rejects.read_text("utf-8").splitlines()]
    assert sorted(one["id"] for one in told) == sorted(f"pairs/{a}/{b}" for a, b in keys)
    checked = verify(job, settle_s=0)
    assert (checked.agrees, checked.rejected) == (True, {"pairs": len(keys)})
