"""States are parted by customer, or spread over shards."""

from typing import Literal

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("orders", indexes=["GSI1", "GSI2"])


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

    of_customer = Index("GSI1", pk="CUSTOMER#{customer_id}#{status}", sk="{order_id}")
    by_status = Index("GSI2", pk="STATUS#{status}#{order_id:shard 8}", sk="{order_id}")

    order_id: str
    customer_id: str
    status: Literal["NEW", "PAID", "SENT"] = "NEW"


class Orders(Store, table=table):
    """The patterns of the orders."""

    @pattern(page=20)
    def of_customer(self, customer_id: str, status: Literal["NEW", "PAID", "SENT"]) -> Query[Order]:
        """The orders of a customer in a state."""
        return Order.of_customer.query(customer_id=customer_id, status=status)

    @pattern(page=20)
    def in_status(self, status: Literal["NEW", "PAID", "SENT"]) -> Query[Order]:
        """The orders in a state, for the warehouse."""
        return Order.by_status.query(status=status)
