"""What changes is in the key of an index, which follows it."""

from datetime import datetime
from typing import Literal

from singletable import Entity, Index, Query, Store, Table, pattern, updated

table = Table("orders", indexes=["GSI1"])


class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    """An order."""

    by_status = Index("GSI1", pk="CUSTOMER#{customer_id}#{status}", sk="{updated_at}#{order_id}")

    customer_id: str
    order_id: str
    status: Literal["NEW", "PAID", "SENT"] = "NEW"
    updated_at: datetime = updated()


class Orders(Store, table=table):
    """The patterns of the orders."""

    @pattern(page=20)
    def orders(self, customer_id: str, status: Literal["NEW", "PAID", "SENT"]) -> Query[Order]:
        """The orders of a customer in one state."""
        return Order.by_status.query(customer_id=customer_id, status=status)
