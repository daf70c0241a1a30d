"""What a migration takes, from what came of a sample: items, units, money, time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from singletable.cost.images import image_units
from singletable.cost.prices import Prices
from singletable.cost.specimens import entry_of
from singletable.engine.capacity import write_units
from singletable.migrate.items import Draft
from singletable.model.large import as_bytes
from singletable.model.table import Table
from singletable.store.large.contents import PART_SIZE_BYTES_MAX
from singletable.store.writing.writes import Put
from singletable.values import Item, item_size

from .results import EntityPlan, Estimate
from .sampling import Sample

GB = 1024**3


@dataclass(slots=True)
class Sum:
    """Adds up what an entity takes."""

    items: float = 0.0
    sizes: list[int] = field(default_factory=list)
    units: float = 0.0
    stored: float = 0.0
    content: float = 0.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Is how fast a migration may be."""

    workers: int
    units_per_s: float | None
    """Of all workers together."""


def sums(table: Table, samples: Iterable[Sample]) -> dict[str, Sum]:
    """Add up what the drafts of samples take, by entity, scaled to all rows."""
    found: dict[str, Sum] = defaultdict(Sum)
    for sample in samples:
        for draft in sample.drafts:
            _add(found[draft.entity.__schema__.name], table, draft, sample.scale)
    return dict(sorted(found.items()))


def entities(found: Mapping[str, Sum]) -> Iterator[EntityPlan]:
    """Tell what is to be expected of each entity."""
    for name, one in found.items():
        yield EntityPlan(
            entity=name,
            items=round(one.items),
            size_bytes_mean=round(sum(one.sizes) / len(one.sizes)),
            size_bytes_max=max(one.sizes),
            write_units=one.units / one.items,
            content_bytes=round(one.content),
        )


def estimate(
    found: Mapping[str, Sum], samples: Iterable[Sample], pace: Pace, prices: Prices
) -> Estimate:
    """Tell what all of it takes."""
    units = sum(one.units for one in found.values())
    stored = sum(one.stored for one in found.values())
    transforming = sum(one.took_s * one.scale for one in samples) / pace.workers
    rows = sum(one.rows for one in samples)
    writing = units / pace.units_per_s if pace.units_per_s else 0.0
    return Estimate(
        items=round(sum(one.items for one in found.values())),
        write_units=units,
        price=units / 1e6 * prices.per_million_write_units,
        storage_bytes=round(stored),
        storage_price=stored / GB * prices.per_gb_month,
        content_bytes=round(sum(one.content for one in found.values())),
        currency=prices.currency,
        region=prices.region,
        as_of=prices.as_of,
        rows_per_s=rows / transforming if transforming else 0.0,
        units_per_s=pace.units_per_s,
        time_s=max(transforming, writing),
    )


def _add(total: Sum, table: Table, draft: Draft, scale: float) -> None:
    for item in draft.items:
        total.items += scale
        total.sizes.append(item_size(item))
        total.units += scale * sum(image_units(table, None, item).values())
        total.stored += scale * (item_size(item) + sum(_entries(table, item)))
    for part in draft.guards:
        assert isinstance(part.write, Put)
        total.units += scale * write_units(item_size(part.write.item))
        total.stored += scale * item_size(part.write.item)
    for stored, content in draft.contents.items():
        size = len(as_bytes(content))
        total.content += scale * size
        if stored.path is None:
            whole, rest = divmod(size, PART_SIZE_BYTES_MAX)
            total.units += scale * (whole * write_units(PART_SIZE_BYTES_MAX) + write_units(rest))
            total.stored += scale * size


def _entries(table: Table, item: Item) -> Iterator[int]:
    for index in table.indexes.values():
        entry = entry_of(item, index, table.primary)
        if entry:
            yield item_size(entry)
