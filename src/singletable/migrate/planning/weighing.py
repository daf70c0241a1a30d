"""What came of a sample, added up: so that it may be of any length, and memory holds a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable.cost.images import image_units
from singletable.cost.specimens import entry_of
from singletable.engine.capacity import write_units
from singletable.migrate.items import Draft
from singletable.model.large import as_bytes
from singletable.model.table import Table
from singletable.store.large.contents import PART_SIZE_BYTES_MAX
from singletable.store.writing.writes import Put
from singletable.values import Item, item_size


@dataclass(slots=True)
class Weight:
    """What the items of an entity take that came of a sample."""

    drafts: int = 0
    items: int = 0
    size_bytes: int = 0
    size_bytes_max: int = 0
    units: float = 0.0
    stored_bytes: int = 0
    content_bytes: int = 0

    def add(self, table: Table, draft: Draft) -> None:
        """Add what a draft takes, with its indexes, guards and content."""
        self.drafts += 1
        for item in draft.items:
            size = item_size(item)
            self.items += 1
            self.size_bytes += size
            self.size_bytes_max = max(size, self.size_bytes_max)
            self.units += sum(image_units(table, None, item).values())
            self.stored_bytes += size + sum(_entries(table, item))
        for part in draft.guards:
            assert isinstance(part.write, Put)
            self.units += write_units(item_size(part.write.item))
            self.stored_bytes += item_size(part.write.item)
        for stored, content in draft.contents.items():
            size = len(as_bytes(content))
            self.content_bytes += size
            if stored.path is None:
                whole, rest = divmod(size, PART_SIZE_BYTES_MAX)
                self.units += whole * write_units(PART_SIZE_BYTES_MAX) + write_units(rest)
                self.stored_bytes += size


def _entries(table: Table, item: Item) -> Iterator[int]:
    for index in table.indexes.values():
        entry = entry_of(item, index, table.primary)
        if entry:
            yield item_size(entry)
