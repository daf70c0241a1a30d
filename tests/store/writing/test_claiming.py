"""Values from before they were to be unique get their guards, whoever writes meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

import pytest

from singletable import Engine, Entity, Store, Table, Unique, UniqueViolation, UsageError, upgrade
from singletable.model.reads import Key
from singletable.store.writing.claiming import Claimed, Conflict, claim
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating
from tests.store.bench import Banner, Bench, Lease, Plain, User


def put(bench: Bench, *entities: Entity) -> None:
    """Write items as a release did that knew nothing of unique values."""
    for entity in entities:
        item = entity.__schema__.items.write(entity.__dict__)
        bench.backend.call("PutItem", {"TableName": "writes", "Item": item})


def claimed(bench: Bench, entity: type[Entity] = User) -> Claimed:
    result: Claimed = bench.run(claim(bench.context, entity.__schema__))
    return result


def guards(bench: Bench) -> dict[str, str]:
    """Give the owner of each guarded value."""
    found = (item for item in bench.items() if item["Type"] == {"S": "Unique"})
    return {item["SK"]["S"]: item["OwnerPK"]["S"] for item in found}


def key_of(key: Key[Any]) -> Any:
    return key.item_key


def test_what_has_no_guard_gets_one(bench: Bench) -> None:
    put(bench, User(user_id="1", email="a@x", nick="a"), User(user_id="2", email="b@x"))
    put(bench, Plain(name="z"))
    assert claimed(bench) == Claimed(items=2, taken=3)
    assert guards(bench) == {
        "UNIQUE#User#email#a@x": "USER#1",
        "UNIQUE#User#nick#a": "USER#1",
        "UNIQUE#User#email#b@x": "USER#2",
    }
    with pytest.raises(UniqueViolation, match="'a@x'"):
        bench.do(Creating(User(user_id="3", email="a@x")))
    bench.do(Deleting(User.key(user_id="1")))
    assert guards(bench) == {"UNIQUE#User#email#b@x": "USER#2"}


def test_it_can_be_repeated_and_then_writes_nothing(bench: Bench) -> None:
    bench.do(Creating(User(user_id="1", email="a@x")))
    put(bench, *(User(user_id=f"{number}", email=f"{number}@x") for number in range(2, 40)))
    assert claimed(bench).taken == 38
    assert claimed(bench) == Claimed(items=39)
    assert bench.operations == ["Scan", "BatchGetItem"]


def test_values_that_two_items_have_are_told_each_time(bench: Bench) -> None:
    put(bench, *(User(user_id=name, email="a@x") for name in "12"))
    first = claimed(bench)
    (owner,) = guards(bench).values()
    keys = [key_of(User.key(user_id=name)) for name in ("12" if owner == "USER#1" else "21")]
    assert first == Claimed(
        items=2, taken=1, conflicts=[Conflict("email", "a@x", key=keys[1], owner=keys[0])]
    )
    assert claimed(bench).conflicts == first.conflicts
    bench.do(Updating(Key(User.__schema__, {"user_id": owner[-1]}), changes={"email": "b@x"}))
    assert claimed(bench) == Claimed(items=2, taken=1)


@pytest.mark.parametrize(
    ("write", "left"),
    [
        (Updating(User.key(user_id="1"), changes={"email": "new@x"}), "UNIQUE#User#email#new@x"),
        (Updating(User.key(user_id="1"), changes={"name": "new"}), "UNIQUE#User#email#a@x"),
        (Deleting(User.key(user_id="1")), None),
    ],
)
def test_who_writes_meanwhile_is_right(bench: Bench, write: Any, left: str | None) -> None:
    put(bench, User(user_id="1", email="a@x"))
    bench.meanwhile(write)
    assert claimed(bench).conflicts == []
    assert guards(bench) == ({left: "USER#1"} if left else {})


def test_who_takes_the_value_meanwhile_has_it(bench: Bench) -> None:
    put(bench, User(user_id="1", email="a@x"))
    bench.meanwhile(Creating(User(user_id="2", email="a@x")))
    keys = [key_of(User.key(user_id=name)) for name in "12"]
    assert claimed(bench).conflicts == [Conflict("email", "a@x", key=keys[0], owner=keys[1])]


def test_a_guard_expires_with_its_item(bench: Bench) -> None:
    at = bench.clock()
    put(bench, Lease(name="old", holder="ann", until=at - timedelta(hours=1)))
    put(bench, Lease(name="new", holder="bob", until=at + timedelta(hours=1)))
    assert claimed(bench, Lease).taken == 1
    guard = bench.raw(*["UNIQUE#Lease#holder#bob"] * 2)
    assert guard is not None
    assert guard["ttl"] == {"N": str(int(at.timestamp()) + 3600)}
    bench.later(hours=2)
    put(bench, Lease(name="next", holder="bob", until=bench.later(hours=1) + timedelta(hours=9)))
    assert claimed(bench, Lease).taken == 1


def test_what_cannot_be_read_is_told(bench: Bench) -> None:
    item = {**key_of(User.key(user_id="1")), "Type": {"S": "User"}, "email": {"S": "a@x"}}
    bench.backend.call("PutItem", {"TableName": "writes", "Item": item})
    (skipped,) = claimed(bench).skipped
    assert "user_id: Field required" in skipped.reason
    assert guards(bench) == {}


@pytest.mark.parametrize(
    ("entity", "fault"),
    [(Plain, r"claim_unique\(Plain\): it has no unique field"), (Banner, "no unique field")],
)
def test_without_a_unique_field_there_is_nothing_to_claim(
    bench: Bench, entity: type[Entity], fault: str
) -> None:
    with pytest.raises(UsageError, match=fault):
        claimed(bench, entity)


table = Table("people")


class Person(Entity, table=table, pk="PERSON#{id}#{copy}", sk="PERSON", schema=2, copies=2):
    """Had its address in a map, and has two copies."""

    id: str
    email: Annotated[str, Unique()]
    visits: int = 0

    @upgrade(1)
    def _email(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        values["email"] = values.pop("contact")["email"]
        return values


class People(Store, table=table):
    """No patterns: it is claimed."""


def old_people() -> People:
    """Give a store with one person of the first schema."""
    people = People.connect(Engine(), create=True)
    for key in (Person.__schema__.item_key({"id": "1"}, copy) for copy in range(2)):
        contact = {"M": {"email": {"S": "a@x"}}}
        item = {**key, "Type": {"S": "Person"}, "id": {"S": "1"}, "contact": contact}
        people.send("PutItem", {"TableName": "people", "Item": item})
    return people


@pytest.mark.parametrize(
    "claiming",
    [
        lambda people: people.claim_unique(Person),
        lambda people: asyncio.run(people.aclaim_unique(Person)),
    ],
)
def test_a_value_may_come_by_an_upgrade_and_an_item_in_copies(
    claiming: Callable[[People], Claimed],
) -> None:
    people = old_people()
    assert claiming(people) == Claimed(items=2, taken=1)
    with pytest.raises(UniqueViolation):
        people.create(Person(id="2", email="a@x"))
    people.update(Person.key(id="1"), email="b@x")
    people.create(Person(id="2", email="a@x"))


def test_another_table_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"Person\): it is in Table\('people'\)"):
        claimed(bench, Person)
