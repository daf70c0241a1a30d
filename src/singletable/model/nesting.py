"""Models inside entities: what the map of one has for its fields, and where a path leads in it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import AliasChoices, BaseModel, RootModel
from pydantic.fields import FieldInfo

from .hints import options


@cache
def stored_model(model: type[BaseModel]) -> tuple[dict[str, str], frozenset[str]]:
    """Give the names of a model's fields in its map, and the fields whose None is not stored there.

    Their absence means None.
    """
    names = {name: _stored_name(name, field) for name, field in model.model_fields.items()}
    silent = frozenset(
        name
        for name, field in model.model_fields.items()
        if field.default_factory is None and field.default is None
    )
    return names, silent


def _stored_name(name: str, field: FieldInfo) -> str:
    """Give the alias by which a field is read, which may be its name."""
    alias = field.validation_alias
    first = alias.choices[0] if isinstance(alias, AliasChoices) else alias
    return first if isinstance(first, str) else name


def member(annotation: Any, element: str | int) -> tuple[str | int, Any]:
    """Give what stands for an element of a value, and the element's type, if it is declared."""
    for option in options(annotation):
        if isinstance(option, type) and issubclass(option, RootModel):
            return member(option.model_fields["root"].annotation, element)
        if isinstance(option, type) and issubclass(option, BaseModel):
            name, (names, _) = str(element), stored_model(option)
            field = option.model_fields.get(name)
            return names.get(name, element), field.annotation if field else None
        if is_dataclass(option) or hasattr(option, "__required_keys__"):  # as a TypedDict has
            return element, _hints(option).get(str(element))
        if get_args(option):
            return element, _element(option, element)
    return element, None


def _hints(shape: Any) -> dict[str, Any]:
    with suppress(NameError):  # of what is declared inside of a function
        return get_type_hints(shape, include_extras=True)
    return {}


def _element(container: Any, element: str | int) -> Any:
    members = get_args(container)
    if get_origin(container) is not tuple or ... in members:
        return next((one for one in reversed(members) if one is not ...), None)
    return members[element] if isinstance(element, int) and element < len(members) else None
