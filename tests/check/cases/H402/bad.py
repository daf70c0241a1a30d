"""A partition for each state."""

from typing import Literal

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("orders", indexes=["GSI1"])


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

    by_status = Index("GSI1", pk="STATUS#{status}", sk="{order_id}")

    order_id: str
    status: Literal["NEW", "PAID", "SENT"] = "NEW"


class Orders(Store, table=table):
    """The patterns of the orders."""

    @pattern(page=20)
    def in_status(self, status: Literal["NEW", "PAID", "SENT"]) -> Query[Order]:
        """The orders in a state."""
        return Order.by_status.query(status=status)
