"""From a design to its table: the request that creates it, and the program that does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from singletable.errors import (
    DesignError,
    ResourceInUseException,
    ResourceNotFoundException,
    StoreError,
)
from singletable.model.keys import FieldKey
from singletable.model.table import Table, TableIndex

from .context import Context
from .steps import Pause, Program

POLL_S = 0.5
POLLS_MAX = 240
USABLE = frozenset({"ACTIVE", "UPDATING"})


def create_request(table: Table, table_name: str) -> dict[str, Any]:
    """Give the CreateTable request of a design."""
    request: dict[str, Any] = {
        "TableName": table_name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema(table.primary),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in attribute_types(table).items()
        ],
    }
    for local, member in ((False, "GlobalSecondaryIndexes"), (True, "LocalSecondaryIndexes")):
        indexes = [_index(one) for one in table.indexes.values() if one.local is local]
        if indexes:
            request[member] = indexes
    if table.stream is not None:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table.stream}
    return request


def attribute_types(table: Table) -> dict[str, str]:
    """Give the DynamoDB type of every key attribute: texts, unless a field itself is the key."""
    indexes = (table.primary, *table.indexes.values())
    types = {name: "S" for index in indexes for name in index.attributes}
    declared: dict[str, str] = {}
    for name, kind in _declared_types(table):
        if declared.setdefault(name, kind) != kind:
            raise DesignError(
                f"The key attribute {name!r} of table {table.name!r} is {kind} for one entity and "
                f"{declared[name]} for another: give it one type"
            )
    return types | declared


def _declared_types(table: Table) -> Iterator[tuple[str, str]]:
    for schema in table.entities.values():
        for keys in schema.all_keys:
            for part in keys.parts:
                yield part.attribute, part.kind if isinstance(part, FieldKey) else "S"


def _key_schema(index: TableIndex) -> list[dict[str, str]]:
    hashes = [{"AttributeName": name, "KeyType": "HASH"} for name in index.pk]
    return [*hashes, *({"AttributeName": name, "KeyType": "RANGE"} for name in index.sk)]


def _index(index: TableIndex) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if not isinstance(index.projection, str):
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projection)}
    return {"IndexName": index.name, "KeySchema": _key_schema(index), "Projection": projection}


def create_table(context: Context) -> Program[None]:
    """Create the table, wait until it can be used, and have DynamoDB delete what expires.

    A table that is there already is left as it is; if another is creating it, it is waited for.
    """
    table, name = context.table, context.table_name
    try:
        yield from context.send("CreateTable", create_request(table, name))
    except ResourceInUseException:
        yield from _active(context)
        return
    yield from _active(context)
    if any(schema.expiry_field for schema in table.entities.values()):
        ttl = {"Enabled": True, "AttributeName": table.ttl}
        yield from context.send(
            "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": ttl}
        )


def _active(context: Context) -> Program[None]:
    """Wait until the table can be used; right after its creation it may not even be found."""
    name = context.table_name
    for _ in range(POLLS_MAX):
        try:
            answer = yield from context.send("DescribeTable", {"TableName": name})
        except ResourceNotFoundException:
            answer = None
        if answer is not None and answer["Table"]["TableStatus"] in USABLE:
            return
        yield Pause(POLL_S)
    raise StoreError(
        f"The table {name!r} is there, but did not become active in {POLLS_MAX * POLL_S:.0f} s: "
        "look at its status (DescribeTable), and try again"
    )
