"""A design described: all that the formats write, worked out once from a store and its traces."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.model.table import Table
from singletable.store.store import Store
from singletable.store.tracing import Trace, trace

from .chart import EntityChart, entity_charts, summary
from .partitions import Layout, layouts
from .patterns import PatternChart, pattern_charts
from .relations import Relation, relations
from .specimens import Specimen, specimens


@dataclass(frozen=True, slots=True)
class Description:
    """What is known of a design."""

    store: type[Store]
    purpose: str
    table: Table
    entities: tuple[EntityChart, ...]
    patterns: tuple[PatternChart, ...]
    relations: tuple[Relation, ...]
    layouts: tuple[Layout, ...]
    samples: dict[str, tuple[Specimen, ...]]
    """Sample items by the type of their entity."""
    traces: tuple[Trace, ...]

    @property
    def name(self) -> str:
        """Give the name of the store."""
        return self.store.__name__


def description(store: type[Store]) -> Description:
    """Describe the design of a store; sends nothing."""
    table, traces = store.table, trace(store)
    samples = specimens(table)
    return Description(
        store=store,
        purpose=summary(store.__doc__),
        table=table,
        entities=entity_charts(table, samples),
        patterns=pattern_charts(table, traces),
        relations=relations(table, traces),
        layouts=layouts(table, samples),
        samples=samples,
        traces=tuple(traces),
    )
