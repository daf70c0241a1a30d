"""The stored form of items: DynamoDB JSON, which is also the wire's, with base64 for binaries.

An item without binaries is answered over HTTP as the very bytes that were stored.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson

from .types import AttributeValue, Item

_find_binary = re.compile(rb'"BS?":["[]').search
"""Looks for binaries, which are rare, in the stored bytes: faster than to walk the item."""


def loads(data: bytes) -> Item:
    """Decode a stored item."""
    item: Item = orjson.loads(data)
    if _find_binary(data):
        return {name: _decode(value) for name, value in item.items()}
    return item


def _base64(value: Any) -> str:
    return b64encode(value).decode()


dumps: Callable[[Item], bytes] = partial(orjson.dumps, default=_base64)
"""Encodes an item for storage."""


def _decode(value: AttributeValue) -> AttributeValue:
    [(kind, content)] = value.items()
    if kind == "B":
        return {"B": b64decode(content)}
    if kind == "BS":
        return {"BS": [b64decode(each) for each in content]}
    if kind == "L":
        return {"L": [_decode(each) for each in content]}
    if kind == "M":
        return {"M": {name: _decode(each) for name, each in content.items()}}
    return value
