"""``dynamodb_data_model.json`` is read: its tables and items; its patterns are named."""

import json
from typing import Any

from singletable.describe.inward import read_design
from tests.describe.inward.models import item


def _model(**members: Any) -> str:
    keys = [("PK", "HASH"), ("SK", "RANGE")]
    table = {
        "TableName": "shop",
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in keys],
        "LocalSecondaryIndexes": [{"IndexName": "L1"}],
    }
    items = [item(PK="USER#u1", SK="PROFILE", userId="u1")]
    document = {
        "tables": [table],
        "items": {"shop": [{"PutRequest": {"Item": one}} for one in items]},
        "access_patterns": [
            {"pattern": "1", "description": "Log in.", "dynamodb_operation": "GetItem"},
            {"pattern": "2", "description": "Send mail", "reason": "no database"},
            {"pattern": "3", "description": "Other", "table": "elsewhere"},
            {"pattern": "4", "description": "By mail", "index": "G1", "table": "shop"},
        ],
    }
    return json.dumps(document | members)


def test_keys_are_inferred_from_the_items() -> None:
    (table,) = read_design(_model()).tables
    assert [(one.pk, one.sk) for one in table.entities] == [("USER#{user_id}", "PROFILE")]


def test_patterns_of_the_table_and_local_indexes_are_named() -> None:
    (table,) = read_design(_model()).tables
    assert table.notes == (
        "The local index L1 is left out.",
        "Access pattern 1: Log in (GetItem).",
        "Access pattern 2: Send mail (no database).",
        "Access pattern 4: By mail ( of G1).",
    )
