"""Tables and items, said shortly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.backends import Backend
from singletable.migrate.sources.dynamodb import DynamoSource, item_of
from singletable.migrate.sources.source import Id, Related, Row, Span


def create(
    backend: Backend, name: str, *key: str, indexes: Mapping[str, str] | None = None, **more: Any
) -> None:
    """Create a table: a key is said as ``"id"`` or ``"n:N"``, partition first.

    That of an index may have a sort key behind a space.
    """
    keys = {index: said.split() for index, said in (indexes or {}).items()}
    pairs = [part.partition(":") for part in (*key, *(part for of in keys.values() for part in of))]
    types = {attribute: kind or "S" for attribute, _, kind in pairs}
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(*key),
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in types.items()
        ],
        **more,
    }
    if keys:
        request["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index,
                "KeySchema": _schema(*of),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for index, of in keys.items()
        ]
    backend.call("CreateTable", request)


def _schema(*key: str) -> list[dict[str, str]]:
    names = [part.partition(":")[0] for part in key]
    kinds = ("HASH", "RANGE")
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, kinds, strict=False)
    ]


def put(backend: Backend, table: str, **values: Any) -> None:
    """Put an item."""
    backend.call("PutItem", {"TableName": table, "Item": item_of(values)})


def read_all(
    source: DynamoSource, kind: str, parts: int, limit: int, related: Related | None = None
) -> list[Row]:
    """Read every span of a kind, batch by batch."""
    rows: list[Row] = []
    for span in source.split(kind, parts):
        left: Span | None = span
        while left is not None:
            found, left = source.read(kind, left, limit, related)
            rows += found
    return rows


def ids(rows: list[Row]) -> list[Id]:
    """Give the ids of rows, in order."""
    return sorted(row.id for row in rows)
