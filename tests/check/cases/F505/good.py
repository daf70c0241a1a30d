"""A customer and the orders lie together."""

from singletable import Entity, Get, Query, Store, Table, pattern

table = Table("shop")


class Customer(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    """A customer."""

    customer_id: str


class Product(Entity, table=table, pk="PRODUCT#{product_id}", sk="PRODUCT"):
    """A product."""

    product_id: str


class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    """An order."""

    customer_id: str
    order_id: str


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern()
    def customer(self, customer_id: str) -> Get[Customer]:
        """A customer."""
        return Customer.get(customer_id=customer_id)

    @pattern()
    def product(self, product_id: str) -> Get[Product]:
        """A product."""
        return Product.get(product_id=product_id)

    @pattern(page=20)
    def orders(self, customer_id: str) -> Query[Order]:
        """The orders of a customer."""
        return Order.query(customer_id=customer_id)
