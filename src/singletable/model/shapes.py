"""The fields of dataclasses, pydantic models and NamedTuples, all looked at in one way."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from singletable.errors import DesignError

from .hints import options


@dataclass(frozen=True, slots=True)
class ShapeField:
    """A field that objects of a class are made with, and its annotation taken apart."""

    name: str
    required: bool
    options: tuple[Any, ...]
    """The types that a value may have, or the members of a list; without None where optional."""
    container: type[list[Any] | tuple[Any, ...]] | None
    optional: bool


def fields_of(shape: Any) -> list[ShapeField]:
    """Give the fields that objects of a class are made with; none for any other class."""
    required = _required(shape)
    hints = _hints(shape) if required else {}
    return [_field(name, must, hints[name]) for name, must in required.items()]


def _required(shape: Any) -> dict[str, bool]:
    if dataclasses.is_dataclass(shape):
        fields = [one for one in dataclasses.fields(shape) if one.init]
        missing = dataclasses.MISSING
        return {one.name: one.default is one.default_factory is missing for one in fields}
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        return {name: info.is_required() for name, info in shape.model_fields.items()}
    defaults = getattr(shape, "_field_defaults", {})
    return {name: name not in defaults for name in getattr(shape, "_fields", ())}


def _hints(shape: type[Any]) -> dict[str, Any]:
    try:
        return get_type_hints(shape, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise DesignError(
            f"The annotations of {shape.__name__} cannot be resolved ({error}): declare it, and "
            "all that it names, at the top of a module"
        ) from error


def _field(name: str, required: bool, hint: Any) -> ShapeField:  # noqa: FBT001 - made in one place
    found = tuple(options(hint))
    container = _container(found[0]) if len(found) == 1 else None
    if container is not None:
        members = tuple(options(get_args(found[0])[0]))
        return ShapeField(name, required, members, container, optional=False)
    some = tuple(option for option in found if option is not NoneType)
    return ShapeField(name, required, some, None, optional=NoneType in found)


def _container(hint: Any) -> type[list[Any] | tuple[Any, ...]] | None:
    """Tell a list, or a tuple of any length."""
    if get_origin(hint) is list:
        return list
    return tuple if get_origin(hint) is tuple and get_args(hint)[1:] == (...,) else None
