"""What the JSON formats share: how items and documents are written, and which indexes fit in."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from singletable.model.table import TableIndex
from singletable.values import Item


def written(document: Any) -> str:
    """Write a document as JSON, in the order that it was put together."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def json_item(item: Item) -> dict[str, Any]:
    """Give an item as DynamoDB JSON: bytes in base64."""
    return {name: json_value(value) for name, value in item.items()}


def json_value(value: Any) -> Any:
    """Give a part of an item or of a request as JSON."""
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {name: json_value(one) for name, one in value.items()}
    return [json_value(one) for one in value] if isinstance(value, list) else value


def is_plain(index: TableIndex) -> bool:
    """Tell whether an index is one that AWS's formats know: global, an attribute to a side."""
    return not index.local and len(index.pk) == 1 and len(index.sk) <= 1
