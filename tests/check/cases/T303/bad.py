"""Strong reads of a global index, alone and in a view."""

from dataclasses import dataclass

from singletable import Collection, Entity, Index, Query, Store, Table, collect, pattern

table = Table("orders", indexes=["GSI1"])


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

    of_customer = Index("GSI1", pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}")

    order_id: str
    customer_id: str


@dataclass
class Orders:
    """All orders of a customer."""

    orders: list[Order]


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern()
    def orders(self, customer_id: str) -> Query[Order]:
        """The orders of a customer, as they are now."""
        return Order.of_customer.query(customer_id=customer_id).strong()

    @pattern()
    def overview(self, customer_id: str) -> Collection[Orders]:
        """The orders of a customer, in a view."""
        return collect(Orders, via="of_customer", customer_id=customer_id).strong()
