"""Keys that change with their items."""

from datetime import datetime
from typing import Annotated, Literal

from singletable import Copied, Entity, Get, Query, Store, Table, pattern, updated

table = Table("orders")


class Customer(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    """A customer."""

    customer_id: str
    name: str


class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{status}#{order_id}"):
    """An order, whose key has its state."""

    customer_id: str
    order_id: str
    status: Literal["NEW", "PAID", "SENT"] = "NEW"


class Draft(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="DRAFT#{updated_at}#{draft_id}"):
    """A draft, whose key has the time of its last change."""

    customer_id: str
    draft_id: str
    updated_at: datetime = updated()


class Card(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CARD#{name:escaped}#{card_id}"):
    """A card, whose key has a copy of the customer's name."""

    customer_id: str
    card_id: str
    name: Annotated[str, Copied(Customer, "name")]


class Orders(Store, table=table):
    """The patterns of the orders."""

    @pattern()
    def customer(self, customer_id: str) -> Get[Customer]:
        """A customer."""
        return Customer.get(customer_id=customer_id)

    @pattern(page=20)
    def orders(self, customer_id: str) -> Query[Order]:
        """The orders of a customer, by state."""
        return Order.query(customer_id=customer_id)

    @pattern(page=20)
    def drafts(self, customer_id: str) -> Query[Draft]:
        """The drafts of a customer."""
        return Draft.query(customer_id=customer_id)

    @pattern(page=20)
    def cards(self, customer_id: str) -> Query[Card]:
        """The cards of a customer."""
        return Card.query(customer_id=customer_id)
