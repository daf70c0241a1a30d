"""How large the fields of an entity are: as far as their types tell, and as long as they may be."""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from annotated_types import MaxLen
from pydantic.fields import FieldInfo

from singletable.errors import SingletableError
from singletable.model.schema import Schema
from singletable.model.templates.annotations import format_of

_SCALAR_BYTES = 30
_LIST_BYTES = 200
_UTF8_MAX = 4


def expected_bytes(schema: Schema, fields: Iterable[str]) -> float:
    """Estimate what fields take in an item: half of their longest, or a guess by their type."""
    return sum(_expected(schema, name, schema.fields[name]) for name in fields)


def longest_bytes(schema: Schema) -> float:
    """Give the most that the fields of declared length can take."""
    return sum(
        most * _width(field.annotation)
        for name, field in schema.fields.items()
        if name not in schema.large and (most := _most(field))
    )


def _expected(schema: Schema, name: str, field: FieldInfo) -> float:
    most = _most(field)
    if most is not None and name not in schema.large:
        return len(name) + most / 2
    try:
        format_of(field.annotation)
    except SingletableError:
        return len(name) + _LIST_BYTES
    return len(name) + _SCALAR_BYTES


def _most(field: FieldInfo) -> int | None:
    return next((one.max_length for one in field.metadata if isinstance(one, MaxLen)), None)


def _width(annotation: Any) -> int:
    """Give the most bytes that one more of a length takes: of a character, of a member."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _width(get_args(annotation)[0])
    if origin in {Union, UnionType}:
        return max(_width(one) for one in get_args(annotation) if one is not NoneType)
    return {str: _UTF8_MAX, bytes: 1}.get(annotation, _LIST_BYTES)
