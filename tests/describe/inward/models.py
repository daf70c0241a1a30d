"""Small foreign models, put together for the tests."""

import json
from typing import Any

Value = str | int | bool | None
TEXT = "S"


def item(**values: Any) -> dict[str, Any]:
    """Make an item of DynamoDB JSON; double underscores stand for a hyphen."""
    return {name.replace("__", "-"): _typed(value) for name, value in values.items()}


def _typed(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"N": str(value)} if isinstance(value, int) else {"S": value}


def key(pk: str, sk: str | None) -> dict[str, Any]:
    """Make the key attributes of a table or an index."""
    sides = (("PartitionKey", pk), ("SortKey", sk))
    return {side: {"AttributeName": name, "AttributeType": TEXT} for side, name in sides if name}


def model(
    items: list[dict[str, Any]] | None = None,
    *,
    facets: dict[str, list[dict[str, Any]]] | None = None,
    indexes: dict[str, tuple[str, str | None]] | None = None,
    keys: tuple[str, str | None] = ("PK", "SK"),
    version: str = "3.0",
) -> str:
    """Make a Workbench model of one table."""
    table = {
        "TableName": "shop",
        "KeyAttributes": key(*keys),
        "GlobalSecondaryIndexes": [
            {"IndexName": name, "KeyAttributes": key(*names)}
            for name, names in (indexes or {}).items()
        ],
        "TableFacets": [
            {"FacetName": name, "TableData": few} for name, few in (facets or {}).items()
        ],
        "TableData": items or [],
    }
    metadata = {"Version": version, "Description": "A shop."}
    document = {"ModelName": "My shop", "ModelMetadata": metadata, "DataModel": [table]}
    return json.dumps(document)
