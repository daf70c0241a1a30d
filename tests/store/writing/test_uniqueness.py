"""No two items share a unique value, whatever is written, and whoever writes meanwhile."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

import pytest

from singletable import Engine
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import AlreadyExists, NotFound, UniqueViolation
from singletable.model.entity import Entity
from singletable.model.fields import Unique
from singletable.model.table import Table
from singletable.store.context import Context
from singletable.store.creation import create_request
from singletable.store.drivers import run
from singletable.store.writing.committing import write
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.editing import Editing
from singletable.store.writing.updating import Updating
from singletable.store.writing.upserting import Upserting
from singletable.store.writing.whole import Creating, Putting
from tests.store.bench import NOW, Bench, Lease, User

LEASE_M = Lease.key(name="m")
GUARD = "UNIQUE#User#email#"


def guards(bench: Bench) -> dict[str, str]:
    """Give each unique value and the key of its owner."""
    return {
        item["SK"]["S"].removeprefix("UNIQUE#"): item["OwnerPK"]["S"]
        for item in bench.items()
        if item["Type"] == {"S": "Unique"}
    }


def test_a_create_takes_its_values_in_one_transaction_that_reads_nothing(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", email="a@b.c")))

    assert bench.operations == ["TransactWriteItems"]
    assert bench.raw(GUARD + "a@b.c", GUARD + "a@b.c") == {
        "PK": {"S": GUARD + "a@b.c"},
        "SK": {"S": GUARD + "a@b.c"},
        "Type": {"S": "Unique"},
        "OwnerPK": {"S": "USER#u"},
        "OwnerSK": {"S": "USER"},
    }


def test_a_value_unique_within_something_is_guarded_there(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", nick="max", team="red")))

    guard = bench.raw("TEAM#red", "UNIQUE#User#nick#max")
    assert guard is not None
    assert guard["OwnerPK"] == {"S": "USER#u"}


@pytest.mark.parametrize("action", [Creating, Putting, Upserting])
def test_a_value_that_another_has_is_refused_and_nothing_is_written(
    bench: Bench, action: Any
) -> None:
    bench.do(Creating(User(user_id="u", email="a@b.c")))
    before = list(bench.items())

    with pytest.raises(UniqueViolation, match=r"User\.email .* 'a@b\.c'") as failed:
        bench.do(action(User(user_id="v", email="a@b.c")))
    assert failed.value.attribute == "email"
    assert list(bench.items()) == before


def test_what_is_unique_within_a_team_may_be_the_same_in_another(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", nick="max", team="red")))
    bench.do(Creating(User(user_id="v", nick="max", team="blue")))

    with pytest.raises(UniqueViolation, match=r"within TEAM#\{team\}") as failed:
        bench.do(Creating(User(user_id="w", nick="max", team="blue")))
    assert failed.value.attribute == "nick"


def test_none_is_not_guarded(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u")))
    bench.do(Creating(User(user_id="v")))

    assert guards(bench) == {}


def test_values_with_delimiters_stay_apart(bench: Bench) -> None:
    for number, email in enumerate(("a#b", "a%23b", "a%b", "#", "%")):
        bench.do(Creating(User(user_id=str(number), email=email)))

    assert len(guards(bench)) == 5


def test_a_put_of_the_same_values_changes_no_guard(bench: Bench) -> None:
    user = User(user_id="u", email="a@b.c", nick="max")
    bench.do(Creating(user))
    bench.do(Putting(user.model_copy(update={"name": "new"})))

    assert bench.operations == ["GetItem", "PutItem"]
    assert bench.sent[0][1]["ConsistentRead"] is True
    assert guards(bench) == {"User#email#a@b.c": "USER#u", "User#nick#max": "USER#u"}


@pytest.mark.parametrize(
    "change",
    [
        Putting(User(user_id="u", email="new")),
        Upserting(User(user_id="u", email="new")),
        Updating(User.key(user_id="u"), changes={"email": "new"}),
        Editing(
            User.key(user_id="u"), change=lambda user: user.model_copy(update={"email": "new"})
        ),
    ],
    ids=lambda action: action.verb,
)
def test_a_new_value_is_taken_and_the_old_one_released(bench: Bench, change: Any) -> None:
    bench.do(Creating(User(user_id="u", email="old")))
    result = bench.do(change)

    assert result.email == "new"
    assert guards(bench) == {"User#email#new": "USER#u"}
    bench.do(Creating(User(user_id="v", email="old")))


def test_an_update_of_other_fields_is_one_plain_request(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", email="a")))
    bench.do(Updating(User.key(user_id="u"), changes={"name": "new"}))

    assert bench.operations == ["UpdateItem"]


def test_to_change_the_team_moves_the_nickname(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", nick="max", team="red")))
    bench.do(Updating(User.key(user_id="u"), changes={"team": "blue"}))

    assert bench.raw("TEAM#red", "UNIQUE#User#nick#max") is None
    assert bench.raw("TEAM#blue", "UNIQUE#User#nick#max") is not None


def test_a_delete_releases_all_values(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", email="a", nick="max")))
    bench.do(Deleting(User.key(user_id="u")))

    assert list(bench.items()) == []


def test_a_delete_of_nothing_is_no_error(bench: Bench) -> None:
    bench.do(Deleting(User.key(user_id="u")))

    assert bench.operations == ["GetItem", "DeleteItem"]


def test_an_item_from_before_the_rule_does_not_release_what_another_has(bench: Bench) -> None:
    item = User.__schema__.items.write(User(user_id="old", email="a").__dict__)
    bench.call("PutItem", {"TableName": "writes", "Item": item})
    bench.do(Creating(User(user_id="new", email="a")))
    bench.do(Deleting(User.key(user_id="old")))

    assert bench.item(User.key(user_id="old")) is None
    assert guards(bench) == {"User#email#a": "USER#new"}


def test_the_same_item_created_twice_exists_already(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", email="a")))

    with pytest.raises(AlreadyExists):
        bench.do(Creating(User(user_id="u", email="a")))
    with pytest.raises(AlreadyExists):
        bench.do(Creating(User(user_id="u", email="b")))
    assert guards(bench) == {"User#email#a": "USER#u"}


# Somebody else writes between the read and the transaction.


def test_a_value_that_was_changed_meanwhile_is_released_as_it_is_then(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", email="one")))
    bench.meanwhile(Updating(User.key(user_id="u"), changes={"email": "two"}))
    bench.do(Updating(User.key(user_id="u"), changes={"email": "three"}))

    assert bench.operations == ["GetItem", "TransactWriteItems"] * 2
    assert guards(bench) == {"User#email#three": "USER#u"}


def test_an_item_that_came_meanwhile_is_replaced_as_it_is_then(bench: Bench) -> None:
    bench.meanwhile(Creating(User(user_id="u", email="theirs")))
    bench.do(Putting(User(user_id="u", email="mine")))

    assert guards(bench) == {"User#email#mine": "USER#u"}


def test_an_item_that_went_meanwhile_is_made_again(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", email="a", name="old")))
    bench.meanwhile(Deleting(User.key(user_id="u")))
    bench.do(Putting(User(user_id="u", email="b", name="new")))

    assert bench.get(User.get(user_id="u")).name == "new"
    assert guards(bench) == {"User#email#b": "USER#u"}


def test_an_item_that_comes_after_it_was_not_found_is_left_alone(bench: Bench) -> None:
    bench.meanwhile(Creating(User(user_id="u", email="theirs")), operation="UpdateItem")

    with pytest.raises(NotFound):
        bench.do(Updating(User.key(user_id="u"), changes={"email": "mine"}))
    assert bench.operations == ["GetItem"]


def test_a_value_that_was_taken_meanwhile_is_refused(bench: Bench) -> None:
    bench.do(Creating(User(user_id="u", email="a")))
    bench.meanwhile(Creating(User(user_id="v", email="b")))

    with pytest.raises(UniqueViolation):
        bench.do(Updating(User.key(user_id="u"), changes={"email": "b"}))
    assert guards(bench) == {"User#email#a": "USER#u", "User#email#b": "USER#v"}


# Times of expiry.


def lease(name: str, holder: str, hours: int) -> Lease:
    return Lease(name=name, holder=holder, until=NOW + timedelta(hours=hours))


def test_a_guard_expires_with_its_owner(bench: Bench) -> None:
    bench.do(Creating(lease("l", "ann", 1)))
    with pytest.raises(UniqueViolation):
        bench.do(Creating(lease("m", "ann", 9)))
    bench.later(hours=1)
    bench.do(Creating(lease("m", "ann", 9)))

    assert guards(bench) == {"Lease#holder#ann": "LEASE#m"}


def test_a_guard_lives_on_with_an_owner_that_does(bench: Bench) -> None:
    bench.do(Creating(lease("l", "ann", 1)))
    changes = {"until": NOW + timedelta(hours=5)}
    bench.do(Updating(Lease.key(name="l"), changes=changes))
    bench.later(hours=1)

    with pytest.raises(UniqueViolation):
        bench.do(Creating(lease("m", "ann", 9)))


def test_what_takes_the_place_of_an_expired_item_releases_its_values(bench: Bench) -> None:
    bench.do(Creating(lease("l", "ann", 1)))
    bench.later(hours=1)
    bench.do(Creating(lease("l", "bob", 9)))

    assert guards(bench) == {"Lease#holder#bob": "LEASE#l"}


@pytest.mark.parametrize("first", ["expired", "living"])
@pytest.mark.parametrize(
    ("hours", "owners"),
    [(9, {"ann": "LEASE#l", "bob": "LEASE#m"}), (1, {"ann": "LEASE#n", "bob": "LEASE#m"})],
    ids=["it lives again", "it stays expired"],
)
def test_a_value_of_an_expired_item_is_taken_from_its_living_owner(
    bench: Bench, first: str, hours: int, owners: dict[str, str]
) -> None:
    """The expired item still shows the value, but the living one gives it up."""
    bench.do(Creating(lease("l", "ann", 1)))
    bench.later(hours=1)
    bench.do(Creating(lease("m", "ann", 9)))
    written = [Putting(lease("l", "ann", hours)), Updating(LEASE_M, changes={"holder": "bob"})]
    bench.commit(*(written if first == "expired" else reversed(written)))

    if owners["ann"] == "LEASE#n":
        bench.do(Creating(lease("n", "ann", 9)))
    else:
        with pytest.raises(UniqueViolation):
            bench.do(Creating(lease("n", "ann", 9)))
    assert guards(bench) == {f"Lease#holder#{name}": owner for name, owner in owners.items()}


@pytest.mark.parametrize("first", ["expired", "living"])
def test_a_value_goes_with_all_that_show_it(bench: Bench, first: str) -> None:
    bench.do(Creating(lease("l", "ann", 1)))
    bench.later(hours=1)
    bench.do(Creating(lease("m", "ann", 9)))
    written = [Deleting(Lease.key(name="l")), Deleting(LEASE_M)]
    bench.commit(*(written if first == "expired" else reversed(written)))

    assert guards(bench) == {}


# Other tables.


def test_numbers_are_unique_too_and_a_table_may_have_no_sort_key() -> None:
    table = Table("no_sort_key", sk=None)

    class Seat(Entity, table=table, pk="SEAT#{name}"):
        name: str
        number: Annotated[int, Unique(within="HALL#{hall}")]
        hall: str = "A"

    engine = Engine()
    engine.call("CreateTable", create_request(table, table.name))
    context = Context(table=table, table_name=table.name)
    backend = EmbeddedBackend(engine)

    run(write(context, Creating(Seat(name="x", number=1))), backend)
    with pytest.raises(UniqueViolation):
        run(write(context, Creating(Seat(name="y", number=1))), backend)
    run(write(context, Creating(Seat(name="y", number=1, hall="B"))), backend)
    keys = {item["PK"]["S"] for item in engine.call("Scan", {"TableName": table.name})["Items"]}
    assert keys == {
        "SEAT#x",
        "SEAT#y",
        "HALL#A#UNIQUE#Seat#number#1",
        "HALL#B#UNIQUE#Seat#number#1",
    }
