"""Entities that are about to be written, checked as a whole: they may have been changed since.

pydantic checks an object when it is made, not when somebody assigns to a field of it, copies it
with other values, or changes a model inside it. What it would refuse could never be read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import SchemaError, SchemaValidator

from singletable.errors import UsageError

if TYPE_CHECKING:
    from .entity import Entity
    from .schema import Schema

E = TypeVar("E", bound="Entity")

VALUE_MAX = 200
"""How many characters of a value stand in a message."""

VALUES = frozenset({"default", "expected", "metadata", "serialization"})
"""What a core schema has that is no schema."""


def valid(entity: E) -> E:
    """Give the entity as pydantic would make it; raises a ``UsageError`` if it would refuse it."""
    schema, values = entity.__schema__, entity.__dict__
    given = values
    if values.keys() != schema.fields.keys():  # as where a property is kept
        given = {name: values[name] for name in schema.fields if name in values}
    made = validated(schema, given)
    return entity if made == given else entity.model_copy(update=made)


def validated(schema: Schema, values: Mapping[str, Any]) -> dict[str, Any]:
    """Give the values of a whole entity as pydantic would; raises a ``UsageError`` as above."""
    try:
        made = schema.items.validate_whole({**values}, by_name=True, strict=False)
    except ValidationError as error:
        told = faults_of(schema.name, error)
        raise UsageError(f"{told}. Nothing was written") from error
    values_made: dict[str, Any] = made.__dict__
    return values_made


def faults_of(name: str, error: ValidationError) -> str:
    """Tell which values are wrong, and why."""
    return "; ".join(
        f"{'.'.join((name, *map(str, fault['loc'])))} cannot be "
        f"{shorten(repr(fault['input']), VALUE_MAX)}: {fault['msg']}"
        for fault in error.errors()
    )


def whole_validator(entity: type[Entity]) -> Callable[..., Any]:
    """Compile what checks all values of an entity, those inside of models too."""
    schema = _revalidated(entity.__pydantic_core_schema__)
    try:
        # Otherwise pydantic would put the class's own validator in the place of this one.
        return SchemaValidator(schema, _use_prebuilt=False).validate_python
    except (SchemaError, TypeError):  # an older pydantic knows no such option
        return entity.__pydantic_validator__.validate_python


def _revalidated(core: Any) -> Any:
    """Give a schema by which an object is checked even if it is of the right class already."""
    if isinstance(core, list):
        return [_revalidated(each) for each in core]
    if not isinstance(core, dict):
        return core
    made = {key: one if key in VALUES else _revalidated(one) for key, one in core.items()}
    if core.get("type") in {"model", "dataclass"} and "cls" in core:
        made["revalidate_instances"] = "always"
    return made
