"""How an entity enters the table or an index: which key attributes it has, made from which fields.

A key attribute is made by a template, or is a field itself (multi-attribute indexes), in which case
it has the field's type. An item whose fields leave a key attribute without a value is not in that
index: that is a sparse index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cached_property
from types import NoneType
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from pydantic.fields import FieldInfo

from singletable.errors import DesignError, KeyValueError
from singletable.values import AttributeValue, Item

from .codec import Encode, encode, encode_epoch
from .fields import Expires
from .hints import options
from .table import TableIndex
from .templates import Template
from .templates.annotations import format_of
from .templates.formats import Format
from .templates.slots import Slot
from .templates.times import is_moment

Values = Mapping[str, Any]
When = tuple[tuple[str, tuple[Any, ...]], ...]
"""The values that fields must have for something to hold."""


@dataclass(frozen=True, slots=True)
class TemplateKey:
    """A key attribute that a template makes."""

    attribute: str
    template: Template

    fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Name the fields that it is made from."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", self.template.fields)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Give the slots of the template."""
        return self.template.slots

    def build(self, values: Values) -> AttributeValue:
        """Make the attribute's value."""
        return {"S": self.template.build(values)}


@dataclass(frozen=True, slots=True)
class FieldKey:
    """A key attribute that is a field itself, a number or bytes perhaps."""

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

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Give none: no template makes it."""
        return ()

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
    for option in options(annotation):
        if get_origin(option) is Literal:
            yield from (kind for member in get_args(option) for kind in encode(member))
        elif not isinstance(option, type):
            yield ""
        elif issubclass(option, Enum):
            yield from (kind for member in option for kind in encode(member))
        elif option is not NoneType:
            yield _kind(option)


def _kind(plain: type) -> str:
    named = (kind for known, kind in _KINDS.items() if issubclass(plain, known))
    return next(named, "S" if issubclass(plain, _TEXTS) else "")


@dataclass(frozen=True)
class Keys:
    """The key of an entity in the table or in one index."""

    index: TableIndex
    pk: tuple[KeyAttribute, ...]
    sk: tuple[KeyAttribute, ...]
    when: When = ()

    @cached_property
    def parts(self) -> tuple[KeyAttribute, ...]:
        """Give all attributes of the key, partition first."""
        return (*self.pk, *self.sk)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Name the fields that the key is made from, in order, each once."""
        return tuple(dict.fromkeys(field for part in self.parts for field in part.fields))

    @cached_property
    def told(self) -> frozenset[str]:
        """Name the fields that the partition key tells: not those that only choose a shard."""
        told = {part.field for part in self.pk if isinstance(part, FieldKey)}
        return frozenset(told | {slot.field for slot in slots_of(self.pk) if not slot.scatters})

    @cached_property
    def moments(self) -> frozenset[str]:
        """Name the fields of the key that are moments, for which a date is all of the day."""
        written = [(part.field, part.format) for part in self.parts if isinstance(part, FieldKey)]
        written += [(slot.field, slot.format) for slot in slots_of(self.parts)]
        return frozenset(field for field, format_ in written if is_moment(format_))

    @cached_property
    def doubtful(self) -> frozenset[str]:
        """Name the moments that are a bucket in the partition key and whole in the sort key."""
        buckets = {slot.field for slot in slots_of(self.pk) if slot.is_bucket} & self.moments
        whole = {slot.field for slot in slots_of(self.sk) if not slot.is_bucket}
        whole |= {part.field for part in self.sk if isinstance(part, FieldKey)}
        return frozenset(buckets & whole)

    @property
    def templates(self) -> tuple[Template, ...]:
        """Give the templates of the key, partition first."""
        return tuple(part.template for part in self.parts if isinstance(part, TemplateKey))

    @cached_property
    def made(self) -> tuple[tuple[TemplateKey, When], ...]:
        """Give the attributes that are made from fields, each with what must hold for it.

        What must hold for the index holds for its partition key, so that a change of another
        field never needs to know it; for the sort key of a local index, whose partition key is
        the table's.
        """
        made = [(part, self.when) for part in self.pk] + [(part, ()) for part in self.sk]
        if self.index.local:
            made = [(part, self.when) for part in self.sk]
        return tuple((part, when) for part, when in made if isinstance(part, TemplateKey))

    def build(self, values: Values) -> Item:
        """Make the whole key; every field must have a value."""
        key: Item = {}
        for part in self.parts:
            if type(part) is TemplateKey:  # as most are, without a call
                key[part.attribute] = {"S": part.template.build(values)}
            else:
                key[part.attribute] = part.build(values)
        return key

    def parse(self, item: Item) -> dict[str, Any] | None:
        """Read the values that the key of an item tells; None if it was not made from these."""
        values: dict[str, Any] = {}
        for part in self.parts:
            if not isinstance(part, TemplateKey):
                continue
            told = part.template.parse(item.get(part.attribute, {}).get("S", ""))
            if told is None:
                return None
            values |= told
        return values


def slots_of(parts: Iterable[KeyAttribute]) -> tuple[Slot, ...]:
    """Give the slots of the templates among the parts of a key."""
    return tuple(slot for part in parts for slot in part.slots)


def present(part: KeyAttribute, when: When, values: Values) -> bool:
    """Tell whether an item with these values has the key attribute."""
    for name in part.fields:
        if values[name] is None:
            return False
    return not when or all(values[field] in allowed for field, allowed in when)


def ruled_out(part: KeyAttribute, when: When, known: Values) -> bool:
    """Tell whether these values, perhaps not all of an item's, keep it from the key attribute."""
    if any(name in known and known[name] is None for name in part.fields):
        return True
    return any(field in known and known[field] not in allowed for field, allowed in when)
