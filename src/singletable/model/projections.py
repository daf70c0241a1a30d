"""Smaller shapes of an entity: models and dataclasses that have some of its fields."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, TypeAdapter

from singletable.errors import UsageError
from singletable.values import Item

if TYPE_CHECKING:
    from .schema import Schema


def projected_fields(shape: type, schema: Schema) -> tuple[str, ...]:
    """Name the fields of a shape; all must be fields of the entity."""
    names = _fields(shape)
    unknown = [name for name in names if name not in schema.fields]
    if unknown or not names:
        raise UsageError(
            f"{shape.__name__} is no part of {schema.name}: it has "
            + (f"{', '.join(unknown)}, which {schema.name} lacks" if unknown else "no fields")
        )
    return names


def projected(shape: type, schema: Schema, item: Item) -> Any:
    """Make a shape of an item; raises pydantic's error where that cannot be."""
    values = schema.items.part(item, _fields(shape))
    return _adapter(shape).validate_python(values, by_name=True, strict=False)


@cache
def _fields(shape: type) -> tuple[str, ...]:
    if issubclass(shape, BaseModel):
        return tuple(shape.model_fields)
    return tuple(get_type_hints(shape))


@cache
def _adapter(shape: type) -> TypeAdapter[Any]:
    return TypeAdapter(shape)
