"""How an entity enters the table or an index: which key attributes it has, made from which fields.

A key attribute is made by a template, or is a field itself (multi-attribute indexes), in which case
it has the field's type. An item whose fields leave a key attribute without a value is not in that
index: that is a sparse index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic.fields import FieldInfo

from singletable.errors import DesignError, KeyValueError
from singletable.values import AttributeValue, Item

from .codec import Encode, encode, encode_epoch
from .fields import Expires
from .table import TableIndex
from .templates import Template
from .templates.annotations import format_of
from .templates.formats import Format
from .templates.slots import Slot
from .templates.times import is_moment

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TemplateKey:
    """Is a key attribute that a template makes."""

    attribute: str
    template: Template

    fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Name the fields that it is made from."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", self.template.fields)

    def build(self, values: Values) -> AttributeValue:
        """Make the attribute's value."""
        return {"S": self.template.build(values)}


@dataclass(frozen=True, slots=True)
class FieldKey:
    """Is a key attribute that is a field itself, a number or bytes perhaps."""

    attribute: str
    field: str
    kind: str = "S"
    """The type of the attribute: S, N or B."""
    format: Format | None = None
    """What knows the values of a field that is stored as text."""
    encode: Encode = encode

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the field."""
        return (self.field,)

    def build(self, values: Values) -> AttributeValue:
        """Give the attribute's value."""
        return self.value(values[self.field])

    def value(self, value: Any) -> AttributeValue:
        """Encode a value, or refuse one that no item can have."""
        try:
            if self.format is not None:
                self.format.render(value)
            encoded = self.encode(value)
        except (ValueError, AttributeError) as fault:
            raise self._refusal(value, str(fault)) from None
        if self.kind not in encoded:
            raise self._refusal(value, f"the attribute has the type {self.kind}")
        return encoded

    def first(self, operand: Any) -> AttributeValue:
        """Encode the first value that an operand of a comparison stands for."""
        return self.value(self.format.first(operand) if self.format else operand)

    def last(self, operand: Any) -> AttributeValue:
        """Encode the last value that an operand of a comparison stands for."""
        return self.value(self.format.last(operand) if self.format else operand)

    def opening(self, prefix: Any) -> AttributeValue:
        """Encode the beginning of a text."""
        try:
            return {"S": self.format.opening(prefix)} if self.format else self.value(prefix)
        except ValueError as fault:
            raise self._refusal(prefix, str(fault)) from None

    def _refusal(self, value: Any, fault: str) -> KeyValueError:
        return KeyValueError(f"{self.attribute}: {self.field}={value!r} is refused: {fault}")


KeyAttribute = TemplateKey | FieldKey

_KINDS = {bool: "BOOL", int: "N", float: "N", Decimal: "N", bytes: "B", str: "S"}
_TEXTS = (date, UUID)


def field_key(attribute: str, field: str, info: FieldInfo) -> FieldKey:
    """Make the key attribute of a field; refuse a type that DynamoDB takes for no key."""
    if isinstance(info.default_factory, Expires):
        return FieldKey(attribute, field, "N", encode=encode_epoch)
    kinds = set(_kinds(info.annotation))
    if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
        raise DesignError(
            f"{field} cannot be a key attribute: it must be always text, always a number or "
            "always bytes"
        )
    kind = kinds.pop()
    return FieldKey(attribute, field, kind, format_of(info.annotation) if kind == "S" else None)


def _kinds(annotation: Any) -> Iterator[str]:
    """Give the types that attributes of an annotated field can have."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _kinds(get_args(annotation)[0])
    elif origin in {Union, UnionType}:
        for option in get_args(annotation):
            yield from () if option is NoneType else _kinds(option)
    elif origin is Literal or (isinstance(annotation, type) and issubclass(annotation, Enum)):
        members = get_args(annotation) if origin is Literal else tuple(annotation)
        yield from (kind for member in members for kind in encode(member))
    else:
        yield _kind(getattr(annotation, "__supertype__", annotation))


def _kind(plain: Any) -> str:
    if not isinstance(plain, type):
        return ""
    named = (kind for known, kind in _KINDS.items() if issubclass(plain, known))
    return next(named, "S" if issubclass(plain, _TEXTS) else "")


@dataclass(frozen=True)
class Keys:
    """Is the key of an entity in the table or in one index."""

    index: TableIndex
    pk: tuple[KeyAttribute, ...]
    sk: tuple[KeyAttribute, ...]
    when: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Name the fields that the key is made from, in order, each once."""
        parts = (*self.pk, *self.sk)
        return tuple(dict.fromkeys(field for part in parts for field in part.fields))

    @cached_property
    def told(self) -> frozenset[str]:
        """Name the fields that the partition key tells: not those that only choose a shard."""
        told = {part.field for part in self.pk if isinstance(part, FieldKey)}
        return frozenset(told | {slot.field for slot in _slots(self.pk) if not slot.scatters})

    @cached_property
    def moments(self) -> frozenset[str]:
        """Name the fields of the key that are moments, for which a date is all of the day."""
        parts = (*self.pk, *self.sk)
        written = [(part.field, part.format) for part in parts if isinstance(part, FieldKey)]
        written += [(slot.field, slot.format) for slot in _slots(parts)]
        return frozenset(field for field, format_ in written if is_moment(format_))

    @cached_property
    def doubtful(self) -> frozenset[str]:
        """Name the moments that are a bucket in the partition key and whole in the sort key."""
        buckets = {slot.field for slot in _slots(self.pk) if slot.is_bucket} & self.moments
        whole = {slot.field for slot in _slots(self.sk) if not slot.is_bucket}
        whole |= {part.field for part in self.sk if isinstance(part, FieldKey)}
        return frozenset(buckets & whole)

    @property
    def templates(self) -> tuple[Template, ...]:
        """Give the templates of the key, partition first."""
        return tuple(
            part.template for part in (*self.pk, *self.sk) if isinstance(part, TemplateKey)
        )

    @cached_property
    def made(self) -> tuple[tuple[TemplateKey, tuple[tuple[str, tuple[Any, ...]], ...]], ...]:
        """Give the attributes that are made from fields, each with what must hold for it.

        What must hold for the index holds for its partition key, so that a change of another
        field never needs to know it; for the sort key of a local index, whose partition key is
        the table's.
        """
        made = [(part, self.when) for part in self.pk] + [(part, ()) for part in self.sk]
        if self.index.local:
            made = [(part, self.when) for part in self.sk]
        return tuple((part, when) for part, when in made if isinstance(part, TemplateKey))

    @cached_property
    def _parts(self) -> tuple[KeyAttribute, ...]:
        return (*self.pk, *self.sk)

    def build(self, values: Values) -> Item:
        """Make the whole key; every field must have a value."""
        key: Item = {}
        for part in self._parts:
            key[part.attribute] = part.build(values)  # a comprehension would cost a call
        return key

    def enter(self, item: Item, values: Values) -> None:
        """Put the key attributes into an item, as far as its fields have values."""
        for part, when in self.made:
            if present(part, when, values):
                item[part.attribute] = part.build(values)

    def parse(self, item: Item) -> dict[str, Any] | None:
        """Read the values that the key of an item tells; None if it was not made from these."""
        values: dict[str, Any] = {}
        for part in (*self.pk, *self.sk):
            if not isinstance(part, TemplateKey):
                continue
            told = part.template.parse(item.get(part.attribute, {}).get("S", ""))
            if told is None:
                return None
            values |= told
        return values


def _slots(parts: tuple[KeyAttribute, ...]) -> Iterator[Slot]:
    for part in parts:
        yield from part.template.slots if isinstance(part, TemplateKey) else ()


def present(
    part: KeyAttribute, when: tuple[tuple[str, tuple[Any, ...]], ...], values: Values
) -> bool:
    """Tell whether an item with these values has the key attribute."""
    for name in part.fields:
        if values[name] is None:
            return False
    return not when or all(values[field] in allowed for field, allowed in when)
