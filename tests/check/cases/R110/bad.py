"""Orders of a state, filtered by the time that their index is sorted by."""

from singletable import (
    Entity,
    F,
    GlobalIndex,
    Index,
    Query,
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
    def placed_since(self, status: str, since: str) -> Query[Order]:
        """The orders of a state that were placed since a time."""
        found = Order.by_status.query(status=status)
        return found.filter((F("placed_at") >= since) & (F("status") == status))
