"""Entities ↔ items, compiled once for each entity.

Reading a page is where a store spends its time, so the loops here are flat, and pydantic checks
each item in one call. Attributes that the entity does not declare are kept beside it and written
back: somebody else's data is not lost by a read and a write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any

from pydantic.fields import FieldInfo

from singletable.errors import UsageError
from singletable.values import AttributeValue, Item

from .codec import ENCODERS, NULL, Encode, decode, decode_epoch, encode, encode_epoch
from .direct import DirectReader
from .fields import Attribute, Expires
from .hints import allows
from .keys import FieldKey, When
from .large import encode_large
from .upgrades import declared_upgrades
from .validating import whole_validator

if TYPE_CHECKING:
    from .entity import Entity
    from .schema import Schema


class ItemCodec:
    """Makes items of one entity's values, and entities of items."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.upgrades = declared_upgrades(schema.entity, schema.version)

    def write(self, values: Mapping[str, Any], rest: Item | None = None) -> Item:
        """Make the item of these values, keys and all."""
        item: Item = dict(rest) if rest else {}
        field = ""
        try:
            for field, attribute, own, none in self._writers:
                value = values[field]
                if value is not None:
                    kind = value.__class__
                    if own is not None:
                        item[attribute] = own(value)
                    else:  # a text, as most are, without a call
                        item[attribute] = {"S": value} if kind is str else ENCODERS[kind](value)
                elif none is not None:
                    item[attribute] = none
        except UsageError as fault:
            raise UsageError(f"{self.schema.name}.{field}: {fault}") from None
        for field, attribute in self._sets:
            if _is_empty_set(values[field]):
                item.pop(attribute, None)
        self._enter_keys(item, values)
        item |= self.constant
        return item

    def _enter_keys(self, item: Item, values: Mapping[str, Any]) -> None:
        """Put the key attributes into an item, as far as their fields have values."""
        for attribute, fields, when, build in self._keys:
            for field in fields:  # as ``present`` would, without a call
                if values[field] is None:
                    break
            else:
                if not when or all(values[name] in allowed for name, allowed in when):
                    item[attribute] = {"S": build(values)}

    @cached_property
    def read(self) -> Callable[[Item], Entity]:
        """Make the entity of an item; raises pydantic's error where it is not one."""
        if self._direct is None:
            return self._read_decoded
        return self._direct.reading(frozenset(self._fields), self._read_decoded)

    def _read_decoded(self, item: Item) -> Entity:
        values, rest = self.values(item)
        for field, empty in self._absent:
            if field not in values:
                values[field] = empty()
        entity: Entity = self._validate(values, by_name=True, strict=False)
        if rest:
            object.__setattr__(entity, "_rest", rest)
        return entity

    def values(self, item: Item) -> tuple[dict[str, Any], Item]:
        """Give the values of an item's fields, and the attributes that are no fields."""
        values: dict[str, Any] = {}
        rest: Item = {}
        field_of = self._fields.get
        for attribute, value in item.items():
            field = field_of(attribute)
            if field:
                text = value.get("S")
                values[field] = decode(value) if text is None else text
            elif field is None:
                rest[attribute] = value
        for attribute, field in self._older:
            if attribute in item and field not in values:
                values[field] = decode(item[attribute])
        if self.upgrades:
            values, rest = self._upgraded(item, values, rest)
        expiry = self.schema.expiry_field
        if expiry is not None and isinstance(values.get(expiry), int | Decimal):
            values[expiry] = decode_epoch(values[expiry])
        for field, large in self.schema.large.items():
            if field in values:
                values[field] = large.decode(values[field])
        return values, rest

    def part(self, item: Item, fields: Iterable[str]) -> dict[str, Any]:
        """Give the values of some fields as ``read`` would, but unchecked; without missing ones."""
        values, _ = self.values(item)
        absent = dict(self._absent)
        part = {}
        for name in fields:
            if name in values:
                part[name] = values[name]
            elif name in absent:
                part[name] = absent[name]()
            elif not self.schema.fields[name].is_required():
                part[name] = self.schema.fields[name].get_default(
                    call_default_factory=True, validated_data=values
                )
        return part

    def stored(self, field: str, value: Any) -> AttributeValue | None:
        """Give what an item has for the value of a field; None where it has no attribute then."""
        if value is None:
            return self._none[field]
        if not value and _is_empty_set(value):
            return None
        try:
            return (self._encoders.get(field) or ENCODERS[value.__class__])(value)
        except UsageError as fault:
            raise UsageError(f"{self.schema.name}.{field}: {fault}") from None

    def encoder(self, field: str) -> Encode:
        """Give what encodes a field."""
        return self._encoders.get(field, encode)

    @cached_property
    def _encoders(self) -> dict[str, Encode]:
        """Give what encodes the fields that are not encoded by the types of their values."""
        expiry = self.schema.expiry_field
        own: dict[str, Encode] = dict.fromkeys(self.schema.large, encode_large)
        return own if expiry is None else {**own, expiry: encode_epoch}

    def is_older(self, item: Item) -> bool:
        """Tell whether an item was written by an older schema, and is upgraded when it is read."""
        return bool(self.upgrades) and self._schema_of(item) < self.schema.version

    def newer(self, item: Item) -> str | None:
        """Say that a newer schema wrote an item, if one did: code that is newer can read it."""
        theirs, mine = self._schema_of(item), self.schema.version
        if theirs <= mine:
            return None
        return f"schema {theirs} is newer than the {mine} that this code knows"

    def _schema_of(self, item: Item) -> int:
        number = item.get(self.schema.table.schema_attribute, {}).get("N")
        return int(Decimal(number)) if number else 1

    def _upgraded(
        self, item: Item, values: dict[str, Any], rest: Item
    ) -> tuple[dict[str, Any], Item]:
        older = self._schema_of(item)
        if older >= self.schema.version:
            return values, rest
        values = {name: decode(value) for name, value in rest.items()} | values
        for number in range(older, self.schema.version):
            values = self.upgrades[number](values)
        fields = self.schema.fields
        left = {name: encode(value) for name, value in values.items() if name not in fields}
        return {name: value for name, value in values.items() if name in fields}, left

    @cached_property
    def _direct(self) -> DirectReader | None:
        """Give the faster way to read, which most entities and almost all their items can go."""
        schema = self.schema
        if self.upgrades or schema.large or self._older or schema.expiry_field:
            return None
        return DirectReader.of(schema.entity, schema.attributes, dict(self._absent))

    @cached_property
    def _validate(self) -> Callable[..., Any]:
        return self.schema.entity.__pydantic_validator__.validate_python

    @cached_property
    def validate_whole(self) -> Callable[..., Any]:
        """Give what checks all values of an entity that is about to be written."""
        return whole_validator(self.schema.entity)

    @cached_property
    def constant(self) -> Item:
        """Give what every item of the entity has: its type and, if not the first, its schema."""
        table = self.schema.table
        constant: Item = {table.type_attribute: {"S": self.schema.type}}
        if self.schema.version > 1:
            constant[table.schema_attribute] = {"N": str(self.schema.version)}
        return constant

    @cached_property
    def _own(self) -> frozenset[str]:
        """Name the attributes that are the table's, not the entity's: keys made by templates."""
        table = self.schema.table
        indexes = (table.primary, *table.indexes.values())
        names = {attribute for index in indexes for attribute in index.attributes}
        keys = [keys for schema in table.entities.values() for keys in schema.all_keys]
        parts = (part for one in keys for part in one.parts)
        names -= {part.attribute for part in parts if isinstance(part, FieldKey)}
        return frozenset({*names, table.type_attribute, table.schema_attribute})

    @cached_property
    def _fields(self) -> dict[str, str]:
        """Map attributes to fields; to nothing what is the table's own, or of an older name."""
        apart = dict.fromkeys((*self._own, *(name for name, _ in self._older)), "")
        return apart | {attribute: field for field, attribute in self.schema.attributes.items()}

    @cached_property
    def _older(self) -> tuple[tuple[str, str], ...]:
        """Give the older names of attributes, each with its field; what comes first is newer."""
        marked = self.schema.marked(Attribute).items()
        return tuple((name, field) for field, marker in marked for name in marker.older)

    @cached_property
    def _writers(self) -> tuple[tuple[str, str, Encode | None, AttributeValue | None], ...]:
        attributes, own = self.schema.attributes, self._encoders
        return tuple(
            (name, attributes[name], own.get(name), none) for name, none in self._none.items()
        )

    @cached_property
    def _keys(self) -> tuple[tuple[str, tuple[str, ...], When, Callable[..., str]], ...]:
        """Give the key attributes that templates make: of which fields, when, and what makes it."""
        return tuple(
            (part.attribute, part.fields, when, part.template.build)
            for keys in self.schema.all_keys
            for part, when in keys.made
        )

    @cached_property
    def _none(self) -> dict[str, AttributeValue | None]:
        """Give what an item has for a field that is None."""
        silent = self._absent_for_none
        return {name: None if name in silent else NULL for name in self.schema.fields}

    @cached_property
    def _absent_for_none(self) -> frozenset[str]:
        """Name the fields that are None where their attribute is absent: None is not stored.

        So it is where there is no other default, and where DynamoDB takes no NULL, in a key.
        """
        parts = (part for keys in self.schema.indexes.values() for part in keys.parts)
        keys = {part.field for part in parts if isinstance(part, FieldKey)}
        fields = self.schema.fields.items()
        silent = {name for name, field in fields if field.is_required() or _defaults_to_none(field)}
        return frozenset(
            {name for name, field in fields if allows(field, NoneType)} & (keys | silent)
        )

    @cached_property
    def _sets(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (name, self.schema.attributes[name])
            for name, field in self.schema.fields.items()
            if allows(field, set, frozenset)
        )

    @cached_property
    def set_fields(self) -> frozenset[str]:
        """Name the fields that hold sets, which are empty where their attribute is absent."""
        return frozenset(name for name, _ in self._sets)

    @cached_property
    def _absent(self) -> tuple[tuple[str, Callable[[], Any]], ...]:
        """Give what a field has when its attribute is absent, where the default is not it.

        None, as it was not stored; and of a set, an empty one, or one that was emptied would have
        its default again: DynamoDB has no empty sets.
        """
        nothing = self._absent_for_none
        empty = [name for name, _ in self._sets if name not in nothing]
        others = [name for name in nothing if not _defaults_to_none(self.schema.fields[name])]
        return (*((name, set) for name in empty), *((name, NoneType) for name in others))


def _defaults_to_none(field: FieldInfo) -> bool:
    if isinstance(field.default_factory, Expires):
        return field.default_factory.after is None
    return field.default_factory is None and field.default is None


def _is_empty_set(value: Any) -> bool:
    return value.__class__ in {set, frozenset} and not value
