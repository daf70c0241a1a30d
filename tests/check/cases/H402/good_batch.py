"""What is given as a list is given by the caller, too."""

from singletable import BatchGet, Entity, Store, Table, get_many, pattern

table = Table("products")


class Product(Entity, table=table, pk="PRODUCT#{sku}", sk="PRODUCT"):
    """A product."""

    sku: str


class Products(Store, table=table):
    """The patterns of the products."""

    @pattern()
    def products(self, skus: list[str]) -> BatchGet[Product]:
        """Some products."""
        return get_many(Product.get(sku=sku) for sku in skus)
