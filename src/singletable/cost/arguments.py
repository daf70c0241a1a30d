"""Arguments for access patterns: found in items that are in the table, or read from a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from singletable.errors import UsageError
from singletable.model.entity import Entity
from singletable.model.keys import Keys
from singletable.model.reads import BatchGet, Between, Query
from singletable.store.store import Store
from singletable.store.tracing import Trace

Arguments = dict[str, Any]
BATCH_MAX = 10
"""How many items a batch is tried with."""


def found_arguments(trace: Trace, entities: Sequence[Entity]) -> Iterator[Arguments]:
    """Give arguments with which a pattern finds items like these; none where it finds none."""
    names = {schema.name for schema in trace.entities}
    mine = [one for one in entities if one.__schema__.name in names]
    if isinstance(trace.read, BatchGet):
        yield from _batched(trace, mine)
        return
    if not trace.arguments:
        yield {}
        return
    seen: list[Arguments] = []
    for entity in mine:
        found = dict(_told(trace, entity))
        arguments = {**trace.arguments, **found}
        if None not in found.values() and arguments not in seen:
            seen.append(arguments)
            yield arguments


def _told(trace: Trace, entity: Entity) -> Iterator[tuple[str, Any]]:
    """Give the parameters that stand for fields of an entity; None where it has no value."""
    for field, sample in trace.known.items():
        value = getattr(entity, field, None)
        ends = (sample.low, sample.high) if isinstance(sample, Between) else (sample,)
        for end in ends:
            source = trace.source(end)
            if source is not None:
                yield source, value
    if isinstance(trace.read, Query) and trace.read.comparison:
        field = _compared(trace.read.keys, trace.known)
        for operand in trace.read.comparison[1]:
            source = trace.source(operand)
            if source is not None:
                yield source, getattr(entity, field, None)


def _compared(keys: Keys, known: Mapping[str, Any]) -> str:
    """Name the field that a comparison is about: the first of the sort key that is not known."""
    fields = (name for part in keys.sk for name in part.fields)
    return next((name for name in fields if name not in known), "")


def _batched(trace: Trace, entities: Sequence[Entity]) -> Iterator[Arguments]:
    """Give arguments of which lists have the values of several entities."""
    arguments = dict(trace.arguments)
    for name, sample in trace.arguments.items():
        for field, value in trace.known.items():
            if sample == value and entities:
                arguments[name] = getattr(entities[0], field)
            elif isinstance(sample, list | tuple | set) and value in sample:
                values = (getattr(one, field) for one in entities[:BATCH_MAX])
                arguments[name] = type(sample)(dict.fromkeys(values))
    if entities:
        yield arguments


def load_arguments(path: str | Path, store: type[Store]) -> dict[str, list[Arguments]]:
    """Read a JSON file that has, for patterns, their arguments: one set, or a list of sets."""
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise UsageError(
            f"The arguments file {path} cannot be read: {getattr(fault, 'strerror', fault)}"
        ) from None
    if not isinstance(content, dict):
        raise UsageError(f"The arguments file {path} is an object: pattern → arguments")
    unknown = [name for name in content if name not in store.patterns]
    if unknown:
        known = ", ".join(store.patterns)
        raise UsageError(f"{path}: {store.__name__} has no pattern {unknown[0]!r}, only {known}")
    return {
        name: [_typed(store, name, one) for one in (sets if isinstance(sets, list) else [sets])]
        for name, sets in content.items()
    }


def _typed(store: type[Store], name: str, given: Any) -> Arguments:
    """Make of JSON's values what the pattern's parameters are declared as."""
    hints = get_type_hints(store.patterns[name].method, include_extras=True)
    try:
        return {
            parameter: TypeAdapter(hints.get(parameter, Any)).validate_python(value)
            for parameter, value in dict(given).items()
        }
    except (ValidationError, TypeError, ValueError) as fault:
        raise UsageError(f"The arguments of {name} do not fit: {fault}") from None
