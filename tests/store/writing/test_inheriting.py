"""An item of a derived entity is one of its base's, too: unique, counted and changed as such."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from singletable.errors import UniqueViolation, UnknownKeyParts
from singletable.model.entity import Entity
from singletable.model.fields import Unique, count_of
from singletable.model.indexes import Index
from singletable.store.bulk import delete_many
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.editing import Editing
from singletable.store.writing.ensuring import upserting
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating
from tests.store.bench import Bench, table


class Club(Entity, table=table, pk="CLUB#{club}", sk="CLUB"):
    """Counts its members, whatever else they are."""

    club: str
    members: int = count_of("Member")
    staff: int = count_of("Staff")


class BigClub(Club):
    """A club, with the same keys."""

    size: int = 0


class Member(Entity, table=table, pk="CLUB#{club}", sk="MEMBER#{name}"):
    """Whole, and a base."""

    club: str
    name: str
    email: Annotated[str, Unique()]
    phone: str | None = None


class Staff(Member):
    """Has more, all of it its own."""

    by_phone = Index("GSI1", pk="PHONE#{phone}", sk="{name}")

    badge: Annotated[int, Unique()] = 0


class Pet(Entity, table=table, pk="PET#{name}", sk="PET"):
    """Leaves nothing elsewhere."""

    name: str


class Cat(Pet):
    """Leaves a guard."""

    chip: Annotated[str, Unique()]


@pytest.fixture
def club(bench: Bench) -> Bench:
    """Give a table with a club, a member and one of its staff."""
    bench.do(Creating(Club(club="c")))
    bench.do(Creating(Member(club="c", name="m", email="m@x")))
    bench.do(Creating(Staff(club="c", name="s", email="s@x", badge=7)))
    return bench


def guards(bench: Bench) -> set[str]:
    return {item["SK"]["S"] for item in bench.items() if item["Type"] == {"S": "Unique"}}


def counts(bench: Bench) -> tuple[int, int]:
    found: Any = bench.get(Club.get(club="c"))
    return found.members, found.staff


def test_a_value_is_unique_among_the_items_of_the_class_that_declares_it(club: Bench) -> None:
    assert guards(club) == {
        "UNIQUE#Member#email#m@x",
        "UNIQUE#Member#email#s@x",
        "UNIQUE#Staff#badge#7",
    }
    with pytest.raises(UniqueViolation, match="another Member has 'm@x'"):
        club.do(Creating(Staff(club="c", name="t", email="m@x")))
    with pytest.raises(UniqueViolation, match="another Member has 's@x'"):
        club.do(Updating(Member.key(club="c", name="m"), changes={"email": "s@x"}))


def test_a_count_has_the_items_of_derived_entities(club: Bench) -> None:
    assert counts(club) == (2, 1)


@pytest.mark.parametrize("many", [False, True])
def test_what_is_deleted_by_the_key_of_its_base_leaves_nothing(club: Bench, *, many: bool) -> None:
    key = Member.key(club="c", name="s")
    if many:
        club.run(delete_many(club.context, [key], None))
    else:
        club.do(Deleting(key))

    assert counts(club) == (1, 0)
    assert guards(club) == {"UNIQUE#Member#email#m@x"}


@pytest.mark.parametrize("many", [False, True])
def test_a_delete_knows_what_only_derived_entities_leave(bench: Bench, *, many: bool) -> None:
    bench.do(Creating(Cat(name="a", chip="1")))
    key = Pet.key(name="a")
    if many:
        bench.run(delete_many(bench.context, [key], None))
    else:
        bench.do(Deleting(key))

    assert list(bench.items()) == []


def test_a_derived_parent_counts_each_item_once(bench: Bench) -> None:
    bench.do(Creating(BigClub(club="c", size=3)))
    bench.do(Creating(Member(club="c", name="m", email="m@x")))

    assert counts(bench) == (1, 0)


def test_an_edit_by_the_key_of_the_base_keeps_what_the_item_is(club: Bench) -> None:
    key: Any = Member.key(club="c", name="s")
    edited = club.do(
        Editing(key, change=lambda one: one.model_copy(update={"email": "t@x", "phone": "1"}))
    )

    assert edited == Staff(club="c", name="s", email="t@x", badge=7, phone="1")
    item = club.item(key)
    assert item is not None
    assert (item["Type"], item["GSI1PK"]) == ({"S": "Staff"}, {"S": "PHONE#1"})
    assert "UNIQUE#Member#email#t@x" in guards(club)
    assert "UNIQUE#Member#email#s@x" not in guards(club)


def test_an_update_by_the_key_of_the_base_gives_what_the_item_is(club: Bench) -> None:
    key = Member.key(club="c", name="s")
    expected = Staff(club="c", name="s", email="t@x", badge=7)

    assert club.do(Updating(key, changes={"email": "t@x"})) == expected
    assert club.do(upserting(key, {"email": "u@x"}, None)) == expected.model_copy(
        update={"email": "u@x"}
    )


def test_an_update_by_the_key_of_the_base_leaves_no_index_key_stale(club: Bench) -> None:
    with pytest.raises(UnknownKeyParts, match=r"if the item is a Staff.*Staff.key"):
        club.do(Updating(Member.key(club="c", name="s"), changes={"phone": "1"}))
    club.do(Updating(Staff.key(club="c", name="s"), changes={"phone": "1"}))
    item = club.item(Staff.key(club="c", name="s"))
    assert item is not None
    assert item["GSI1PK"] == {"S": "PHONE#1"}
