"""Why a pattern could not be traced, where a rule of its own explains it better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import formatannotation
from typing import Any, get_type_hints

from singletable.errors import DesignError, NoStrongRead, UsageError
from singletable.model.entity import Entity
from singletable.model.keys import Keys, slots_of
from singletable.model.paging import Paged
from singletable.model.phrases import place
from singletable.model.projections import projected_fields
from singletable.model.reads import BatchGet, Collection, Get, Query, Scan
from singletable.model.schema import Schema
from singletable.store.reading.projecting import held_by
from singletable.store.samples import kinds
from singletable.store.tracing import Trace, filtered_keys

from .design import Design
from .mentions import mentioned


def asks_strongly(trace: Trace) -> bool:
    """Tell whether a pattern asks a global index for a strongly consistent read."""
    return isinstance(trace.fault, NoStrongRead)


def filters_keys(trace: Trace) -> bool:
    """Tell whether a pattern filters by keys of what it queries."""
    return bool(filtered_keys(trace.read))


def lacking(trace: Trace) -> dict[tuple[Schema, Keys], list[str]]:
    """Name the attributes that a pattern reads and its index does not hold, by what it reads."""
    read = trace.read
    if not isinstance(read, Paged | Collection) or (isinstance(read, Query) and read.fetches):
        return {}
    missing: dict[tuple[Schema, Keys], list[str]] = {}
    for schema, keys in trace.reads:
        held = held_by(keys, schema)
        names = set() if held is None else {*_wanted(read, schema)} - {*held}
        if names:
            missing[schema, keys] = sorted(names)
    return missing


def unknown_index(trace: Trace) -> tuple[type[Entity], str] | None:
    """Give the entity that a pattern asks and the name of an index that it does not have."""
    fault = trace.fault
    if not isinstance(fault, AttributeError) or not fault.name:
        return None
    asked = fault.obj
    if isinstance(asked, type) and issubclass(asked, Entity) and asked is not Entity:
        return asked, fault.name
    return None


def is_of_keys(trace: Trace) -> bool:
    """Tell whether a pattern fails since no key is as it asks, and not for another reason."""
    if isinstance(trace.fault, DesignError):  # of a view, or of no read at all
        return "declares no index of that name" in str(trace.fault)
    return isinstance(trace.fault, UsageError) and not _asks_well(trace)


def serving(design: Design, trace: Trace) -> str | None:
    """Say which key is made of just what a pattern knows, though it does not ask so."""
    if isinstance(trace.fault, DesignError):  # of several entities, of which some lack the key
        return None
    for schema in _asked(design, trace):
        names = {*_names(trace, schema)}
        for keys in schema.all_keys:
            if _serves(keys, names) and not _asks(trace, keys, names):
                return f"{place(schema, keys)} is found by {', '.join(keys.fields[: len(names)])}"
    return None


def unknown_field(trace: Trace) -> str | None:
    """Name a field that a pattern writes, and neither an entity has nor a parameter suggests."""
    known = {*trace.arguments, *(name for schema in trace.entities for name in schema.fields)}
    return next((name for name in trace.known if name not in known), None)


def wrongly_typed(trace: Trace) -> str | None:
    """Write the parameter of which no argument can be the value of its field, as it should be."""
    hints = get_type_hints(trace.pattern.method)
    for schema, keys in trace.reads:
        for field, value in _compared(trace, keys):
            parameter = trace.source(value)
            wanted = schema.fields[field].annotation if field in schema.fields else None
            if parameter in hints and wanted and kinds(hints[parameter]).isdisjoint(kinds(wanted)):
                return f"{parameter}: {formatannotation(wanted)}"
    return None


def unsorted(trace: Trace) -> str | None:
    """Say what makes the field sort of which a pattern asks for a range, where it does not."""
    if not isinstance(trace.read, Query) or trace.read.comparison is None:
        return None
    for slot in slots_of(trace.read.keys.sk):
        if slot.field not in trace.known:
            ranges = not slot.format.ordered and trace.read.comparison[0] != "begins_with"
            return slot.format.cure(slot.field) if ranges else None
    return None


def _compared(trace: Trace, keys: Keys) -> Iterator[tuple[str, Any]]:
    """Give what a pattern knows of fields, and what it compares the one behind them with."""
    yield from trace.known.items()
    if isinstance(trace.read, Query) and trace.read.comparison:
        behind = [name for name in keys.fields if name not in trace.known]
        yield from ((name, value) for name in behind[:1] for value in trace.read.comparison[1])


def _asks_well(trace: Trace) -> bool:
    if isinstance(trace.read, Query) and trace.read.comparison is not None:
        return False
    if isinstance(trace.read, Get | BatchGet | Scan):
        return True
    return any(_serves(keys, {*trace.known}) for _, keys in trace.reads)


def _serves(keys: Keys, names: set[str]) -> bool:
    return bool(names) and keys.told <= names == {*keys.fields[: len(names)]}


def _asks(trace: Trace, keys: Keys, names: set[str]) -> bool:
    return names == {*trace.known} and any(keys is one for _, one in trace.reads)


def _asked(design: Design, trace: Trace) -> Iterable[Schema]:
    """Give the entities that a pattern asks for, or mentions where it came to no read."""
    if trace.read is not None:
        return trace.entities
    index = unknown_index(trace)
    if index:
        return [index[0].__schema__]
    words = mentioned([trace])
    return [schema for schema in design.schemas if schema.name in words]


def _names(trace: Trace, schema: Schema) -> Iterator[str]:
    """Name what a pattern knows: by its parameters, and by what it gives others and constants for.

    A parameter that is called like a field is that field, whatever it is given for.
    """
    yield from (name for name in trace.arguments if name in schema.fields)
    for name, value in trace.known.items():
        if trace.source(value) not in schema.fields:
            yield name


def _wanted(read: Paged[object] | Collection[object], schema: Schema) -> list[str]:
    shape = None if isinstance(read, Collection) else read.shape
    fields = _fields_of(shape, schema) if shape else [*schema.fields]
    if isinstance(read, Paged) and read.condition is not None:
        fields += read.condition.fields
    return [schema.attributes[name] for name in fields if name in schema.fields]


def _fields_of(shape: type, schema: Schema) -> list[str]:
    try:
        return [*projected_fields(shape, schema)]
    except UsageError:  # a shape that is no part of the entity: R101 says so
        return []
