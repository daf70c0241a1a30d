"""How the entities of a design belong together, as far as the design says so.

An entity belongs to another whose key is part of its own; it may be counted or copied by another,
or read together with it in one view.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable.model.entity import Entity
from singletable.model.reads import Collection
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.model.views import View
from singletable.store.tracing import Trace


@dataclass(frozen=True, order=True, slots=True)
class Relation:
    """Items of one entity belong to an item of another, and how."""

    parent: str
    child: str
    label: str


def relations(table: Table, traces: list[Trace]) -> tuple[Relation, ...]:
    """Find the relations of a design, sorted, each once."""
    found = {*_contained(table), *_kept(table), *_viewed(traces)}
    return tuple(sorted(found))


def _contained(table: Table) -> Iterator[Relation]:
    """Give for each entity those whose keys are the largest parts of its own."""
    schemas = list(table.entities.values())
    for child in schemas:
        parents = [one for one in schemas if one.key_names and one.key_names < child.key_names]
        for parent in parents:
            if not any(parent.key_names < other.key_names for other in parents):
                yield Relation(parent.name, child.name, "key")


def _kept(table: Table) -> Iterator[Relation]:
    for schema in table.entities.values():
        for field, one in schema.aggregates.items():
            yield Relation(schema.name, one.entity, f"{field} {one.verb}")
        for field, copy in schema.copied.items():
            yield Relation(copy.source.__name__, schema.name, f"{field} copies {copy.field}")


def _viewed(traces: list[Trace]) -> Iterator[Relation]:
    for trace in traces:
        if isinstance(trace.read, Collection):
            yield from _in_view(trace.read.view)


def _in_view(view: View[object]) -> Iterator[Relation]:
    roots = _entities(view.root.entities if view.root else ())
    for slot in view.slots:
        inner = slot.view
        if slot is view.root:
            continue
        heads = inner.root.entities if inner and inner.root else slot.entities
        for root in roots:
            for child in _entities(heads):
                yield Relation(root.name, child.name, f"{view.shape.__name__}.{slot.name}")
        if inner is not None:
            yield from _in_view(inner)


def _entities(classes: tuple[type[Entity], ...]) -> list[Schema]:
    return [one.__schema__ for one in classes]
