"""What a pattern mentions that came to no read: no rule may call it unused."""

from dataclasses import dataclass

from singletable import Collection, Entity, Index, Query, Store, Table, collect, pattern
from singletable.check import check
from singletable.check.mentions import mentioned
from singletable.store.tracing import trace

table = Table("orders", indexes=["GSI1", "GSI2"])


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

    of_customer = Index("GSI1", pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}")
    by_day = Index("GSI2", pk="DAY#{day}", sk="{order_id}")

    order_id: str
    customer_id: str
    day: str


class Line(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER#{line_id}"):
    """A line of an order."""

    order_id: str
    line_id: str


class Unread(Entity, table=table, pk="ORDER#{order_id}", sk="NOTE"):
    """What nobody reads."""

    order_id: str


@dataclass
class View:
    """An order with its lines."""

    order: Order
    lines: list[Line]


class Orders(Store, table=table):
    """Patterns that cannot be traced, each with something that it alone reads."""

    @pattern()
    def of_customer(self, customer_id: str) -> Query[Order]:
        """A strong read, which the index refuses."""
        return Order.of_customer.query(customer_id=customer_id).strong()

    @pattern()
    def view(self, order_id: str) -> Collection[View]:
        """A view of what is not in the index."""
        return collect(View, via="of_customer", order_id=order_id)


def test_entities_indexes_and_the_entities_of_views_are_mentioned() -> None:
    words = mentioned(trace(Orders))
    assert {"Order", "of_customer", "View", "Line"} <= words
    assert not {"Unread", "by_day"} & words


def test_only_what_nobody_mentions_is_called_unused() -> None:
    found = check(Orders, select=["H406", "F504"]).findings
    assert [(one.code, one.entity or one.index) for one in found] == [
        ("F504", "Unread"),
        ("H406", "GSI2"),
    ]
