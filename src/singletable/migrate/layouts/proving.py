"""Whether two layouts can stand in one table: proved from their templates, before anything is done.

While both are there, who reads the one must never meet items of the other: neither under one key,
nor within the range of a query, in the table or in any index. And what keeps a value unique for the
one must not refuse it to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from singletable.check.design import Design
from singletable.check.reach import meet, reach_of, whole
from singletable.errors import DesignError
from singletable.migrate.makes import named_by
from singletable.migrate.migration import Migration
from singletable.model.schema import Schema
from singletable.store.tracing import Trace
from singletable.store.writing.uniqueness import UniqueRule


def must_not_meet(migration: type[Migration[Any]]) -> None:
    """Refuse a change of layout in which old and new items could be taken for each other."""
    found = list(faults(migration))
    if found:
        raise DesignError(f"{migration.__name__} cannot be done in place: {'; '.join(found)}")


def faults(migration: type[Migration[Any]]) -> Iterator[str]:
    """Say what stands in the way of both layouts in one table."""
    table = migration.store.table
    unknown = [kind for kind in migration.rules if kind not in table.entities]
    if unknown:
        yield f"the design has no entity of the type {', '.join(unknown)}: keep the old classes"
        return
    old = [table.entities[kind] for kind in migration.rules]
    new = list(_made(migration))
    if not new:
        yield "its rules name no entity that they make: name the new classes in them"
    for one, other in product(old, new):
        yield from _kinship(one, other)
    for schema in new:
        yield from _shared_keys(schema)
        yield from (
            f"{schema.name}.{field} is Large, and content is not moved: leave it to a migration "
            "into another table"
            for field in schema.large
        )
    yield from _met(Design(migration.store), old, new)


def _made(migration: type[Migration[Any]]) -> Iterator[Schema]:
    """Give the entities that the rules make, by their names there; what they read is not made."""
    table = migration.store.table
    names = {name for rule in migration.rules.values() for name in named_by(migration, rule)}
    for schema in table.entities.values():
        if schema.name in names and schema.type not in migration.rules:
            yield schema


def _kinship(old: Schema, new: Schema) -> Iterator[str]:
    if old.name in new.kinds:
        yield (
            f"{new.name} is derived from {old.name}, so whoever asks for the old ones gets the "
            "new ones, too: declare it on its own"
        )
    marks = {str(UniqueRule.of(old, field).mark): field for field in old.unique}
    for field in new.unique:
        if str(UniqueRule.of(new, field).mark) in marks:
            yield (
                f"{old.name} and {new.name} share the guards of {field}: declare it Unique in each "
                "of them, not in a common base"
            )


def _shared_keys(new: Schema) -> Iterator[str]:
    for other in new.table.entities.values():
        key = None if other is new else meet(whole(new.keys), whole(other.keys))
        if key is not None:
            yield (
                f"{new.name} and {other.name} can both have the key {key!r}: begin the keys of "
                f"{new.name} with another word"
            )


def _met(design: Design, old: list[Schema], new: list[Schema]) -> Iterator[str]:
    for trace in design.planned:
        asked = set(trace.entities)
        if not asked.isdisjoint(old) and not asked.isdisjoint(new):
            yield f"{trace.pattern.name}() asks for both layouts"
            continue
        apart = old if not asked.isdisjoint(new) else new
        yield from _touched(design, trace, apart)


def _touched(design: Design, trace: Trace, apart: list[Schema]) -> Iterator[str]:
    reach = reach_of(trace)
    if reach is None:
        return
    for schema, keys in design.keys_in(reach.index.name):
        key = reach.touches(keys) if schema in apart else None
        if key is not None:
            where = reach.index.name or "the table"
            yield (
                f"{trace.pattern.name}() also reads {schema.name}, such as {key!r}, in {where}: "
                f"begin the keys of one of them with another word there"
            )
