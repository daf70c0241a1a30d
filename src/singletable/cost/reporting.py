"""An estimate as people read it: grids and notes; and as programs do: plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from .bills import GB, Bill
from .contents import Content
from .estimating import EntityCost, Estimate, PatternCost
from .grids import Grid, money, number
from .writing import WriteCost


def title(made: Estimate) -> str:
    """Say what was estimated, and by which prices."""
    table, prices = made.figures.store.table.name, made.prices
    return f"{made.name}, table {table}; {prices.currency}, {prices.region}, {prices.as_of}"


def grids(made: Estimate) -> Iterator[Grid]:
    """Give the tables of an estimate."""
    yield _patterns(made)
    yield _writes(made)
    yield _sizes(made)
    yield _bill(made)


def notes(made: Estimate) -> Iterator[str]:
    """Say what was assumed, and what to mind."""
    yield from (f"{one.name} cannot run: {one.fault}" for one in made.patterns if one.fault)
    for one in made.patterns:
        if one.cost and one.cost.foreign:
            others = ", ".join(one.cost.foreign)
            yield f"{one.name} reads {others} too, which stand in its range and are left out."
    filtered = [one.name for one in made.patterns if one.filtered]
    if filtered:
        names = ", ".join(filtered)
        yield f"{names}: what a filter leaves out is read and paid for; items are those read."
    for one in made.patterns:
        if one.cost and one.cost.limited_by:
            items = number(one.cost.total_items)
            yield (
                f"{one.name}: its caller says by {one.cost.limited_by} how many items to read; "
                f"{items} are taken here (patterns.{one.name}.items)."
            )
    unrated = sum(one.rate_per_s is None for one in made.patterns)
    if unrated:
        has, count = ("pattern has", "counts") if unrated == 1 else ("patterns have", "count")
        yield f"{unrated} {has} no rate, and {count} for nothing in the bill."
    if not any(one.rates for one in made.entities):
        yield "No entity has a write rate: the bill has no writes (entities.NAME.writes_per_s)."
    if not any(one.items for one in made.entities):
        yield "Of no entity it is known how many items there are: the bill has no storage."
    if made.figures.store.table.stream and not made.figures.traffic.stream.readers:
        yield "Nobody is known to poll the stream (stream.readers); Lambda reads it free of charge."
    yield from (_content(entity, one) for entity in made.entities for one in entity.contents)
    yield from made.figures.assumptions.lines(are_sizes_known=made.figures.are_sizes_known)
    yield _retries(made)
    yield _crossing(made)


def _content(entity: EntityCost, one: Content) -> str:
    name, size = f"{entity.name}.{one.field}", f"{number(one.size_bytes)} bytes"
    if not one.parts:
        return (
            f"{name}: {size} in an object store, with one PUT to store, one GET to load and one "
            "DELETE: these, and its storage, are not in the bill."
        )
    parts = "1 part" if len(one.parts) == 1 else f"{len(one.parts)} parts"
    units = "1 unit" if one.read_units == 1 else f"{number(one.read_units)} units"
    told = (
        f"{number(entity.loads_per_s)} are loaded a second"
        if entity.loads_per_s
        else "none is loaded"
    )
    return (
        f"{name}: {size} in {parts}; to load it takes {units}, and {told} "
        f"(entities.{entity.name}.content_bytes, loads_per_s). Connected with an object store it "
        "is kept there instead."
    )


def _retries(made: Estimate) -> str:
    share = made.figures.traffic.retries
    said = f"{share:.1%} of the requests are" if share else "No request is"
    return f"{said} sent and paid for twice (retries in the traffic file)."


def _crossing(made: Estimate) -> str:
    share = made.prices.crossing
    return (
        f"Provisioned capacity is cheaper once more than {share:.1%} of it is in use, on average; "
        f"the bill assumes {made.figures.assumptions.utilisation:.0%}."
    )


def _patterns(made: Estimate) -> Grid:
    headings = ("pattern", "operation", "index", "items", "bytes", "requests", "units", "per s")
    rows = (
        (*_pattern(one), money(made.billed(one.units_per_s * made.again, 0).on_demand_reads))
        for one in made.patterns
    )
    return Grid.of("Reads, for one call of each pattern", (*headings, "a month"), rows)


def _pattern(one: PatternCost) -> tuple[str, ...]:
    cost = one.cost
    if cost is None:
        return (one.name, "cannot run", "", "", "", "", "", number(one.rate_per_s))
    return (
        one.name,
        one.operation + " strong" * cost.consistent,
        one.index or "",
        number(cost.total_items),
        number(round(cost.total_bytes)),
        number(cost.requests),
        number(cost.units),
        number(one.rate_per_s),
    )


def _writes(made: Estimate) -> Grid:
    headings = ("entity", "write", "items", "table", "indexes", "units", "reads", "per s")
    rows = (
        (
            entity.name,
            *_write(one),
            number(entity.rates.get(one.name)),
            money(_written(made, entity, one).on_demand_writes),
        )
        for entity in made.entities
        for one in entity.writes
    )
    return Grid.of("Writes, for one item of each entity", (*headings, "a month"), rows)


def _written(made: Estimate, entity: EntityCost, one: WriteCost) -> Bill:
    return made.billed(0, made.again * entity.rates.get(one.name, 0.0) * one.units)


def _write(one: WriteCost) -> tuple[str, ...]:
    indexes = " ".join(f"{name}:{number(units)}" for name, units in one.indexes.items())
    parts = f" + {one.parts}" if one.parts else ""
    return (
        one.name,
        (f"{one.items} x 2" if one.transactional else str(one.items)) + parts,
        number(one.table),
        indexes,
        number(one.units),
        number(one.read_units) if one.read_units else "",
    )


def _sizes(made: Estimate) -> Grid:
    headings = ("entity", "bytes", "in indexes", "charged", "items", "GB")
    rows = (_size(one) for one in made.entities)
    return Grid.of("Storage, for one item of each entity", headings, rows)


def _size(one: EntityCost) -> tuple[str, ...]:
    entries = " ".join(f"{name}:{number(size)}" for name, size in one.entries.items())
    stored = one.stored_bytes * one.items / GB if one.items else None
    return (
        one.name,
        number(one.size),
        entries,
        number(one.stored_bytes),
        number(one.items),
        number(stored),
    )


def _bill(made: Estimate) -> Grid:
    bill, streamed = made.bill, made.figures.traffic.stream.reads_per_s
    streams = ("streams", f"{number(streamed)} reads/s", *[money(bill.streams)] * 2)
    rows = (
        (
            "reads",
            f"{number(made.read_units_per_s)} units/s",
            money(bill.on_demand_reads),
            money(bill.provisioned_reads),
        ),
        (
            "writes",
            f"{number(made.write_units_per_s)} units/s",
            money(bill.on_demand_writes),
            money(bill.provisioned_writes),
        ),
        (
            "storage",
            f"{number(made.storage_bytes / GB)} GB",
            money(bill.storage),
            money(bill.storage),
        ),
        *([streams] if streamed else []),
        ("total", "", money(bill.on_demand), money(bill.provisioned)),
    )
    return Grid.of("A month", ("", "amount", "on demand", "provisioned"), rows)


def data(made: Estimate) -> dict[str, Any]:
    """Give an estimate as plain data."""
    bill = made.bill
    return {
        "store": made.name,
        "table": made.figures.store.table.name,
        "prices": asdict(made.prices),
        "assumptions": asdict(made.figures.assumptions),
        "traffic": made.figures.traffic.source,
        "retries": made.figures.traffic.retries,
        "patterns": [_pattern_data(one) for one in made.patterns],
        "entities": [_entity_data(one) for one in made.entities],
        "month": {
            "read_units_per_s": made.read_units_per_s,
            "write_units_per_s": made.write_units_per_s,
            "storage_bytes": made.storage_bytes,
            "stream_reads_per_s": made.figures.traffic.stream.reads_per_s,
            "on_demand": bill.on_demand,
            "provisioned": bill.provisioned,
            **asdict(bill),
            "crossing": made.prices.crossing,
        },
        "notes": list(notes(made)),
    }


def _pattern_data(one: PatternCost) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": one.name,
        "operation": one.operation,
        "index": one.index,
        "rate_per_s": one.rate_per_s,
        "units_per_s": one.units_per_s,
    }
    if one.cost is None:
        return {**shown, "fault": one.fault}
    cost = one.cost
    return {
        **shown,
        "items": dict(cost.items),
        "item_bytes": dict(cost.item_bytes),
        "requests": cost.requests,
        "units": cost.units,
        "consistent": cost.consistent,
        "filtered": one.filtered,
        "also_reads": list(cost.foreign),
        "limited_by": cost.limited_by,
    }


def _entity_data(one: EntityCost) -> dict[str, Any]:
    writes = [{**asdict(each), "units": each.units} for each in one.writes]
    return {
        "name": one.name,
        "bytes": one.size,
        "index_bytes": dict(one.entries),
        "charged_bytes": one.stored_bytes,
        "items": one.items,
        "writes": writes,
        "rates_per_s": dict(one.rates),
        "contents": [{**asdict(each), "load_units": each.read_units} for each in one.contents],
        "loads_per_s": one.loads_per_s,
    }
