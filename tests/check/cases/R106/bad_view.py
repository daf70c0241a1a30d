"""Orders with their lines, from an index that holds all of an order, and of a line only the key."""

from dataclasses import dataclass

from singletable import Collection, Entity, GlobalIndex, Index, Store, Table, collect, pattern

table = Table(
    "shop",
    indexes=[
        GlobalIndex("GSI1", projection=["customer_id", "order_id", "total", "Type", "number"])
    ],
)


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order of a customer."""

    of_customer = Index("GSI1", pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}")

    order_id: str
    customer_id: str
    total: int


class Line(Entity, table=table, pk="ORDER#{order_id}", sk="LINE#{number:03d}"):
    """A line of an order."""

    of_customer = Index(
        "GSI1", pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}#LINE#{number:03d}"
    )

    order_id: str
    number: int
    customer_id: str
    product: str


@dataclass
class Bought:
    """The orders of a customer, with their lines."""

    orders: list[Order]
    lines: list[Line]


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern()
    def bought(self, customer_id: str) -> Collection[Bought]:
        """What a customer bought."""
        return collect(Bought, via="of_customer", customer_id=customer_id)
