"""After the copy: what a store keeps true as it writes is made true at once, from the table.

A copy writes items by the batch, past the store's own care: so counts and other aggregates are
counted, and sequences set to go on after the last number, when all items are there.
"""

from __future__ import annotations

from collections.abc import Iterator

from singletable.errors import ConditionalCheckFailedException
from singletable.model.schema import Schema
from singletable.store.store import Store
from singletable.store.writing.numbering import TYPE, VALUE, counter_key
from singletable.store.writing.writes import identity
from singletable.streams.aggregates import rebuild, repair
from singletable.values import Item


def settle(store: Store, *, wait_s: float | None = None) -> None:
    """Make aggregates and sequences of the table true.

    Nobody may write meanwhile, unless it is told how long to wait between two looks.
    """
    schemas = list(store.table.entities.values())
    if any(schema.aggregates for schema in schemas):
        rebuild(store) if wait_s is None else repair(store, wait_s=wait_s)
    for schema in schemas:
        if schema.sequences:
            _number(store, schema)


def _number(store: Store, schema: Schema) -> None:
    """Have each sequence of an entity go on after its last number."""
    last: dict[tuple[str, ...], tuple[Item, int]] = {}
    for field in schema.sequences:
        for key, number in _numbers(store, schema, field):
            name = identity(key)
            _, before = last.get(name, (key, 0))
            last[name] = (key, max(before, number))
    for key, number in last.values():
        _set(store, key, number)


def _numbers(store: Store, schema: Schema, field: str) -> Iterator[tuple[Item, int]]:
    for entity in store.bind(schema.entity.scan()):
        values = entity.__dict__
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
