"""What it costs to replace one image of an item by another: on the table, and on each index.

An index is charged for what it holds of the item: nothing if that stays as it is, once if it comes,
goes or changes in place, twice if its key changes, since it then goes and comes.
"""

from __future__ import annotations

from singletable.engine.capacity import write_units
from singletable.model.table import Table, TableIndex
from singletable.values import Item, item_size

from .specimens import Specimen, entry_of

Units = dict[str | None, float]
"""Write units of the table (None) and of its indexes."""
Image = tuple[Item | None, Specimen | None]
"""An item before or after a write, and what says how large it is."""
GONE: Image = (None, None)


def image_units(
    table: Table, before: Item | None, after: Item | None, like: Specimen | None = None
) -> Units:
    """Give the units of replacing one image by another; a like specimen says how large they are."""
    sizes = [size_of(image, like) for image in (before, after) if image is not None]
    units: Units = {None: write_units(max(sizes, default=0))}
    if before == after:
        return units
    for name, index in table.indexes.items():
        old = entry_of(before, index, table.primary) if before else None
        new = entry_of(after, index, table.primary) if after else None
        same = old and new and all(old[key] == new[key] for key in index.attributes)
        if same and old == new:
            continue
        entries = [write_units(_entry_size(one, index, like)) for one in (old, new) if one]
        if entries:
            units[name] = max(entries) if same else sum(entries)
    return units


def size_of(item: Item, like: Specimen | None) -> int:
    """Give the size of an item, or what it is if its like is known to be larger."""
    return like.size_of(item) if like else item_size(item)


def _entry_size(entry: Item, index: TableIndex, like: Specimen | None) -> int:
    return like.entry_size_of(entry, index) if like else item_size(entry)
