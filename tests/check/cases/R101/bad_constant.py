"""A pattern that asks for a state which there is not."""

from typing import Literal

from singletable import Entity, Query, Store, Table, pattern

table = Table("orders")


class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="{status}#{order_id}"):
    """An order."""

    customer_id: str
    status: Literal["NEW", "PAID", "SENT"]
    order_id: str


class Orders(Store, table=table):
    """The patterns of the orders."""

    @pattern()
    def returned(self, customer_id: str) -> Query[Order]:
        """The orders that came back."""
        return Order.query(customer_id=customer_id, status="RETURNED")
