"""Writes, metered on a copy: the sampled items in an engine in memory, changed one by one.

The table that was sampled is never written to. What a store keeps true is written along, as far as
its items are in the sample; a write that needs one that is not says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from singletable.errors import SingletableError
from singletable.model.entity import Entity
from singletable.model.large import Large
from singletable.model.schema import Schema
from singletable.store.observing.events import RequestEvent
from singletable.store.store import Store
from singletable.values import Item

from .grids import Grid, number
from .writing import changeable

READS = {"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"}
Name = tuple[str, str]
"""An entity and a kind of write, such as ``update of status``."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What writes of one kind took, on average; a fault says why there were none."""

    calls: int
    units: float = 0.0
    read_units: float = 0.0
    """What they read first."""
    fault: str | None = None


@dataclass(slots=True)
class _Meter:
    """Keeps what each call took, or why it failed."""

    store: Any = None
    events: list[RequestEvent] = field(default_factory=list)
    calls: dict[Name, list[tuple[float, float]]] = field(default_factory=dict)
    faults: dict[Name, str] = field(default_factory=dict)

    def run(self, name: Name, work: Callable[[Any], Any]) -> Any:
        """Do some work with the store; give its result, or None where it fails."""
        self.events.clear()
        try:
            result = work(self.store)
        except SingletableError as fault:
            self.faults[name] = str(fault)
            return None
        reads = sum(one.consumed or 0.0 for one in self.events if one.operation in READS)
        total = sum(one.consumed or 0.0 for one in self.events)
        self.calls.setdefault(name, []).append((total - reads, reads))
        return result

    def rehearsals(self) -> Iterator[tuple[Name, Rehearsal]]:
        """Give the average of each kind of write."""
        for name, calls in self.calls.items():
            writes, reads = zip(*calls, strict=True)
            yield name, Rehearsal(len(calls), fmean(writes), fmean(reads))
        for name, fault in self.faults.items():
            if name not in self.calls:
                yield name, Rehearsal(0, fault=fault)


def rehearse(
    store: type[Store], sampled: Sequence[Item], entities: Sequence[Entity], calls_max: int
) -> dict[Name, Rehearsal]:
    """Meter the writes of sampled entities on a copy of the sample."""
    meter = _Meter()
    with store.connect(":memory:", observers=[meter.events.append]) as copy:
        meter.store = copy
        for schema in store.table.entities.values():
            alike = [one for one in entities if one.__schema__ is schema]
            if alike:
                _fill(copy, sampled)  # also with what the writes of others changed
            for entity in _different(alike)[:calls_max]:
                _write(meter, schema, entity, alike)
    return dict(meter.rehearsals())


def _fill(copy: Store, sampled: Iterable[Item]) -> None:
    for item in sampled:
        copy.backend.call("PutItem", {"TableName": copy.table.name, "Item": item})


def _write(meter: _Meter, schema: Schema, entity: Entity, alike: Sequence[Entity]) -> None:
    """Change an entity in each way, delete it, and make it anew."""
    now = entity
    for label, name in _updates(schema):
        values = (getattr(one, name) for one in alike)
        other = next((one for one in values if one != getattr(now, name)), None)
        if other is not None:
            # One that is stale would be refused where it has a version.
            now = meter.run((schema.name, label), _updating(now, {name: other})) or now
    whole = _loaded(meter.store, entity)
    meter.run((schema.name, "delete"), lambda store: store.delete(now, orphans=True))
    meter.run((schema.name, "create"), lambda store: store.create(whole))


def _loaded(store: Any, entity: Entity) -> Entity:
    """Give an entity with its large content, which goes with the item; as it is if that is gone."""
    pointers = {name: getattr(entity, name) for name in entity.__schema__.large}
    try:
        contents = {name: Large(store.load(one)) for name, one in pointers.items() if one}
    except SingletableError:
        return entity
    return entity.model_copy(update=contents)


def _updating(entity: Entity, changes: Mapping[str, Any]) -> Callable[[Any], Any]:
    return lambda store: store.update(entity, changes)


def _updates(schema: Schema) -> Iterator[tuple[str, str]]:
    """Name the updates that can take another item's value, each with its field."""
    plain, keyed = changeable(schema)
    if plain is not None:
        yield "update", plain
    yield from ((f"update of {name}", name) for name in keyed if name not in schema.unique)


def _different(entities: Iterable[Entity]) -> list[Entity]:
    """Give each entity once: copies of a hot item are read as the same."""
    return list({str(one.__schema__.item_key(one.__dict__)): one for one in entities}.values())


def grid(rehearsed: Mapping[Name, Rehearsal], units: Mapping[Name, float]) -> Grid:
    """Give what was measured beside what was estimated from the model."""
    rows = (
        (
            *name,
            number(units.get(name)),
            number(one.units) if one.calls else "",
            number(one.read_units) if one.read_units else "",
            str(one.calls),
            one.fault or "",
        )
        for name, one in sorted(rehearsed.items())
    )
    headings = ("entity", "write", "estimated", "measured", "reads", "calls", "")
    return Grid.of("Units of a write, on a copy of the sample", headings, rows)


def data(rehearsed: Mapping[Name, Rehearsal]) -> list[dict[str, Any]]:
    """Give what was measured as plain data."""
    return [
        {"entity": entity, "write": write, **asdict(one)}
        for (entity, write), one in sorted(rehearsed.items())
    ]
