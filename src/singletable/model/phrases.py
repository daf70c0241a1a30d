"""Descriptions of reads as text: short, and much like the code that makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from reprlib import Repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .keys import Keys
    from .schema import Schema

_VALUES = Repr()
_VALUES.maxstring = _VALUES.maxother = 60


def place(schema: Schema, keys: Keys) -> str:
    """Name where a read looks: an entity, or one of its indexes."""
    label = next((label for label, one in schema.indexes.items() if one is keys), None)
    return schema.name if label is None else f"{schema.name}.{label}"


def arguments(fields: Mapping[str, Any]) -> str:
    """Write fields as the arguments of a call."""
    return ", ".join(f"{name}={_VALUES.repr(value)}" for name, value in fields.items())


def chain(read: Any) -> str:
    """Write what a description has beside its fields, as the calls that gave it that."""
    return "".join(f".{call}" for call in _calls(read))


def _calls(read: Any) -> Iterator[str]:
    match getattr(read, "comparison", None):
        case (operator, operands):
            yield f"{operator}({', '.join(map(_VALUES.repr, operands))})"
    if getattr(read, "condition", None) is not None:
        yield "filter(…)"
    match getattr(read, "fetches", None):
        case (schema, _):
            yield f"fetch({schema.name})"
    if getattr(read, "shape", None) is not None:
        yield f"only({read.shape.__name__})"
    if not getattr(read, "forward", True):
        yield "descending()"
    if getattr(read, "segments", 1) > 1:
        yield f"parallel({read.segments})"
    limit = read.most if hasattr(read, "most") else getattr(read, "page_size", None)
    if limit is not None:
        yield f"limit({limit})"
    if getattr(read, "consistent", False):
        yield "strong()"
