"""Designs that the tests of the cost model share: one with every kind of read, and one at fault."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal

from singletable import (
    BatchGet,
    Collection,
    Entity,
    F,
    Get,
    GlobalIndex,
    Index,
    LocalIndex,
    Query,
    Scan,
    Store,
    Table,
    Unique,
    between,
    collect,
    count_of,
    created,
    get_many,
    pattern,
    sequence,
    updated,
    version,
)

table = Table(
    "shop",
    indexes=[
        "GSI1",
        GlobalIndex("KEYS", projection="KEYS_ONLY"),
        GlobalIndex("SOME", projection=["order_id", "total"]),
        LocalIndex("LSI1", projection="KEYS_ONLY"),
        GlobalIndex("FIELDS", pk=["status", "customer_id"], sk=["total", "order_id"]),
    ],
)


class Customer(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    """Somebody who orders; an email is had by one."""

    customer_id: str
    email: Annotated[str, Unique()]
    name: str
    orders: int = count_of("Order")
    version: int = version()


class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    """An order, in an index of each kind."""

    by_status = Index("GSI1", pk="STATUS#{status}#{order_id:shard 4}", sk="{placed_at}#{order_id}")
    by_month = Index("KEYS", pk="MONTH#{placed_at:%Y-%m}", sk="{placed_at}#{order_id}")
    by_total = Index("SOME", pk="CUSTOMER#{customer_id}", sk="{total:08d}#{order_id}")
    by_update = Index("LSI1", sk="{updated_at}#{order_id}")
    by_fields = Index("FIELDS", pk=["status", "customer_id"], sk=["total", "order_id"])

    customer_id: str
    order_id: str
    status: Literal["NEW", "SENT"] = "NEW"
    total: int = 0
    weight: int = 0
    note: str = ""
    placed_at: datetime = created()
    updated_at: datetime = updated()


class Line(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}#LINE#{line}"):
    """A line of an order."""

    customer_id: str
    order_id: str
    line: str
    text: str = ""


class Invoice(Entity, table=table, pk="INVOICE#{order_id}", sk="INVOICE"):
    """An invoice, numbered without gaps."""

    order_id: str
    number: int = sequence("INVOICES")


class Banner(Entity, table=table, pk="BANNER#{copy}#{name}", sk="BANNER", copies=3):
    """A hot item."""

    name: str
    text: str


@dataclass
class OrderView:
    """An order with its lines."""

    order: Order
    lines: list[Line]


@dataclass
class Total:
    """What an index with totals tells of an order."""

    order_id: str
    total: int


class Shop(Store, table=table):
    """Every kind of read."""

    @pattern(rate_per_s=10)
    def customer(self, customer_id: str) -> Get[Customer]:
        """One customer."""
        return Customer.get(customer_id=customer_id)

    @pattern()
    def customer_now(self, customer_id: str) -> Get[Customer]:
        """One customer, as of now."""
        return Customer.get(customer_id=customer_id).strong()

    @pattern()
    def customers(self, customer_ids: list[str]) -> BatchGet[Customer]:
        """Some customers."""
        return get_many(Customer.get(customer_id=one) for one in customer_ids)

    @pattern()
    def at_once(self, customer_ids: list[str]) -> BatchGet[Customer]:
        """Some customers, as of one moment."""
        return get_many(Customer.get(customer_id=one) for one in customer_ids).snapshot()

    @pattern()
    def order_top(self, customer_id: str, order_id: str) -> Collection[OrderView]:
        """An order with its first lines."""
        return collect(OrderView, customer_id=customer_id, order_id=order_id).limit(3)

    @pattern(page=20)
    def dearest(self, customer_id: str) -> Query[Total]:
        """The dearest orders of a customer, which are fewer than a page."""
        return Order.by_total.query(customer_id=customer_id).descending().limit(5).only(Total)

    @pattern()
    def order(self, customer_id: str, order_id: str) -> Collection[OrderView]:
        """An order with its lines."""
        return collect(OrderView, customer_id=customer_id, order_id=order_id)

    @pattern(page=20)
    def orders(self, customer_id: str) -> Query[Order]:
        """The orders of a customer; their lines lie among them."""
        return Order.query(customer_id=customer_id)

    @pattern(page=20)
    def sent(self) -> Query[Order]:
        """What was sent, of all customers."""
        return Order.by_status.query(status="SENT")

    @pattern(page=20)
    def noted(self, customer_id: str, words: str) -> Query[Order]:
        """The orders with a note."""
        return Order.query(customer_id=customer_id).filter(F("note").contains(words))

    @pattern()
    def placed(self, first: date, last: date) -> Query[Order]:
        """The orders of a time, of which an index tells only the keys."""
        span = between(first, last)
        return Order.by_month.query(placed_at=span).fetch(Order)

    @pattern()
    def totals(self, customer_id: str, least: int) -> Query[Total]:
        """The totals of a customer's larger orders."""
        return Order.by_total.query(customer_id=customer_id).ge(least).only(Total)

    @pattern()
    def changed(self, customer_id: str, since: datetime) -> Query[Order]:
        """What has changed, from a local index that fetches the rest."""
        return Order.by_update.query(customer_id=customer_id).ge(since).strong()

    @pattern()
    def cheap(self, customer_id: str, limit: int) -> Query[Total]:
        """The totals of a customer's smaller orders."""
        return Order.by_total.query(customer_id=customer_id).lt(limit).only(Total)

    @pattern()
    def until(self, customer_id: str, order_id: str) -> Query[Order]:
        """The orders of a customer before one of them."""
        return Order.query(customer_id=customer_id).lt(order_id)

    @pattern()
    def dear(self, customer_id: str, least: int, worst: int) -> Query[Order]:
        """The dear orders of a customer, by an index whose key is fields, and a filter."""
        dear = Order.by_fields.query(status="SENT", customer_id=customer_id).ge(least)
        return dear.filter(F("weight") < worst)

    @pattern(page=50)
    def everything(self) -> Scan[Order]:
        """All orders, by reading all items."""
        return Order.scan()

    @pattern()
    def banner(self, name: str) -> Get[Banner]:
        """A hot item."""
        return Banner.get(name=name)


faulty = Table("faulty", indexes=["GSI1", GlobalIndex("KEYS", projection="KEYS_ONLY")])


class Task(Entity, table=faulty, pk="USER#{user_id}", sk="TASK#{list_id}#{task_id}"):
    """A task."""

    by_list = Index("GSI1", pk="LIST#{list_id}", sk="{created_at}#{task_id}")
    by_order = Index("KEYS", pk="LIST#{list_id}", sk="{order:05d}#{task_id}")

    user_id: str
    list_id: str
    task_id: str
    state: str
    order: int = 0
    created_at: datetime = created()


class Faulty(Store, table=faulty):
    """Patterns that no key serves as they are asked."""

    @pattern()
    def tasks_of_list(self, list_id: str) -> Query[Task]:
        """Asks the table, where an index would do."""
        return Task.query(list_id=list_id)

    @pattern()
    def task(self, user_id: str, task_id: str) -> Query[Task]:
        """Leaves a gap in the sort key."""
        return Task.query(user_id=user_id, task_id=task_id)

    @pattern()
    def tasks_in_state(self, state: str, since: datetime) -> Query[Task]:
        """Knows what no key holds."""
        return Task.query(state=state).ge(since)

    @pattern()
    def ordered(self, list_id: str) -> Query[Task]:
        """Asks an index for what it does not hold."""
        return Task.by_order.query(list_id=list_id)

    @pattern()
    def one_task(self, task_id: str) -> Get[Task]:
        """Knows a part of the key."""
        return Task.get(task_id=task_id)

    @pattern()
    def everything(self) -> Query[Task]:
        """Knows nothing."""
        return Task.query()

    @pattern()
    def broken(self, user_id: str) -> Query[Task]:
        """Is a slip in Python."""
        raise LookupError(user_id)
