"""The JSON of the wire: bytes to requests, answers to bytes."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime
from typing import Any

import orjson

from singletable.errors import SerializationException


def decode(body: bytes) -> Any:
    """Read a request's body."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise SerializationException(f"The request body is not valid JSON: {error}") from error


def encode(answer: Any, *, sort_keys: bool = False) -> bytes:
    """Write an answer: binaries as base64, times as seconds since the epoch."""
    option = orjson.OPT_PASSTHROUGH_DATETIME | (orjson.OPT_SORT_KEYS if sort_keys else 0)
    return orjson.dumps(answer, default=_default, option=option)


def _default(value: Any) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(f"no place for {value!r} in JSON")
