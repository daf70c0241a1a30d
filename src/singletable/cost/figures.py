"""The figures of a design: how large its items are, and how many of them a read finds.

They come from the models and the assumptions, until the traffic or a measurement says better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from math import prod
from typing import Any, Literal, get_args, get_origin

from singletable.model.reads import BatchGet, Between, Collection, Get, Query, Scan
from singletable.model.schema import COPY, Schema
from singletable.model.views import Slot, View
from singletable.store.store import Store
from singletable.store.tracing import Trace, trace

from .assumptions import Assumptions
from .fillers import is_id
from .ranges import Range, page_items, range_of
from .specimens import Sizes, Specimen, specimen
from .traffic import Traffic

Counts = Mapping[Schema, float]


@dataclass(frozen=True)
class Figures:
    """A design with what is known, or assumed, of its items."""

    store: type[Store]
    traffic: Traffic = field(default_factory=Traffic.none)
    assumptions: Assumptions = field(default_factory=Assumptions)
    sizes: Mapping[str, Sizes] = field(default_factory=dict)
    """What was measured, by the name of the entity."""

    @cached_property
    def traces(self) -> list[Trace]:
        """Trace the access patterns."""
        return trace(self.store)

    @cached_property
    def schemas(self) -> tuple[Schema, ...]:
        """Give the entities of the table."""
        return tuple(self.store.table.entities.values())

    @property
    def are_sizes_known(self) -> bool:
        """Tell whether every entity's size was measured, or is told by the traffic."""
        known = {*self.sizes, *(name for name, one in self.traffic.entities.items() if one.bytes)}
        return known.issuperset(schema.name for schema in self.schemas)

    @cached_property
    def _specimens(self) -> dict[str, Specimen]:
        return {}

    def specimen(self, schema: Schema) -> Specimen:
        """Give the specimen of an entity, as large as its items are known to be."""
        made = self._specimens.get(schema.name)
        if made is None:
            told = self.traffic.entity(schema.name)
            sizes = self.sizes.get(schema.name, Sizes(told.bytes) if told.bytes else None)
            contents = {**told.contents(schema.large), **(sizes.contents if sizes else {})}
            made = specimen(schema, self.assumptions, contents)
            made = made.with_sizes(sizes) if sizes else made
            self._specimens[schema.name] = made
        return made

    def counts(self, traced: Trace, over: Range | None = None) -> Counts:
        """Give how many items of each entity one call of a pattern reads."""
        read = traced.read
        if isinstance(read, Get):
            return {read.key.schema: 1}
        told = self.traffic.pattern(traced.pattern.name).items
        if isinstance(told, Mapping):
            return {one: told[one.name] for one in self.schemas if one.name in told}
        if isinstance(read, BatchGet):
            return self._batch(read, told)
        over = over or range_of(traced)
        most = _most(traced, over)
        found = {one: min(self._there(read, one), number) for one, number in most.items()}
        page = page_items(traced, over)
        if told is None and page is not None:
            told = min(page, sum(most.values()))
        return found if told is None else _spread(told, found)

    def _there(self, read: Any, schema: Schema) -> float:
        """Give how many items a read finds of an entity if nothing bounds them: a scan, all."""
        known = self.traffic.entity(schema.name).items if isinstance(read, Scan) else None
        return float(self.assumptions.items if known is None else known)

    def _batch(self, read: BatchGet[Any], told: float | None) -> Counts:
        number = self.assumptions.items if told is None else told
        schemas = [get.key.schema for get in read.gets]
        return {one: number * schemas.count(one) / len(schemas) for one in schemas}


def _most(traced: Trace, over: Range) -> dict[Schema, float]:
    """Give how many items of each entity stand in a range at most, as far as their keys tell."""
    known = _known(traced)
    single = set(_single(traced.read.view)) if isinstance(traced.read, Collection) else set()
    entities = (*over.wanted, *over.others)
    if _is_one_key(traced, over):
        return dict.fromkeys(entities, 1.0)
    return {one: 1.0 if one in single else items_max(one, known) for one in entities}


def _is_one_key(traced: Trace, over: Range) -> bool:
    """Tell whether a query names one whole key, with a sort key, under which one item stands."""
    read = traced.read
    if not isinstance(read, Query) or read.comparison or not read.keys.sk or over.others:
        return False
    return _known(traced) >= set(read.keys.fields)


def _known(traced: Trace) -> set[str]:
    """Name the fields of which a pattern knows the value, and not only a span."""
    return {name for name, value in traced.known.items() if not isinstance(value, Between)}


def items_max(schema: Schema, known: Iterable[str]) -> float:
    """Give how many items at most share what is known; infinite if nothing bounds them."""
    known = set(known)
    if any(is_id(schema.fields[name].default_factory) for name in known & {*schema.fields}):
        return 1.0
    open_fields = [name for name in schema.key_fields if name not in known and name != COPY]
    return prod(_options(schema.fields[name].annotation) for name in open_fields)


def _options(annotation: Any) -> float:
    """Give how many values a type has."""
    if get_origin(annotation) is Literal:
        return float(len(get_args(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return float(len(annotation))
    return 2.0 if annotation is bool else float("inf")


def _spread(total: float, found: Counts) -> Counts:
    """Spread a number of items over entities; there is no more than one of what there is one of."""
    if not any(found.values()):
        return found
    several = {one: number for one, number in found.items() if number != 1}
    if not several or total <= len(found):
        scale = total / sum(found.values())
        return {one: number * scale for one, number in found.items()}
    scale = (total - (len(found) - len(several))) / sum(several.values())
    return {one: number * scale if one in several else 1.0 for one, number in found.items()}


def _single(view: View[Any]) -> Iterator[Schema]:
    """Give the entities that a view has one of at most."""
    for slot in view.slots:
        if slot.container is None:
            yield from _of_slot(slot)


def _of_slot(slot: Slot) -> Iterator[Schema]:
    if slot.view is not None:
        yield from _single(slot.view)
    for entity in slot.entities:
        yield from entity.__schema__.family.values()
