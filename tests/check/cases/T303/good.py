"""The list may lag; the order itself is read strongly."""

from singletable import Entity, Get, Index, Query, Store, Table, pattern

table = Table("orders", indexes=["GSI1"])


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

    of_customer = Index("GSI1", pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}")

    order_id: str
    customer_id: str


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern(page=20)
    def orders(self, customer_id: str) -> Query[Order]:
        """The orders of a customer."""
        return Order.of_customer.query(customer_id=customer_id)

    @pattern()
    def order(self, order_id: str) -> Get[Order]:
        """An order, as it is now."""
        return Order.get(order_id=order_id).strong()
