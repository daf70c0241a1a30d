"""Questions as they come to mind."""

from singletable import Entity, F, Get, Query, Scan, Store, Table, pattern

table = Table("sales")


class Sale(Entity, table=table, pk="SHOP#{shop_id}", sk="SALE#{sale_id}"):
    """A sale."""

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

    @pattern()
    def of_product(self, shop_id: str, product: str) -> Query[Sale]:
        """The sales of a product."""
        return Sale.query(shop_id=shop_id).filter(F("product") == product)

    @pattern()
    def above(self, cents: int) -> Scan[Sale]:
        """The sales above a price."""
        return Sale.scan().filter(F("cents") > cents)
