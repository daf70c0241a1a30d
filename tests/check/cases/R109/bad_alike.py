"""Lists of all users' invoices, however their partition and their order are written."""

from datetime import date, datetime
from typing import Literal

from singletable import Entity, Get, GlobalIndex, Index, Query, Store, Table, created, pattern

fields = GlobalIndex("GSI2", pk=["status"], sk=["created_at"])
table = Table("invoices", indexes=["GSI1", fields, "GSI3", "GSI4", "GSI5", "GSI6"])


class Customer(Entity, table=table, pk="USER#{user_id}", sk="CUSTOMER"):
    """A customer."""

    user_id: str


class Product(Entity, table=table, pk="PRODUCT#{product_id}", sk="PRODUCT"):
    """What is sold."""

    product_id: str


class Invoice(Entity, table=table, pk="USER#{user_id}", sk="INVOICE#{invoice_id}"):
    """An invoice to a customer."""

    by_status = Index("GSI1", pk="INVOICES#{status}", sk="{created_at}#{invoice_id}")
    by_fields = Index("GSI2", pk=["status"], sk=["created_at"])
    by_day = Index("GSI3", pk="DAY#{day}", sk="{invoice_id}")
    by_office = Index("GSI4", pk="OFFICE#{office}", sk="{created_at}#{invoice_id}")
    by_product = Index("GSI5", pk="PRODUCT#{product_id}", sk="USER#{user_id}#{invoice_id}")
    by_article = Index("GSI6", pk="PRODUCT#{article}", sk="USER#{user_id}#{invoice_id}")

    user_id: str
    invoice_id: str
    status: Literal["OPEN", "PAID"]
    day: date
    office: str
    product_id: str
    article: str
    created_at: datetime = created()


class Invoices(Store, table=table):
    """The patterns of the accounts."""

    @pattern()
    def customer(self, user_id: str) -> Get[Customer]:
        """A customer."""
        return Customer.get(user_id=user_id)

    @pattern()
    def product(self, product_id: str) -> Get[Product]:
        """What is sold."""
        return Product.get(product_id=product_id)

    @pattern(page=20)
    def with_status(self, status: Literal["OPEN", "PAID"]) -> Query[Invoice]:
        """One of a few values, in a template."""
        return Invoice.by_status.query(status=status)

    @pattern(page=20)
    def with_status_as_field(self, status: Literal["OPEN", "PAID"]) -> Query[Invoice]:
        """The same value, as the key itself."""
        return Invoice.by_fields.query(status=status)

    @pattern(page=20)
    def of_day(self, day: date) -> Query[Invoice]:
        """A time."""
        return Invoice.by_day.query(day=day)

    @pattern(page=20)
    def of_head_office(self) -> Query[Invoice]:
        """A text that the pattern says itself, so that everybody gets the same."""
        return Invoice.by_office.query(office="head")

    @pattern(page=20)
    def of_product(self, product_id: str) -> Query[Invoice]:
        """The customers come behind, and another has the partition."""
        return Invoice.by_product.query(product_id=product_id)

    @pattern(page=20)
    def of_article(self, article: str) -> Query[Invoice]:
        """The same, by another name."""
        return Invoice.by_article.query(article=article)
