"""A parameter that takes any text, for a field that takes three."""

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
    def orders(self, customer_id: str, status: str) -> Query[Order]:
        """The orders of a customer in a state."""
        return Order.query(customer_id=customer_id, status=status)
