"""The sort key is compared; filters look at other attributes, and those of a scan at any."""

from singletable import (
    Entity,
    F,
    GlobalIndex,
    Index,
    Query,
    Scan,
    Store,
    Table,
    pattern,
)

table = Table("orders", indexes=[GlobalIndex("by_status", pk="status", sk="placed_at")])


class Order(Entity, table=table, pk="ORDER#{order_id}", sk="ORDER"):
    """An order."""

    by_status = Index("by_status", pk="{status}", sk="{placed_at}")

    order_id: str
    status: str
    placed_at: str
    total: int


class Orders(Store, table=table):
    """The patterns of the orders."""

    @pattern(page=20)
    def placed_since(self, status: str, since: str, least: int) -> Query[Order]:
        """The large orders of a state that were placed since a time."""
        return Order.by_status.query(status=status).ge(since).filter(F("total") >= least)

    @pattern
    def order(self, order_id: str, status: str) -> Query[Order]:
        """An order, if it is in a state: the keys of another index are no keys of the table."""
        return Order.query(order_id=order_id).filter(F("status") == status)

    @pattern
    def export(self, since: str) -> Scan[Order]:
        """All orders since a time, for the nightly export."""
        return Order.by_status.scan().filter(F("placed_at") >= since)
