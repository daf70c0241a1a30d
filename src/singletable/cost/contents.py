"""What the content of a large attribute takes: items that hold its parts, or an object.

Parts are written and deleted in batches, outside of transactions. What an object store charges for
requests and bytes is not known here: it is counted, and not priced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable.engine.capacity import read_units, write_units
from singletable.model.large import Stored
from singletable.store.large.contents import (
    DATA,
    PART_SIZE_BYTES_MAX,
    part_attributes,
    part_keys,
)
from singletable.values import item_size

from .fillers import MOMENT
from .specimens import Specimen


@dataclass(frozen=True, slots=True)
class Content:
    """The content of one large attribute that does not stand in its item."""

    field: str
    size_bytes: int
    parts: tuple[int, ...]
    """The sizes of the items that hold it; none if an object does."""

    @property
    def write_units(self) -> float:
        """Give what it takes to store it, or to delete it."""
        return sum(map(write_units, self.parts), 0.0)

    @property
    def read_units(self) -> float:
        """Give what it takes to load it."""
        return sum((read_units(size, consistent=False) for size in self.parts), 0.0)


def contents_of(specimen: Specimen) -> tuple[Content, ...]:
    """Give the contents that a specimen points at."""
    pointers = {name: specimen.values[name].stored for name in specimen.schema.large}
    return tuple(
        Content(name, stored.size_bytes, tuple(_parts(specimen, stored)))
        for name, stored in pointers.items()
        if stored is not None
    )


def _parts(specimen: Specimen, stored: Stored) -> Iterator[int]:
    table, left = specimen.schema.table, stored.size_bytes
    attributes = {**part_attributes(table, stored, MOMENT), DATA: {"B": b""}}
    for key in part_keys(table, stored):
        yield item_size({**key, **attributes}) + min(left, PART_SIZE_BYTES_MAX)
        left -= PART_SIZE_BYTES_MAX
