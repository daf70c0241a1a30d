"""Fields that hold the state of an item: one of a few values, of which a new item has the first."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from singletable.errors import SingletableError
from singletable.model.schema import Schema
from singletable.model.templates.annotations import format_of
from singletable.model.templates.formats import Choice

UNFINISHED = {"DRAFT", "HIDDEN", "PENDING", "PRIVATE", "UNPUBLISHED"}
"""What a value is called that is not for everybody's eyes."""


def state_fields(schema: Schema) -> dict[str, Any]:
    """Give the choices that have a default, each with it: what a new item has, and then changes.

    A choice that has to be given is a kind of item.
    """
    return {
        name: field.default
        for name, field in schema.fields.items()
        if field.default is not PydanticUndefined and field.default in _options(field)
    }


def unfinished_states(schema: Schema) -> dict[str, Any]:
    """Give the choices that an item may have before it is for everybody, each with that value."""
    found = {name: _unfinished(field) for name, field in schema.fields.items()}
    return {name: value for name, value in found.items() if value is not None}


def _unfinished(field: FieldInfo) -> Any:
    defaults = () if field.default is PydanticUndefined else (field.default,)
    first = [one for one in _options(field) if one in defaults or not defaults]
    return next((one for one in first if str(one).upper() in UNFINISHED), None)


def _options(field: FieldInfo) -> tuple[Any, ...]:
    """Give the values of a field that is a choice; none for another."""
    try:
        format_ = format_of(field.annotation)
    except SingletableError:
        return ()
    return format_.members if isinstance(format_, Choice) else ()
