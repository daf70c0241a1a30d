"""After the copy: what a store keeps true as it writes is made true at once, from the table.

A copy writes items by the batch, past the store's own care: so counts and other aggregates are
counted, and sequences set to go on after the last number, when all items are there. That takes one
pass over the table (more, where aggregates are made of aggregates), and writes only what is not so
already: so it may be stopped and done again.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import closing, nullcontext
from itertools import groupby
from typing import Any

from singletable.errors import ConditionalCheckFailedException, StoreError
from singletable.model.aggregates import aggregate_rules
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.store.batches import chunks
from singletable.store.store import Store
from singletable.store.writing.checking import checked
from singletable.store.writing.numbering import TYPE, VALUE, counter_key
from singletable.store.writing.stored import read_as
from singletable.store.writing.writes import Identity, identity
from singletable.streams.aggregates import Drift, repair
from singletable.streams.aggregates.recounting import Recount, items_of
from singletable.streams.aggregates.rules import Design
from singletable.streams.aggregates.targets import is_in_key
from singletable.streams.aggregates.verifying import mend
from singletable.values import Item

from .copying import together
from .spilling import Scratch
from .turns import Turn

AT_ONCE = 500

Numbers = MutableMapping[Identity, tuple[Item, int]]
"""The last number of each sequence, with the key of its counter."""


def is_settled(table: Table) -> bool:
    """Tell whether there is nothing to settle, as the design has nothing of the kind."""
    return not any(schema.sequences or schema.aggregates for schema in table.entities.values())


def settle(store: Store, *, wait_s: float | None = None) -> None:
    """Make aggregates and sequences of the table true.

    Nobody may write meanwhile, unless it is told how long to wait between two looks.
    """
    schemas = store.table.entities.values()
    numbered = any(schema.sequences for schema in schemas)
    aggregated = any(schema.aggregates for schema in schemas)
    if aggregated and wait_s is not None:
        repair(store, wait_s=wait_s)
        aggregated = False
    while numbered or aggregated:
        with closing(Scratch()) as scratch:
            settler = _Settler(store, scratch, aggregated=aggregated)
            settler.settle()
        # What adds up aggregates is right only when those are.
        aggregated = settler.has_written and _is_nested(store.table)
        numbered = False


def settle_segment(store: Store, number: int, segments: int, turn: Turn | None = None) -> bool:
    """Do so in a segment of the table alone; False where that cannot be, and all has to be done.

    It can where whatever is counted lies in one partition with what counts it, as it often does:
    then several processes do it at once, and write in turns.
    """
    if _is_nested(store.table):
        return False
    with closing(Scratch()) as scratch:
        settler = _Settler(store, scratch, aggregated=True, turn=turn)
        return settler.settle(Segment=number, TotalSegments=segments)


def _is_nested(table: Table) -> bool:
    """Tell whether an aggregate is made of aggregates."""
    rules = (rule for schema in table.entities.values() for rule in aggregate_rules(schema))
    return any(name in rule.child.aggregates for rule in rules for name in rule.fields)


class _Settler:
    """Goes over items, and writes what should stand there."""

    has_written = False
    """Whether an aggregate was not as it should be."""

    def __init__(
        self, store: Store, scratch: Scratch, *, aggregated: bool, turn: Turn | None = None
    ) -> None:
        self._store = store
        self._design = Design.of(store.table, all_kept=True)
        self._recount = Recount(self._design, *(scratch.mapping() for _ in range(5)))
        self._numbers: Numbers = scratch.mapping()
        self._aggregated = aggregated
        self._turn = turn

    def settle(self, **part: Any) -> bool:
        """Settle the table, or a part of it, if nothing there counts for an item elsewhere."""
        table, recount = self._store.table, self._recount
        numbered = {name for name, schema in table.entities.items() if schema.sequences}
        types = numbered | recount.types if self._aggregated else numbered
        for item in items_of(self._store, types, **part):
            if self._aggregated:
                recount.take(table, item)
            _number(self._store, item, self._numbers)
        if part and not all(name in recount.held for name in recount.owners):
            return False
        with self._turn or nullcontext():  # for all of it, so that others count meanwhile
            self._write()
        return True

    def _write(self) -> None:
        drifts = (
            Drift(Key(schema, owner), field, stored, checked(schema, field, expected))
            for schema, owner, field, stored, expected in self._recount.differences()
        )
        by_item = (list(some) for _, some in groupby(drifts, lambda drift: drift.key))
        for chunk in chunks(by_item, AT_ONCE):
            with together(self._store.backend):
                for some in chunk:
                    self.has_written = True
                    _mend(self._store, some)
        for counters in chunks(self._numbers.values(), AT_ONCE):
            with together(self._store.backend):
                for key, number in counters:
                    _set(self._store, key, number)


def _mend(store: Store, drifts: list[Drift]) -> None:
    """Set the aggregates of an item; the short way, where they are nothing but attributes of it."""
    schema, fields = drifts[0].key.schema, {drift.field: drift.expected for drift in drifts}
    encoded = {name: schema.items.stored(name, value) for name, value in fields.items()}
    is_plain = not schema.copies and not is_in_key(schema, fields) and None not in encoded.values()
    if not is_plain or any(drift.stored is None for drift in drifts):
        for drift in drifts:
            mend(store, drift)
        return
    names = {f"#f{number}": schema.attributes[name] for number, name in enumerate(fields)}
    values = {f":f{number}": value for number, value in enumerate(encoded.values())}
    sets = ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))
    request = {
        "TableName": store.table_name,
        "Key": drifts[0].key.item_key,
        "UpdateExpression": f"SET {sets}",
        "ConditionExpression": "attribute_exists(#pk)",
        "ExpressionAttributeNames": {**names, "#pk": store.table.pk},
        "ExpressionAttributeValues": values,
    }
    store.send("UpdateItem", request)


def _number(store: Store, item: Item, numbers: Numbers) -> None:
    """Take note of the numbers of an item, if they are the last ones."""
    table = store.table
    schema = table.entities.get(item.get(table.type_attribute, {}).get("S", ""))
    if schema is None or not schema.sequences:
        return
    for key, number in _numbers(schema, item):
        name = identity(key)
        if number > numbers.get(name, (key, 0))[1]:
            numbers[name] = (key, number)


def _numbers(schema: Schema, item: Item) -> Iterator[tuple[Item, int]]:
    try:
        values: dict[str, Any] = read_as(schema, item).__dict__
    except StoreError:  # nobody can number what nobody can read
        return
    for field in schema.sequences:
        yield counter_key(schema, field, values), int(values[field])


def _set(store: Store, key: Item, number: int) -> None:
    kind, table = store.table.type_attribute, store.table_name
    request = {
        "TableName": table,
        "Item": {**key, kind: {"S": TYPE}, VALUE: {"N": str(number)}},
        "ConditionExpression": "attribute_not_exists(#v) OR #v < :v",
        "ExpressionAttributeNames": {"#v": VALUE},
        "ExpressionAttributeValues": {":v": {"N": str(number)}},
    }
    try:
        store.send("PutItem", request)
    except ConditionalCheckFailedException:
        return  # it is further already
