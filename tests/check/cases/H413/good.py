"""Each customer's orders are counted and numbered for themselves."""

from singletable import Entity, Get, Query, Store, Table, count_of, pattern, sequence

table = Table("shop")


class Customer(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    """A customer, with the number of orders."""

    customer_id: str
    orders: int = count_of("Order")


class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{number:07d}"):
    """An order."""

    customer_id: str
    number: int = sequence("CUSTOMER#{customer_id}")


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern()
    def customer(self, customer_id: str) -> Get[Customer]:
        """A customer."""
        return Customer.get(customer_id=customer_id)

    @pattern(page=20)
    def orders(self, customer_id: str) -> Query[Order]:
        """The orders of a customer."""
        return Order.query(customer_id=customer_id)
