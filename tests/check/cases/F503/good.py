"""Questions that keys answer."""

from singletable import Entity, Get, Index, Query, Store, Table, pattern

table = Table("sales", indexes=["GSI1"])


class Sale(Entity, table=table, pk="SHOP#{shop_id}", sk="SALE#{sale_id}"):
    """A sale."""

    by_product = Index("GSI1", pk="SHOP#{shop_id}#{product}", sk="{sale_id}")

    shop_id: str
    sale_id: str
    product: str
    cents: int


class Sales(Store, table=table):
    """The patterns of the sales."""

    @pattern()
    def sale(self, shop_id: str, sale_id: str) -> Get[Sale]:
        """A sale."""
        return Sale.get(shop_id=shop_id, sale_id=sale_id)

    @pattern(page=20)
    def of_product(self, shop_id: str, product: str) -> Query[Sale]:
        """The sales of a product."""
        return Sale.by_product.query(shop_id=shop_id, product=product)

    @pattern(page=20)
    def sales(self, shop_id: str) -> Query[Sale]:
        """The sales of a shop."""
        return Sale.query(shop_id=shop_id)
