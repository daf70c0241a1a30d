"""A small shop whose stream the tests follow."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from typing import Any

from singletable import Entity, Store, Table, expires, upgrade
from singletable.model.schema import COPY
from singletable.streams.changes import Change, changes_of
from singletable.streams.records import Record
from singletable.values import Item

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

shop = Table("shop", stream="NEW_AND_OLD_IMAGES")
_numbers = count(1)


class Order(Entity, table=shop, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    customer_id: str
    order_id: str
    total: int = 0
    status: str = "NEW"


class Customer(Entity, table=shop, pk="CUSTOMER#{customer_id}", sk="CUSTOMER", schema=2):
    customer_id: str
    full_name: str = ""
    spent: int = 0

    @upgrade(1)
    def _(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - is given values, no self
        return {**values, "full_name": values.pop("name")}


class Basket(Entity, table=shop, pk="BASKET#{basket_id}", sk="BASKET"):
    basket_id: str
    expires_at: datetime | None = expires(hours=1)


class FrontPage(Entity, table=shop, pk="FRONT#{copy}", sk="FRONT", copies=3):
    order_ids: list[str] = []


class Shop(Store, table=shop):
    """The shop."""


def item(entity: Entity) -> Item:
    """Give the item of an entity."""
    return entity.__schema__.items.write({**entity.__dict__, COPY: 0})


def record(
    old: Entity | Item | None, new: Entity | Item | None, *, number: int = 0, expired: bool = False
) -> Record:
    """Make the record of a change."""
    before, after = (item(one) if isinstance(one, Entity) else one for one in (old, new))
    image = after or before
    assert image is not None
    return Record(
        "INSERT" if before is None else "MODIFY" if after else "REMOVE",
        str(number or next(_numbers)),
        NOW,
        {name: image[name] for name in ("PK", "SK")},
        before,
        after,
        expired,
    )


def changes(*records: Record) -> list[Change[Any]]:
    """Give what records tell."""
    return [change for record in records for change in changes_of(shop, record)]
