"""Measuring in place of assuming: samples the items of a table and meters the patterns on it.

It reads and never writes: a bounded scan, then a few calls of each pattern, one page each, with
arguments that fit the items found. Every request tells what it consumed. Writes are rehearsed on
a copy of the sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import ValidationError

from singletable.errors import ResourceNotFoundException, SingletableError, UsageError
from singletable.model.entity import Entity
from singletable.model.reads import Get, Scan
from singletable.model.table import Table
from singletable.store.observing.events import RequestEvent
from singletable.store.store import Store
from singletable.store.tracing import Trace, trace
from singletable.values import Item, item_size

from .arguments import Arguments, found_arguments
from .grids import Grid, number
from .rehearsing import Name, Rehearsal, rehearse
from .rehearsing import data as writes_data
from .rehearsing import grid as writes_grid
from .specimens import Sizes, entry_of

PAGE = 250


@dataclass(frozen=True, slots=True)
class Run:
    """What calls of one pattern took, on average; a fault says why there were none."""

    calls: int
    requests: float = 0.0
    items: float = 0.0
    units: float = 0.0
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was found in a table."""

    items: Mapping[str, int]
    """How many items were sampled, by entity."""
    sizes: Mapping[str, Sizes]
    """How large they are on average."""
    strangers: int
    """Items that belong to no entity of the design."""
    runs: Mapping[str, Run]
    writes: Mapping[Name, Rehearsal]


def measure(
    store: type[Store],
    address: Any,
    *,
    items_max: int = 1000,
    calls_max: int = 5,
    arguments: Mapping[str, Sequence[Arguments]] | None = None,
    table_name: str | None = None,
) -> Measurement:
    """Sample a table and meter every pattern on it."""
    _check_there(address)
    events: list[RequestEvent] = []
    with store(address, observers=[events.append], table_name=table_name) as connected:
        name = table_name or store.table.name
        sampled = _sampled(connected, name, items_max)
        by_entity = _by_entity(store, sampled)
        entities = _entities(store, by_entity)
        runs = {}
        for traced in trace(store):
            given = (arguments or {}).get(traced.pattern.name)
            tried = given or islice(found_arguments(traced, entities), calls_max)
            runs[traced.pattern.name] = _metered(connected, traced, tried, events)
    known = sum(map(len, by_entity.values()))
    return Measurement(
        {entity: len(items) for entity, items in by_entity.items()},
        {
            entity: replace(sizes_of(store.table, items), contents=_contents(entities, entity))
            for entity, items in by_entity.items()
        },
        len(sampled) - known,
        runs,
        rehearse(store, sampled, entities, calls_max),
    )


def _check_there(address: Any) -> None:
    """Refuse a file that is not there: connecting would make it."""
    if isinstance(address, str) and ":" not in address and not Path(address).exists():
        raise UsageError(f"There is no database {address!r} to sample")


def _sampled(store: Store, table_name: str, items_max: int) -> list[Item]:
    try:
        return list(islice(_scanned(store, table_name, items_max), items_max))
    except ResourceNotFoundException:
        raise UsageError(f"There is no table {table_name!r} there to sample: name it") from None


def _scanned(store: Store, table_name: str, items_max: int) -> Iterable[Item]:
    request: dict[str, Any] = {"TableName": table_name, "Limit": min(PAGE, items_max)}
    while True:
        answer = store.backend.call("Scan", request)
        yield from answer["Items"]
        last = answer.get("LastEvaluatedKey")
        if last is None:
            return
        request = {**request, "ExclusiveStartKey": last}


def _by_entity(store: type[Store], items: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        kind = item.get(store.table.type_attribute, {}).get("S")
        schema = store.table.entities.get(kind) if isinstance(kind, str) else None
        if schema is not None:
            found.setdefault(schema.name, []).append(item)
    return found


def sizes_of(table: Table, items: Sequence[Item]) -> Sizes:
    """Give how large items of one entity are on average, and their entries in indexes."""
    entries = {
        name: [entry for item in items if (entry := entry_of(item, index, table.primary))]
        for name, index in table.indexes.items()
    }
    return Sizes(
        fmean(map(item_size, items)),
        {name: fmean(map(item_size, held)) for name, held in entries.items() if held},
    )


def _entities(store: type[Store], by_entity: Mapping[str, Sequence[Item]]) -> list[Entity]:
    """Read the items as entities, those that can be."""
    entities = []
    for schema in store.table.entities.values():
        for item in by_entity.get(schema.name, ()):
            try:
                entities.append(schema.items.read(item))
            except (ValidationError, SingletableError):
                continue
    return entities


def _contents(entities: Iterable[Entity], name: str) -> dict[str, float]:
    """Give how long the contents of an entity's large fields are, on average."""
    found: dict[str, list[int]] = {}
    for one in entities:
        schema = one.__schema__
        for field_ in schema.large if schema.name == name else ():
            if (large := getattr(one, field_)) is not None:
                found.setdefault(field_, []).append(large.size_bytes)
    return {field_: fmean(sizes) for field_, sizes in found.items()}


def _metered(
    store: Store, traced: Trace, tried: Iterable[Arguments], events: list[RequestEvent]
) -> Run:
    if traced.fault is not None:
        return Run(0, fault=str(traced.fault))
    calls: list[list[RequestEvent]] = []
    fault = "no item tells arguments for it: give some with --arguments"
    for arguments in tried:
        events.clear()
        try:
            _run(store, traced.pattern.name, arguments)
        except (SingletableError, TypeError) as error:
            fault = str(error)
        else:
            calls.append(events.copy())
    if not calls:
        return Run(0, fault=fault)
    return Run(
        len(calls),
        fmean(map(len, calls)),
        fmean(sum(event.items or 0 for event in call) for call in calls),
        fmean(sum(event.consumed or 0.0 for event in call) for call in calls),
    )


def _run(store: Store, name: str, arguments: Arguments) -> None:
    read = getattr(store, name)(**arguments)
    if isinstance(read, Get):
        read.first()
    elif isinstance(read, Scan):
        read.parallel(1).page()
    else:
        read.page()


def grids(
    measured: Measurement,
    units: Mapping[str, float],
    writes: Mapping[Name, float],
    sizes: Mapping[str, int],
) -> list[Grid]:
    """Give what was measured beside what was estimated from the model."""
    entities = (
        (name, number(sizes[name]), number(round(size.item)), number(measured.items[name]))
        for name, size in measured.sizes.items()
    )
    runs = (
        (
            name,
            number(units.get(name)),
            number(run.units) if run.calls else "",
            number(run.items) if run.calls else "",
            number(run.requests) if run.calls else "",
            str(run.calls),
            run.fault or "",
        )
        for name, run in measured.runs.items()
    )
    headings = ("pattern", "estimated", "measured", "items", "requests", "calls", "")
    return [
        Grid.of("Sizes, in bytes", ("entity", "by the model", "measured", "items"), entities),
        Grid.of("Units of a call", headings, runs),
        writes_grid(measured.writes, writes),
    ]


def data(measured: Measurement) -> dict[str, Any]:
    """Give what was measured as plain data."""
    return {
        "items": dict(measured.items),
        "bytes": {name: sizes.item for name, sizes in measured.sizes.items()},
        "strangers": measured.strangers,
        "patterns": {
            name: {
                "calls": run.calls,
                "requests": run.requests,
                "items": run.items,
                "units": run.units,
                "fault": run.fault,
            }
            for name, run in measured.runs.items()
        },
        "writes": writes_data(measured.writes),
    }
