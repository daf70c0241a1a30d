"""A change as a line to read, or as JSON for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from singletable.values import Item

from .changes import Change

VALUE_CHARACTERS_MAX = 60


def as_text(change: Change[Any]) -> str:
    """Write a change in a line: when, what, of which item, and what is new in it."""
    key = " ".join(f"{name}={value}" for name, value in change.key.fields.items())
    line = f"{change.at:%H:%M:%S}  {change.schema.name} {change.verb}  {key}  {_news(change)}"
    return line.rstrip()


def as_json(change: Change[Any]) -> str:
    """Write a change as a line of JSON."""
    data = {
        "at": change.at,
        "entity": change.schema.name,
        "change": change.verb,
        "key": change.key.fields,
        "old": _values(change, change.record.old),
        "new": _values(change, change.record.new),
    }
    return orjson.dumps(data, default=_plain).decode()


def _news(change: Change[Any]) -> str:
    old, new = (_values(change, image) for image in (change.record.old, change.record.new))
    if old is None or new is None:
        told = {**(old or {}), **(new or {})}
        rest = (name for name in told if name not in change.key.fields)
        return " ".join(f"{name}={_short(told[name])}" for name in rest)
    names = (name for name in {**old, **new} if old.get(name) != new.get(name))
    return " ".join(f"{name}: {_short(old.get(name))} → {_short(new.get(name))}" for name in names)


def _values(change: Change[Any], image: Item | None) -> Mapping[str, Any] | None:
    """Give the fields of an image, as stored: a broken item can be told, too."""
    return None if image is None else change.schema.items.values(image)[0]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= VALUE_CHARACTERS_MAX else f"{text[:VALUE_CHARACTERS_MAX]}…"


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else str(value)
