"""An engine with a table of notes: two partitions of four items, and an index by kind."""

from __future__ import annotations

import pytest

from singletable.engine import Engine
from tests.engine.support import create, definitions, index, key_schema


@pytest.fixture
def notes(engine: Engine) -> Engine:
    """Give the engine with the table ``notes``; the index has the keys alone."""
    keys_only = {"Projection": {"ProjectionType": "KEYS_ONLY"}}
    create(
        engine,
        TableName="notes",
        AttributeDefinitions=definitions("owner", "number:N", "kind"),
        KeySchema=key_schema("owner", "number:RANGE"),
        GlobalSecondaryIndexes=[index("by_kind", "kind", "number:RANGE", **keys_only)],
    )
    for owner in ("ann", "bob"):
        for number in range(4):
            engine.call("PutItem", {"TableName": "notes", "Item": _note(owner, number)})
    return engine


def _note(owner: str, number: int) -> dict[str, dict[str, object]]:
    return {
        "owner": {"S": owner},
        "number": {"N": str(number)},
        "kind": {"S": "odd" if number % 2 else "even"},
        "text": {"S": f"note {number}"},
        "score": {"N": str(10 * number)},
        "tags": {"SS": ["p", "q"]},
        "body": {"M": {"lines": {"L": [{"S": "first"}, {"N": "2"}]}}},
    }
