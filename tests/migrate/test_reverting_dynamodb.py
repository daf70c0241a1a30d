"""The old side may be tables of DynamoDB: what was written since is in them again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from singletable import Entity, Store, Table
from singletable.backends.address import connect
from singletable.migrate import Both, Cutover, Job, Migration, Row, back, follow, revert, rows
from singletable.migrate.sources.dynamodb import DynamoSource

from .sources.dynamodb.support import create, put
from .test_reverting import run

table = Table("shop")


class Customer(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    customer_id: str
    name: str


class Basket(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="BASKET#{number:05d}"):
    customer_id: str
    number: int
    lines: list[str]


class Shop(Store, table=table):
    """The shop."""


class OneTable(Migration[Shop]):
    """From a table each to one."""

    @rows("customers")
    def customers(self, row: Row) -> Iterator[Entity]:
        yield Customer(customer_id=row["id"], name=row["name"])

    @rows("baskets")
    def baskets(self, row: Row) -> Iterator[Entity]:
        yield Basket(customer_id=row["customer"], number=row["number"], lines=row["lines"])

    @back(Customer)
    def customers_again(self, customer: Customer, both: Both[Shop]) -> Iterator[Row]:
        yield Row("customers", (customer.customer_id,), {"name": customer.name})

    @back(Basket)
    def baskets_again(self, basket: Basket, both: Both[Shop]) -> Iterator[Row]:
        key = (basket.customer_id, basket.number)
        was = both.row("baskets", *key)
        more = {"note": was["note"]} if was and "note" in was else {}
        yield Row("baskets", key, {"lines": basket.lines, **more})


@pytest.fixture
def job(tmp_path: Path) -> Job:
    with closing(connect(str(tmp_path / "old.db"))) as old:
        create(old, "customers", "id")
        create(old, "baskets", "customer", "number:N")
        for name in ("ann", "bob"):
            put(old, "customers", id=name, name=name.title())
            for number in (1, 2):
                put(old, "baskets", customer=name, number=number, lines=["a lamp"], note="by hand")
    return Job(
        migration=OneTable,
        source=f"dynamodb:{tmp_path / 'old.db'}?tables=customers,baskets",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )


def test_what_was_written_since_is_in_the_tables(job: Job, tmp_path: Path) -> None:
    run(job, follow=True)
    with Shop.connect(job.destination) as store:
        cutover = Cutover(store, OneTable, refresh_s=0.02)
        cutover.advance("new-100", by="ann", force=True)
        with cutover.paused(by="ann", max_s=5, settle_s=0) as pause:
            pause.advance("done", by="ann")
        store.create(Customer(customer_id="cid", name="Cid"))
        store.create(Basket(customer_id="cid", number=7, lines=[]))
        store.update(Basket.key(customer_id="ann", number=1), lines=["two lamps"])
        store.delete(Basket.key(customer_id="bob", number=2))
    assert revert(job, by="ann", settle_s=0).is_reverted
    follow(job)  # what the streams of the old tables told of that changes nothing
    with closing(DynamoSource(tmp_path / "old.db", ["customers", "baskets"])) as old:
        found = old.fetch("baskets", [("cid", 7), ("ann", 1), ("bob", 2), ("bob", 1)])
        assert [row and row["lines"] for row in found] == [[], ["two lamps"], None, ["a lamp"]]
        assert found[1] is not None
        assert found[1]["note"] == "by hand"  # a put replaces the item, so the rule keeps it
        assert [row and row["name"] for row in old.fetch("customers", [("cid",)])] == ["Cid"]
