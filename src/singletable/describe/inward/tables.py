"""From a foreign table with sample items to the draft of a design."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.errors import UsageError

from .drafts import DesignDraft, EntityDraft, IndexDraft, PatternDraft, TableDraft, slots
from .foreign import ForeignModel, ForeignTable
from .grouping import Kind, delimiter_of, kinds_of, type_attribute_of
from .inference import Conventions, Inference, NoTemplate
from .names import snake

TYPE_ATTRIBUTES = ("Type", "EntityType", "SingletableType")
"""What the attribute is called that tells the type, where the items have none."""


def inferred(model: ForeignModel) -> DesignDraft:
    """Infer the design of a model from its sample items."""
    tables = tuple(_table(table) for table in model.tables)
    return DesignDraft(model.name, model.purpose, tables)


def _table(table: ForeignTable) -> TableDraft:
    if not table.items:
        raise UsageError(
            f"{table.name} has no sample items, and keys are inferred from them: add some"
        )
    conventions = Conventions(delimiter_of(table), type_attribute_of(table))
    notes = list(table.notes)
    notes += [f"{one.name} has no sample items." for one in table.groups if not one.items]
    entities: list[EntityDraft] = []
    for kind in kinds_of(table, conventions.type_attribute, conventions.delimiter):
        entities += _entity(table, kind, conventions, notes)
    return TableDraft(
        name=table.name,
        primary=table.primary,
        indexes=table.indexes,
        type_attribute=conventions.type_attribute or free_type_attribute(entities),
        delimiter=conventions.delimiter,
        entities=tuple(entities),
        patterns=tuple(pattern for entity in entities for pattern in _patterns(entity)),
        notes=tuple(notes),
    )


def _entity(
    table: ForeignTable, kind: Kind, conventions: Conventions, notes: list[str]
) -> Iterator[EntityDraft]:
    inference = Inference(table, kind, conventions)
    try:
        yield inference.entity()
    except NoTemplate as fault:
        notes.append(f"{kind.name} is left out: {fault}.")
    notes += [f"{note}." for note in inference.notes]


def free_type_attribute(entities: list[EntityDraft]) -> str:
    """Name an attribute for the type that no field has."""
    taken = {field.attribute for entity in entities for field in entity.fields}
    return next(name for name in TYPE_ATTRIBUTES if name not in taken)


def _patterns(entity: EntityDraft) -> Iterator[PatternDraft]:
    """Give the patterns that any entity has: by its key, and by each index."""
    types = {field.name: field.type for field in entity.fields}
    key = slots(entity.pk, entity.sk)
    given = tuple((name, types[name]) for name, _ in key)
    name = snake(entity.name)
    yield PatternDraft(
        f"get_{name}",
        f"One {entity.name}, by its key.",
        given,
        f"Get[{entity.name}]",
        f"{entity.name}.get",
        _arguments(given),
    )
    for index in entity.indexes:
        told = _told(index, entity)
        if told is not None:
            known = tuple((field, types[field]) for field in told)
            yield PatternDraft(
                f"{name}_by_{index.label}",
                f"Every {entity.name} of a partition of {index.index}.",
                known,
                f"Query[{entity.name}]",
                f"{entity.name}.{index.label}.query",
                _arguments(known),
            )


def _told(index: IndexDraft, entity: EntityDraft) -> list[str] | None:
    """Name what a query of an index has to know; None where that is a span of time."""
    own = entity.sk if index.pk is None else index.pk
    if isinstance(own, tuple):
        return list(own)
    found = slots(own)
    if any("%" in spec for _, spec in found):
        return None
    return [name for name, spec in found if not spec.startswith("shard")]


def _arguments(given: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return tuple(f"{name}={name}" for name, _ in given)
