"""One item, or those of one owner, however that is said."""

from typing import Annotated, Literal

from singletable import Entity, F, Get, Index, Query, Store, Table, Unique, pattern

table = Table("invoices", indexes=["GSI1", "GSI2", "GSI3"])


class Customer(Entity, table=table, pk="USER#{user_id}", sk="CUSTOMER"):
    """A customer."""

    user_id: str


class Invoice(Entity, table=table, pk="USER#{user_id}", sk="INVOICE#{invoice_id}"):
    """An invoice to a customer."""

    by_token = Index("GSI1", pk="TOKEN#{token}", sk="USER#{user_id}")
    by_link = Index("GSI2", pk="LINK#{link}", sk="LINK")
    by_status = Index("GSI3", pk="INVOICES#{status}", sk="{invoice_id}")

    user_id: str
    invoice_id: str
    token: Annotated[str, Unique()]
    link: str
    status: Literal["OPEN", "PAID"]


class Invoices(Store, table=table):
    """The patterns of the accounts."""

    @pattern()
    def customer(self, user_id: str) -> Get[Customer]:
        """A customer."""
        return Customer.get(user_id=user_id)

    @pattern()
    def with_token(self, token: str) -> Query[Invoice]:
        """The invoice of a token that no two have."""
        return Invoice.by_token.query(token=token)

    @pattern()
    def behind(self, link: str) -> Query[Invoice]:
        """The invoice behind a link: it may be one."""
        return Invoice.by_link.query(link=link)

    @pattern(page=20)
    def open_invoices(self, user_id: str) -> Query[Invoice]:
        """What a customer has to pay, which a filter keeps to."""
        query = Invoice.by_status.query(status="OPEN")
        return query.filter((F("user_id") == user_id) & F("link").exists())
