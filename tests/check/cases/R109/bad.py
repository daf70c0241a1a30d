"""The invoices of all users, by state."""

from typing import Literal

from singletable import Entity, Get, Index, Query, Store, Table, pattern

table = Table("invoices", indexes=["GSI1"])


class Customer(Entity, table=table, pk="USER#{user_id}", sk="CUSTOMER"):
    """A customer."""

    user_id: str


class Invoice(Entity, table=table, pk="USER#{user_id}", sk="INVOICE#{invoice_id}"):
    """An invoice to a customer."""

    by_status = Index("GSI1", pk="INVOICES#{status}", sk="USER#{user_id}#{invoice_id}")

    user_id: str
    invoice_id: str
    status: Literal["OPEN", "PAID"]


class Invoices(Store, table=table):
    """The patterns of the accounts."""

    @pattern()
    def customer(self, user_id: str) -> Get[Customer]:
        """A customer."""
        return Customer.get(user_id=user_id)

    @pattern(page=20)
    def open_invoices(self) -> Query[Invoice]:
        """What is still to be paid: by anybody."""
        return Invoice.by_status.query(status="OPEN")
