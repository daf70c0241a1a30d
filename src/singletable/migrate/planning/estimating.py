"""What a migration takes, from what came of a sample: items, units, money, time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from singletable.cost.prices import Prices

from .results import EntityPlan, Estimate
from .sampling import Sample
from .weighing import Weight

GB = 1024**3


@dataclass(slots=True)
class Sum:
    """Adds up what an entity takes, scaled to all rows; sizes are those of the samples."""

    items: float = 0.0
    units: float = 0.0
    stored_bytes: float = 0.0
    content_bytes: float = 0.0
    weighed: int = 0
    size_bytes: int = 0
    size_bytes_max: int = 0

    def add(self, weight: Weight, scale: float) -> None:
        """Add what came of a sample."""
        self.items += scale * weight.items
        self.units += scale * weight.units
        self.stored_bytes += scale * weight.stored_bytes
        self.content_bytes += scale * weight.content_bytes
        self.weighed += weight.items
        self.size_bytes += weight.size_bytes
        self.size_bytes_max = max(weight.size_bytes_max, self.size_bytes_max)


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a migration may be."""

    workers: int
    units_per_s: float | None
    """Of all workers together."""


def sums(samples: Iterable[Sample]) -> dict[str, Sum]:
    """Add up what came of samples, by entity."""
    found: dict[str, Sum] = defaultdict(Sum)
    for sample in samples:
        for name, weight in sample.made.items():
            found[name].add(weight, sample.scale)
    return dict(sorted(found.items()))


def entities(found: Mapping[str, Sum]) -> Iterator[EntityPlan]:
    """Tell what is to be expected of each entity."""
    for name, one in found.items():
        yield EntityPlan(
            entity=name,
            items=round(one.items),
            size_bytes_mean=round(one.size_bytes / one.weighed),
            size_bytes_max=one.size_bytes_max,
            write_units=one.units / one.items,
            content_bytes=round(one.content_bytes),
        )


def estimate(
    found: Mapping[str, Sum], samples: Iterable[Sample], pace: Pace, prices: Prices
) -> Estimate:
    """Tell what all of it takes."""
    units = sum(one.units for one in found.values())
    stored = sum(one.stored_bytes for one in found.values())
    transforming = sum(one.took_s * one.scale for one in samples) / pace.workers
    rows = sum(one.rows for one in samples)
    writing = units / pace.units_per_s if pace.units_per_s else 0.0
    return Estimate(
        items=round(sum(one.items for one in found.values())),
        write_units=units,
        price=units / 1e6 * prices.per_million_write_units,
        storage_bytes=round(stored),
        storage_price=stored / GB * prices.per_gb_month,
        content_bytes=round(sum(one.content_bytes for one in found.values())),
        currency=prices.currency,
        region=prices.region,
        as_of=prices.as_of,
        rows_per_s=rows / transforming if transforming else 0.0,
        units_per_s=pace.units_per_s,
        time_s=max(transforming, writing),
    )
