"""All orders are counted, and numbered, in one place."""

from singletable import Entity, Get, Store, Table, count_of, pattern, sequence, ulid

table = Table("shop")


class Totals(Entity, table=table, pk="TOTALS", sk="TOTALS"):
    """The totals of the shop."""

    orders: int = count_of("Order")


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

    order_id: str = ulid()
    number: int = sequence("SEQUENCES")


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern()
    def totals(self) -> Get[Totals]:
        """The totals."""
        return Totals.get()

    @pattern()
    def order(self, order_id: str) -> Get[Order]:
        """An order."""
        return Order.get(order_id=order_id)
