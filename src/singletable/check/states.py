"""Fields that hold the state of an item: one of a few values, of which a new item has the first."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from singletable.errors import SingletableError
from singletable.model.schema import Schema
from singletable.model.templates.annotations import format_of
from singletable.model.templates.formats import Choice

FLAG = (False, True)


def state_fields(schema: Schema) -> dict[str, Any]:
    """Give the choices that have a default, each with it: what a new item has, and then changes.

    A choice that has to be given is a kind of item.
    """
    return {
        name: field.default
        for name, field in schema.fields.items()
        if field.default is not PydanticUndefined and field.default in _options(field)
    }


def choices(schema: Schema) -> dict[str, tuple[Any, ...]]:
    """Give the choices that can change, since no key needs them, each with its values."""
    options = {
        name: FLAG if field.annotation is bool else _options(field)
        for name, field in schema.fields.items()
    }
    return {
        name: several
        for name, several in options.items()
        if several and name not in schema.key_names
    }


def _options(field: FieldInfo) -> tuple[Any, ...]:
    """Give the values of a field that is a choice; none for another."""
    try:
        format_ = format_of(field.annotation)
    except SingletableError:
        return ()
    return format_.members if isinstance(format_, Choice) else ()


def can_be(schema: Schema, field: str, value: object) -> bool:
    """Tell whether a field may have a value: one of its choices, if it is a choice."""
    try:
        format_ = format_of(schema.fields[field].annotation)
        if isinstance(format_, Choice):
            format_.render(value)
    except ValueError:
        return False
    except SingletableError:
        return True
    return True
