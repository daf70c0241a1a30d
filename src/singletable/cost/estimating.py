"""The estimate of a design: what its patterns and writes consume, what it stores, what that costs.

It is made from the figures alone and sends nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from singletable.model.schema import Schema
from singletable.store.tracing import Trace

from .bills import Bill
from .contents import Content, contents_of
from .figures import Figures
from .prices import Prices
from .reading import ReadCost, read_cost
from .writing import WriteCost, guard_sizes, write_costs

ITEM_OVERHEAD_BYTES = 100
"""What storage is charged for each item, and each entry of an index, beside its size."""


@dataclass(frozen=True, slots=True)
class PatternCost:
    """What one access pattern consumes; a fault says why it cannot run at all."""

    name: str
    operation: str
    index: str | None
    cost: ReadCost | None
    fault: str | None
    rate_per_s: float | None
    filtered: bool = False

    @property
    def units(self) -> float:
        """Give the read units of a call."""
        return self.cost.units if self.cost else 0.0

    @property
    def units_per_s(self) -> float:
        """Give the read units of a second."""
        return self.units * (self.rate_per_s or 0.0)


@dataclass(frozen=True, slots=True)
class EntityCost:
    """What the items of one entity take to write and to store."""

    name: str
    size: int
    entries: Mapping[str, int]
    """The size of an item's entry in each index that it is in."""
    writes: tuple[WriteCost, ...]
    rates: Mapping[str, float]
    """How often each write happens in a second."""
    items: float | None
    copies: int = 1
    guards: tuple[int, ...] = ()
    contents: tuple[Content, ...] = ()
    loads_per_s: float = 0.0

    @property
    def stored_bytes(self) -> float:
        """Give what one item takes of the storage: itself, its entries, its guards, its parts."""
        own = (self.size, *self.entries.values())
        charged = sum(size + ITEM_OVERHEAD_BYTES for size in own) * self.copies
        parts = (size for one in self.contents for size in one.parts)
        return charged + sum(size + ITEM_OVERHEAD_BYTES for size in (*self.guards, *parts))

    @property
    def write_units_per_s(self) -> float:
        """Give the write units of a second."""
        return sum(self.rates.get(one.name, 0.0) * one.units for one in self.writes)

    @property
    def read_units_per_s(self) -> float:
        """Give the read units of a second, for what writes read first, and for loads."""
        loads = self.loads_per_s * sum(one.read_units for one in self.contents)
        return loads + sum(self.rates.get(one.name, 0.0) * one.read_units for one in self.writes)


@dataclass(frozen=True)
class Estimate:
    """What a design costs."""

    figures: Figures
    prices: Prices
    patterns: tuple[PatternCost, ...]
    entities: tuple[EntityCost, ...]

    @property
    def name(self) -> str:
        """Name the design by its store."""
        return self.figures.store.__name__

    @cached_property
    def read_units_per_s(self) -> float:
        """Give the read units of a second, retries included."""
        reads = sum(one.units_per_s for one in self.patterns)
        return self.again * (reads + sum(one.read_units_per_s for one in self.entities))

    @cached_property
    def write_units_per_s(self) -> float:
        """Give the write units of a second, retries included."""
        return self.again * sum(one.write_units_per_s for one in self.entities)

    @property
    def again(self) -> float:
        """Tell how often a request is sent and paid for, on average."""
        return 1.0 + self.figures.traffic.retries

    @cached_property
    def storage_bytes(self) -> float:
        """Give the bytes that are charged for."""
        return sum(one.stored_bytes * (one.items or 0.0) for one in self.entities)

    @cached_property
    def bill(self) -> Bill:
        """Give what a month costs."""
        bill = self.billed(self.read_units_per_s, self.write_units_per_s, self.storage_bytes)
        return bill.with_streams(self.prices, self.figures.traffic.stream.reads_per_s)

    def billed(self, reads_per_s: float, writes_per_s: float, storage_bytes: float = 0.0) -> Bill:
        """Give what a month of some units costs."""
        utilisation = self.figures.assumptions.utilisation
        return Bill.of(self.prices, reads_per_s, writes_per_s, storage_bytes, utilisation)


def estimate(figures: Figures, prices: Prices) -> Estimate:
    """Estimate what a design costs."""
    figures.traffic.check(figures.store)
    return Estimate(
        figures,
        prices,
        tuple(_pattern(traced, figures) for traced in figures.traces),
        tuple(_entity(schema, figures) for schema in figures.schemas),
    )


def _pattern(traced: Trace, figures: Figures) -> PatternCost:
    pattern = traced.pattern
    told = figures.traffic.pattern(pattern.name).rate_per_s
    return PatternCost(
        pattern.name,
        traced.kind,
        traced.index,
        cost=None if traced.fault else read_cost(traced, figures),
        fault=str(traced.fault) if traced.fault else None,
        rate_per_s=pattern.rate_per_s if told is None else told,
        filtered=getattr(traced.read, "condition", None) is not None,
    )


def _entity(schema: Schema, figures: Figures) -> EntityCost:
    specimen = figures.specimen(schema)
    sizes = {name: specimen.entry_size(one) for name, one in schema.table.indexes.items()}
    writes = write_costs(schema, figures)
    return EntityCost(
        schema.name,
        size=specimen.size,
        entries={name: size for name, size in sizes.items() if size is not None},
        writes=writes,
        rates=_rates(schema, figures, writes),
        items=figures.traffic.entity(schema.name).items,
        copies=schema.copies or 1,
        guards=guard_sizes(schema, figures),
        contents=contents_of(specimen),
        loads_per_s=figures.traffic.entity(schema.name).loads_per_s or 0.0,
    )


def _rates(schema: Schema, figures: Figures, writes: tuple[WriteCost, ...]) -> dict[str, float]:
    """Spread what the traffic says over the kinds of writes."""
    told = figures.traffic.entity(schema.name)
    create, *updates, delete = writes
    plain = min(updates, key=_units, default=create)
    dearer = max(create, plain, key=_units) if plain.name == "update" else create
    rates: dict[str, float] = defaultdict(float)
    for rate, kind in (
        (told.writes_per_s, dearer),
        (told.creates_per_s, create),
        (told.deletes_per_s, delete),
    ):
        rates[kind.name] += rate or 0.0
    if isinstance(told.updates_per_s, Mapping):
        named = {one.name for one in updates}
        for field_, rate in told.updates_per_s.items():
            name = f"update of {field_}"
            rates[name if name in named else plain.name] += rate
    else:
        rates[plain.name] += told.updates_per_s or 0.0
    return {name: rate for name, rate in rates.items() if rate}


def _units(write: WriteCost) -> float:
    return write.units
