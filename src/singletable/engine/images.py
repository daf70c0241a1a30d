"""Items in their two forms: decoded, and the bytes that are stored and sent."""

from __future__ import annotations

from singletable.values import CanonicalItem, Item, dumps, loads

from .connections import Connection, blob
from .schema import Table


class Image:
    """An item in both forms, with its size as DynamoDB counts it."""

    __slots__ = ("_item", "data", "size")

    _item: Item | None
    data: bytes
    """The stored form."""
    size: int

    def __init__(self, item: Item, size: int) -> None:
        self._item = item
        self.data = item.data if type(item) is CanonicalItem else dumps(item)
        self.size = size

    @property
    def item(self) -> Item:
        """Give the item decoded; treat it as frozen."""
        if self._item is None:
            self._item = loads(self.data)
        return self._item

    def equals(self, other: Image) -> bool:
        """Tell whether two images are of one item, whatever the order of its attributes."""
        if self.size != other.size:
            return False
        return self.data == other.data or self.item == other.item


class Row(Image):
    """An item as it stands in the table, decoded when that is first asked for."""

    __slots__ = ("id",)

    def __init__(self, identity: int, size: int, data: bytes) -> None:
        self._item = None
        self.data = data
        self.size = size
        self.id = identity


def find_row(tx: Connection, table: Table, key: bytes) -> Row | None:
    """Read one row, as the transaction sees it."""
    found = tx.execute(table.sql.find, (blob(key),)).fetchone()
    return Row(*found) if found else None
