"""What a pydantic model may be and an entity may not: refused when its class is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import NoneType
from typing import TYPE_CHECKING

from pydantic.fields import FieldInfo

from singletable.errors import DesignError

from .hints import allows
from .table import INTERNAL
from .templates import Template

if TYPE_CHECKING:
    from .entity import Entity
    from .schema import Schema

ARGUMENTS = frozenset({"only_if"})
"""The names of arguments beside which updates take fields by name."""


def check_model(entity: type[Entity]) -> None:
    """Refuse fields that nobody declared, and such as could not be named in an update."""
    name = entity.__name__
    if entity.model_config.get("extra") == "allow":
        raise DesignError(
            f'{name}: extra="allow" would make fields of whatever an item has: declare the fields, '
            "or one dict for all; attributes of others are kept without it"
        )
    for field in ARGUMENTS & entity.model_fields.keys():
        raise DesignError(
            f"{name}.{field}: update() has an argument of this name: choose another, and keep the "
            f'attribute with Annotated[..., Attribute("{field}")]'
        )


def check_primary(template: Template, fields: Mapping[str, FieldInfo], delimiter: str) -> None:
    """Refuse a primary key that an item could lack, or share with an item of the store's own."""
    for word in sorted(INTERNAL):
        start = f"{word.upper()}{delimiter}"
        if template.text.startswith(start):
            raise DesignError(
                f"{template.where}: keys that begin with {start} are those of the store's own "
                "items: begin it otherwise"
            )
    for name in template.fields:
        if name in fields and allows(fields[name], NoneType):
            raise DesignError(
                f"{template.where}: {name} can be None, and an item without a whole key cannot be "
                "written: declare it without None"
            )


def check_unique(schema: Schema, bases: Iterable[Schema]) -> None:
    """Refuse to be unique otherwise than a base is: each item of this is one of that, too."""
    for base in bases:
        for field, rule in base.unique.items():
            if schema.unique.get(field) != rule:
                raise DesignError(
                    f"{schema.name}.{field}: it is unique among all {base.name}s, of which every "
                    f"{schema.name} is one: declare it with {rule!r} as there, or not at all"
                )


def check_attributes(schema: Schema) -> None:
    """Refuse an attribute with two meanings, of which one would overwrite the other."""
    table = schema.table
    meanings = {table.type_attribute: "the type", table.schema_attribute: "the schema"}
    for keys in schema.all_keys:
        for part, _ in keys.made:
            meanings[part.attribute] = f"a key made by {part.template.text!r}"
    for field, attribute in schema.attributes.items():
        other = meanings.setdefault(attribute, f"the field {field}")
        if other not in {f"the field {field}", f"a key made by {f'{{{field}}}'!r}"}:
            raise DesignError(
                f"{schema.name}: the attribute {attribute!r} would hold the field {field} and "
                f'{other}: name another, as in {field}: Annotated[..., Attribute("...")]'
            )
