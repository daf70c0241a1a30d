"""Three entities, each in partitions of its own."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("shop")


class Customer(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    """A customer."""

    customer_id: str


class Product(Entity, table=table, pk="PRODUCT#{product_id}", sk="PRODUCT"):
    """A product."""

    product_id: str


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

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

    @pattern()
    def order(self, order_id: str) -> Get[Order]:
        """An order."""
        return Order.get(order_id=order_id)
