"""Lists in one partition each; what would spread them stands elsewhere in the key, or nowhere."""

from datetime import date, datetime
from typing import Literal

from singletable import Entity, Query, Store, Table, pattern, ulid

table = Table("shop")


class Order(Entity, table=table, pk="ORDERS", sk="ORDER#{order_id}#{status}"):
    """The last field has few values."""

    order_id: str
    status: Literal["OPEN", "PAID"]


class Sale(Entity, table=table, pk="SALES", sk="SALE#{sale_id}#{order_id}"):
    """The last field is another's id, of which many sales may be."""

    sale_id: str
    order_id: str


class Visit(Entity, table=table, pk="VISITS", sk="VISIT#{visit_id}#{page}"):
    """The library makes an id, and the last field may be a page that all visit."""

    visit_id: str = ulid()
    page: str


class Sample(Entity, table=table, pk="SAMPLES", sk="{measured_at}#{is_raw}"):
    """A time is better than nothing."""

    measured_at: datetime
    is_raw: bool


class Total(Entity, table=table, pk="TOTALS", sk="TOTAL#{day}"):
    """Today's is written all the time: no shard would help."""

    day: date


class Shop(Store, table=table):
    """The patterns of the shop."""

    @pattern(page=20)
    def orders(self) -> Query[Order]:
        """All orders."""
        return Order.query()
