"""Ids in the form that JSON can keep: texts, truth values and integers as they are, others tagged.

``UUID("…")`` becomes ``"@uuid:…"``: a text, so that an id stays a tuple that can be a key of a
dictionary, before JSON and after. A text that looks like a tagged value is tagged as a text.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Any
from uuid import UUID

from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Id

from .types import Undecoded

INTEGER_MAX = 2**63 - 1
_ADDRESSES = (IPv4Address, IPv4Interface, IPv6Address, IPv6Interface)


def _seconds(value: timedelta) -> str:
    return f"{value.days}/{value.seconds}/{value.microseconds}"


def _base64(value: bytes) -> str:
    return b64encode(value).decode()


_WRITERS: dict[type, tuple[str, Callable[[Any], str]]] = {
    UUID: ("uuid", str),
    Decimal: ("decimal", str),
    float: ("float", float.hex),
    int: ("int", str),
    bytes: ("bytes", _base64),
    Undecoded: ("undecoded", _base64),
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    time: ("time", time.isoformat),
    timedelta: ("timedelta", _seconds),
}
_READERS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "uuid": UUID,
    "decimal": Decimal,
    "float": float.fromhex,
    "int": int,
    "bytes": b64decode,
    "undecoded": lambda text: Undecoded(b64decode(text)),
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda text: timedelta(*map(int, text.split("/"))),
}
_TAGGED = re.compile(rf"@({'|'.join(_READERS)}):")


def written(values: Iterable[Any]) -> Id:
    """Give the values of a key as JSON can keep them."""
    return tuple(_written(value) for value in values)


def read(id_: Iterable[Any]) -> Id:
    """Give the values that were written; those that never were stay as they are."""
    return tuple(_read(value) for value in id_)


def _written(value: Any) -> Any:
    if isinstance(value, str):
        return f"@str:{value}" if _TAGGED.match(value) else value
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) <= INTEGER_MAX):
        return value
    if isinstance(value, _ADDRESSES):
        return str(value)
    return _tagged(value)


def _tagged(value: Any) -> str:
    if type(value) not in _WRITERS:
        raise SourceUnusable(
            f"{value!r} in a key is a {type(value).__name__}, which no checkpoint can keep: "
            "give the table a key of text, numbers, UUIDs, times or bytes"
        )
    tag, write = _WRITERS[type(value)]
    return f"@{tag}:{write(value)}"


def _read(value: Any) -> Any:
    tagged = _TAGGED.match(value) if isinstance(value, str) else None
    return _READERS[tagged[1]](value[tagged.end() :]) if tagged else value
