"""What a call of an access pattern consumes: requests and read capacity units.

GetItem and BatchGetItem round each item up to 4 KB, and so does a snapshot, at twice the price.
Query and Scan round what a request reads. A filter or a projection expression changes nothing; an
index holds what is projected into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from singletable.engine.capacity import read_units
from singletable.engine.reading import PAGE_BYTES_MAX
from singletable.model.reads import BatchGet, Get, Query, Scan
from singletable.model.schema import Schema
from singletable.store.batches import KEYS_MAX
from singletable.store.reading.plans import GROUPS_MAX
from singletable.store.tracing import Trace

from .figures import Counts, Figures
from .ranges import Range, limited_by, page_size, range_of

SNAPSHOT_FACTOR = 2
"""How many times a strong read's units a transaction takes for an item."""


@dataclass(frozen=True, slots=True)
class ReadCost:
    """What one call reads and consumes: of a read that has pages, what one page does."""

    items: Mapping[str, float]
    """How many items are read, by entity."""
    item_bytes: Mapping[str, int]
    """How large an item is where it is read, by entity."""
    requests: int
    units: float
    consistent: bool
    over: Range
    foreign: tuple[str, ...] = ()
    """Entities whose items are read though they are not asked for."""
    limited_by: str | None = None
    """The parameter by which the caller says how many items to read."""

    @property
    def total_items(self) -> float:
        """Tell how many items are read."""
        return sum(self.items.values())

    @property
    def total_bytes(self) -> float:
        """Tell how many bytes are read."""
        return sum(number * self.item_bytes[name] for name, number in self.items.items())


def read_cost(traced: Trace, figures: Figures) -> ReadCost:
    """Give what a call of a pattern consumes; one that cannot be planned has no cost to ask for."""
    over = range_of(traced)
    counts = figures.counts(traced, over)
    index = traced.reads[0][1].index
    sizes = {one: figures.specimen(one).entry_size(index) or 0 for one in counts}
    requests, units = _consumed(traced, figures, over, counts, sizes)
    return ReadCost(
        items={one.name: number for one, number in counts.items()},
        item_bytes={one.name: size for one, size in sizes.items()},
        requests=requests,
        units=units,
        consistent=is_consistent(traced),
        over=over,
        foreign=tuple(one.name for one in over.others),
        limited_by=limited_by(traced),
    )


def is_consistent(traced: Trace) -> bool:
    """Tell whether a pattern reads strongly."""
    read: Any = traced.read
    if isinstance(read, BatchGet):
        return read.at_once or any(get.consistent for get in read.gets)
    return bool(read.consistent)


def is_snapshot(traced: Trace) -> bool:
    """Tell whether a pattern reads all its items as of one moment, in a transaction."""
    return isinstance(traced.read, BatchGet) and traced.read.at_once


def _consumed(
    traced: Trace, figures: Figures, over: Range, counts: Counts, sizes: Mapping[Schema, int]
) -> tuple[int, float]:
    consistent = is_consistent(traced)
    if isinstance(traced.read, Get | BatchGet):
        units = _each(counts, sizes, consistent=consistent)
        if is_snapshot(traced):
            return 1, units * SNAPSHOT_FACTOR
        return max(1, ceil(sum(counts.values()) / KEYS_MAX)), units
    size = sum(number * sizes[one] for one, number in counts.items())
    requests, units = _ranged(traced, over, sum(counts.values()), size)
    if is_partial(traced):
        whole = {one: figures.specimen(one).size for one in counts}
        units += _each(counts, whole, consistent=consistent)
    if isinstance(traced.read, Query) and traced.read.fetches is not None:
        target = traced.read.fetches[0]
        number = sum(counts[one] for one in over.wanted if one in counts)
        units += _each({target: number}, {target: figures.specimen(target).size}, consistent=False)
        requests += ceil(number / KEYS_MAX)
    return requests, units


def _ranged(traced: Trace, over: Range, items: float, size: float) -> tuple[int, float]:
    """Give what queries or scans of a range take, its partitions being alike."""
    read: Any = traced.read
    # A caller who says how many to read asks for them at once.
    page = ceil(items) if limited_by(traced) else page_size(traced)
    groups = over.groups[: 1 if page else GROUPS_MAX]
    parts = sum(map(len, groups)) * getattr(read, "segments", 1)
    if isinstance(read, Scan) and read.most is not None and page:
        parts = min(parts, page)
    share, number = size / parts, items / parts
    pages = max(1, ceil(share / PAGE_BYTES_MAX), ceil(number / page) if page else 1)
    units = read_units(ceil(share / pages), consistent=read.consistent) * pages * parts
    return parts * pages, units


def _each(counts: Counts, sizes: Mapping[Schema, int], *, consistent: bool) -> float:
    units = (
        number * read_units(sizes[one], consistent=consistent) for one, number in counts.items()
    )
    return sum(units)


def is_partial(traced: Trace) -> bool:
    """Tell whether the rest of each item is fetched from the table: of a local index, that is."""
    local = traced.reads[0][1].index.local
    return local and any("Select" in request for request in traced.requests)
