"""Why a pattern could not be traced, where a rule of its own explains it better."""

from __future__ import annotations

from singletable.errors import NoStrongRead, UsageError
from singletable.model.keys import Keys
from singletable.model.paging import Paged
from singletable.model.projections import projected_fields
from singletable.model.reads import Collection, Query
from singletable.model.schema import Schema
from singletable.store.reading.projecting import held_by
from singletable.store.tracing import Trace, filtered_keys


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
