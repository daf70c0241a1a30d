"""Items in their two forms: decoded, and the bytes that are stored and sent."""

from __future__ import annotations

from singletable.values import Item, dumps, item_size, loads

from .schema import Table
from .storage import Connection


class Image:
    """Holds an item; each form is made from the other when it is first asked for."""

    __slots__ = ("_data", "_item", "_size")

    def __init__(
        self, item: Item | None = None, data: bytes | None = None, size: int | None = None
    ) -> None:
        self._item = item
        self._data = data
        self._size = size

    @property
    def item(self) -> Item:
        """Give the item decoded; treat it as frozen."""
        if self._item is None:
            assert self._data is not None
            self._item = loads(self._data)
        return self._item

    @property
    def data(self) -> bytes:
        """Give the stored form."""
        if self._data is None:
            assert self._item is not None
            self._data = dumps(self._item)
        return self._data

    @property
    def size(self) -> int:
        """Give the size as DynamoDB counts it."""
        if self._size is None:
            self._size = item_size(self.item)
        return self._size

    def equals(self, other: Image) -> bool:
        """Tell whether two images are of one item, whatever the order of its attributes."""
        if self.size != other.size:
            return False
        return self.data == other.data or self.item == other.item


class Row(Image):
    """Is an item as it stands in the table."""

    __slots__ = ("id",)

    def __init__(self, identity: int, size: int, data: bytes) -> None:
        self._item = None
        self._data = data
        self._size = size
        self.id = identity


def find_row(tx: Connection, table: Table, key: bytes) -> Row | None:
    """Read one row, as the transaction sees it."""
    found = tx.execute(table.sql.find, (key,)).fetchone()
    return Row(*found) if found else None
