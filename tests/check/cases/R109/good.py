"""The pattern gives the owner, or a key that one item has."""

from typing import Literal

from singletable import Entity, Get, Index, Query, Store, Table, pattern, ulid

table = Table("invoices", indexes=["GSI1", "GSI2"])


class Customer(Entity, table=table, pk="USER#{user_id}", sk="CUSTOMER"):
    """A customer."""

    user_id: str


class Invoice(Entity, table=table, pk="USER#{user_id}", sk="INVOICE#{invoice_id}"):
    """An invoice to a customer."""

    by_status = Index("GSI1", pk="INVOICES#{status}", sk="USER#{user_id}#{invoice_id}")
    by_id = Index("GSI2", pk="INVOICE#{invoice_id}", sk="USER#{user_id}")

    user_id: str
    invoice_id: str = ulid()
    status: Literal["OPEN", "PAID"]


class Invoices(Store, table=table):
    """The patterns of the accounts."""

    @pattern()
    def customer(self, user_id: str) -> Get[Customer]:
        """A customer."""
        return Customer.get(user_id=user_id)

    @pattern(page=20)
    def open_invoices(self, user_id: str) -> Query[Invoice]:
        """What a customer still has to pay."""
        return Invoice.by_status.query(status="OPEN", user_id=user_id)

    @pattern()
    def invoice(self, invoice_id: str) -> Query[Invoice]:
        """The invoice behind a link in a mail."""
        return Invoice.by_id.query(invoice_id=invoice_id)
