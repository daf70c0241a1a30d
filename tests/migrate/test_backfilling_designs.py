"""What a release may change in a design, and what a backfill makes of old items then."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import pytest

from singletable import (
    Attribute,
    Entity,
    Index,
    Store,
    Table,
    Unique,
    UniqueViolation,
    created,
    upgrade,
    version,
)
from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.engine import Engine
from singletable.migrate import Migration, entities
from singletable.migrate.backfilling import Backfill, Survey, backfill, scanning, survey

old = Table("shop")
table = Table("shop", indexes=["GSI1"])
timed = Table("timed")
third = Table("third")


class OldSeller(Entity, table=old, type="Seller", pk="SELLER#{seller_id}", sk="SELLER"):
    seller_id: str
    name: str
    version: int = version()


class OldOffer(Entity, table=old, type="Offer", pk="OFFER#{offer_id}#{copy}", sk="OFFER", copies=3):
    offer_id: str
    title: str


class OldShop(Store, table=old):
    """The release before."""


class Seller(Entity, table=table, pk="SELLER#{seller_id}", sk="SELLER"):
    """Its names are unique by now, and called otherwise."""

    by_name = Index("GSI1", pk="NAME#{name}", sk="SELLER")

    seller_id: str
    name: Annotated[str, Unique(), Attribute("title", "name")]
    version: int = version()


class Offer(Entity, table=table, pk="OFFER#{offer_id}#{copy}", sk="OFFER", copies=3):
    offer_id: str
    title: str
    tags: set[str] = {"new"}
    hidden: bool = False


class Shop(Store, table=table):
    """The release of today."""


class Timed(Entity, table=timed, pk="T#{n}", sk="T"):
    """A later release has a time that the first had not."""

    n: str
    since: datetime = created()


class Times(Store, table=timed):
    """Things with times."""


class Third(Entity, table=third, schema=2, pk="T#{n}", sk="T"):
    n: str

    @upgrade(1)
    def same(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        return values


class Thirds(Store, table=third):
    """A release that another, newer one writes beside."""


@pytest.fixture(params=["file", "local"])
def at(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Give the embedded engine in a file, and DynamoDB Local; neither has tables."""
    if request.param == "file":
        yield tmp_path / "shop.db"
        return
    nobody = (uuid.uuid4().hex[:16], "secret")
    made = connect(request.getfixturevalue("dynamodb_local"), credentials=nobody)
    yield made
    made.close()


def done(store: type[Store], at: Any, folder: Path) -> tuple[Any, Survey]:
    """Run a backfill in this process; give what became of it, and what is left."""
    job = Backfill(store, at if isinstance(at, Backend) else str(at), folder=folder)
    return backfill(job, executor=ThreadPoolExecutor(1)), survey(job)


@pytest.fixture
def shop(at: Any) -> Iterator[Shop]:
    """A shop whose items the release before has written."""
    with Shop.connect(at, create=True) as store:
        before = OldShop.connect(store.backend)
        for number in range(3):
            before.create(OldSeller(seller_id=f"s{number}", name=f"Ann {number}"))
            before.create(OldOffer(offer_id=f"o{number}", title=f"Lamp {number}"))
        yield store


def test_renamed_unique_indexed_and_copied_items(shop: Shop, at: Any, tmp_path: Path) -> None:
    passed, left = done(Shop, at, tmp_path)
    assert (passed.rows, passed.rejected) == (3 + 9, 0)
    assert passed.items == 3 + 3 + 3  # sellers, their guards, and offers with all their copies
    assert left.left == 0
    assert shop.bind(Seller.by_name.query(name="Ann 1")).one().seller_id == "s1"
    items = shop.send("Scan", {"TableName": "shop"})["Items"]
    offers = [one for one in items if one["Type"]["S"] == "Offer"]
    assert [one["hidden"] for one in offers] == [{"BOOL": False}] * 9
    assert all("tags" not in one for one in offers)  # absent, a set is empty
    sellers = [one for one in items if one["Type"]["S"] == "Seller"]
    assert all("name" not in one and one["version"] == {"N": "1"} for one in sellers)
    with pytest.raises(UniqueViolation):
        shop.create(Seller(seller_id="s9", name="Ann 2"))


def test_a_value_that_two_have_is_told(shop: Shop, at: Any, tmp_path: Path) -> None:
    OldShop.connect(shop.backend).create(OldSeller(seller_id="s9", name="Ann 2"))
    passed, left = done(Shop, at, tmp_path)
    assert passed.rejected == 1
    [told] = map(json.loads, (tmp_path / "Shop.backfill.rejects.jsonl").read_text().splitlines())
    assert told["id"] in {"Seller/SELLER#s2/SELLER", "Seller/SELLER#s9/SELLER"}
    assert "Seller.name is unique, and SELLER#s" in told["reason"]
    assert left.left == 0
    assert shop.bind(Seller.get(seller_id="s9")).one().name == "Ann 2"


def test_a_survey_foretells_the_values_that_several_have(
    shop: Shop, at: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "BATCH_ITEMS", 2)  # they are met on many pages
    before = OldShop.connect(shop.backend)
    for number in range(3, 9):
        before.create(OldSeller(seller_id=f"s{number}", name=f"Ann {number % 2}"))
    job = Backfill(Shop, at if isinstance(at, Backend) else str(at), folder=tmp_path)
    found = survey(job, executor=ThreadPoolExecutor(2), workers=2)
    sellers = found.entities[0]
    assert (sellers.items, sellers.missing, sellers.shared, sellers.broken) == (9, 3, 6, 0)
    assert sellers.differences["whose name another has"] == 6
    assert sellers.differences["without a guard of name"] == 3
    assert (found.broken, len(found.examples)) == (6, 6)
    assert found.examples[0] == (
        "Seller/SELLER#s4/SELLER: Seller.name is unique, and SELLER#s0 / SELLER has 'Ann 0', too"
    )
    assert not [*tmp_path.glob("*.jsonl")]
    passed, left = done(Shop, at, tmp_path)
    assert passed.rejected == 6
    assert (left.left, left.broken) == (0, 6)  # a guard is there, of another


def test_examples_are_some_however_many_share_a_value(engine: Engine, tmp_path: Path) -> None:
    with Shop.connect(engine, create=True) as store:
        before = OldShop.connect(store.backend)
        before.put_many([OldSeller(seller_id=f"s{n:03d}", name="Ann") for n in range(100)])
    found = survey(Backfill(Shop, str(tmp_path / "other.db")))
    assert (found.left, found.broken, len(found.examples)) == (100 + 1, 99, 20)


def test_a_value_that_no_guard_can_have_stops_nobody_else(engine: Engine, tmp_path: Path) -> None:
    with Shop.connect(engine, create=True) as store:
        before = OldShop.connect(store.backend)
        names = ("Ann", "Bob", "x" * 1100)  # a sort key has 1,024
        before.put_many([OldSeller(seller_id=one[:3], name=one) for one in names])
    passed, left = done(Shop, tmp_path / "other.db", tmp_path)
    assert (passed.rejected, passed.items, left.left, left.broken) == (1, 4, 0, 1)
    assert "SK is longer than 1,024 bytes" in left.examples[0]


class Nicknamed(Entity, table=table, pk="SELLER#{seller_id}", sk="NICKNAME"):
    seller_id: str
    nickname: Annotated[str, Unique()]


class WithNicknames(Migration[Shop]):
    """Calls sellers by their first name."""

    @entities(Seller)
    def nickname(self, seller: Seller) -> Iterator[Entity]:
        yield Nicknamed(seller_id=seller.seller_id, nickname=seller.name.split()[0])


def test_a_survey_foretells_values_of_items_that_are_to_be_made(
    engine: Engine, tmp_path: Path
) -> None:
    with Shop.connect(engine, create=True) as store:
        names = ("Ann 1", "Ann 2", "Bob 1")
        store.put_many([Seller(seller_id=name[::2], name=name) for name in names])
    job = Backfill(WithNicknames, str(tmp_path / "other.db"), folder=tmp_path)
    made = survey(job).entities[-1]
    assert (made.entity, made.missing, made.shared) == ("Nicknamed", 2, 1)
    passed = backfill(job, executor=ThreadPoolExecutor(1))
    assert (passed.items, passed.rejected) == (2, 1)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "other.db") as made:
        yield made


def test_a_time_that_nobody_noted_is_not_made_up(engine: Engine, tmp_path: Path) -> None:
    item = {"PK": {"S": "T#1"}, "SK": {"S": "T"}, "Type": {"S": "Timed"}, "n": {"S": "1"}}
    Times.connect(engine)
    engine.put_item(TableName="timed", Item=item)
    passed, left = done(Times, tmp_path / "other.db", tmp_path)
    assert (passed.items, passed.rejected, left.broken) == (0, 1, 1)
    assert (
        "since is not in the item, and would be filled by the time or by chance"
        in (left.examples[0])
    )
    assert engine.scan(TableName="timed")["Items"] == [item]


def test_what_a_newer_release_wrote_is_left_alone(engine: Engine, tmp_path: Path) -> None:
    item = {"PK": {"S": "T#1"}, "SK": {"S": "T"}, "Type": {"S": "Third"}, "n": {"S": "1"}}
    item["SchemaVersion"] = {"N": "3"}
    Thirds.connect(engine)
    engine.put_item(TableName="third", Item=item)
    passed, left = done(Thirds, tmp_path / "other.db", tmp_path)
    assert (passed.items, passed.rejected) == (0, 1)
    assert "schema 3 is newer than the 2 that this code knows" in left.examples[0]
    assert left.spare_upgrades == ()
    assert engine.scan(TableName="third")["Items"] == [item]
