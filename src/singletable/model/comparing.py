"""Values that conditions hold against fields, encoded so that a field can have them.

DynamoDB compares values of one attribute type and takes all others for different: a condition with
a text for a number would hold of no item, in silence. Such a value is converted as an update
converts it, or refused. Limits and validators of the field are not asked, as nothing is written:
``F("age") >= 0`` may be said of ages above 18. Where pydantic does not tell what a place holds,
anything may be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import SchemaValidator

from singletable.errors import UsageError
from singletable.values import AttributeValue

from .codec import Encode, encode, encode_epoch
from .paths import field_of
from .places import LISTS, NUMBERS, SETS, TEXTS, Core, Place, place_at

if TYPE_CHECKING:
    from .schema import Schema

MAPS = frozenset({"dict", "model", "dataclass", "typed-dict"})
STORED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(NUMBERS, frozenset({"N"})),
    **dict.fromkeys(TEXTS, frozenset({"S"})),
    **dict.fromkeys(LISTS, frozenset({"L"})),
    **dict.fromkeys(SETS, frozenset({"SS", "NS", "BS"})),
    **dict.fromkeys(MAPS, frozenset({"M"})),
    "bytes": frozenset({"B"}),
    "bool": frozenset({"BOOL"}),
}
"""The types of attributes that values of pydantic's types are stored as."""

PLAIN = {**dict.fromkeys(LISTS, "list"), **dict.fromkeys(MAPS, "dict")}
"""The types that stand for others where only the outermost matters."""


@dataclass(frozen=True)
class Comparing:
    """Encodes what the values of one place are compared with."""

    place: Place
    encode: Encode = encode

    def encoded(self, value: Any) -> AttributeValue:
        """Encode a value, or refuse one that can neither stand here nor be converted."""
        if self.encode is encode_epoch:
            return encode_epoch(self._converted(value))
        encoded = self.encode(value)
        if not self.kinds or not self.kinds.isdisjoint(encoded):
            return encoded
        return self.encode(self._converted(value))

    def part(self, value: Any) -> AttributeValue:
        """Encode a member of a list or set, or a part of a text."""
        if self.place.kind in LISTS | SETS:
            return Comparing(self.place.at(0)).encoded(value)
        encoded = encode(value)
        if self.place.kind in TEXTS and self.kinds.isdisjoint(encoded):
            raise self.place.refusal(f"contain {value!r}", f"it holds {self._told}")
        return encoded

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Give the types of attributes that stand here; none where they are not known."""
        inner = self.place.inner
        if inner["type"] == "union":
            several = [Comparing(choice).kinds for choice in self._choices]
            return frozenset[str]().union(*several) if all(several) else frozenset()
        members = inner.get("expected") or inner.get("members") or ()
        listed = frozenset(kind for member in members for kind in encode(member))
        return listed or STORED.get(inner["type"], frozenset())

    @property
    def _told(self) -> str:
        is_union = self.place.kind == "union"
        return " or ".join(choice.kind for choice in self._choices) if is_union else self.place.kind

    @property
    def _choices(self) -> Iterator[Place]:
        for choice in self.place.inner["choices"]:
            core = choice[0] if isinstance(choice, tuple) else choice
            yield replace(self.place, core=core)

    def _converted(self, value: Any) -> Any:
        try:
            return self._validator.validate_python(value)
        except ValidationError as error:
            faults = "; ".join(fault["msg"] for fault in error.errors())
            raise self.place.refusal(
                f"be compared with {value!r}", f"it holds {self._told}. {faults}"
            ) from error

    @cached_property
    def _validator(self) -> SchemaValidator:
        return SchemaValidator(self.bare, self.place.config)

    @cached_property
    def bare(self) -> Core:
        """Give the type alone, without what limits its values or is inside of them."""
        inner = self.place.inner
        kind = inner["type"]
        if kind == "union":
            return {"type": kind, "choices": [Comparing(choice).bare for choice in self._choices]}
        if kind in {"literal", "enum"}:
            return inner
        strict = {"strict": inner["strict"]} if "strict" in inner else {}
        return {"type": PLAIN.get(kind, kind), **strict}


@lru_cache(maxsize=4096)
def comparing_at(schema: Schema, path: str) -> Comparing:
    """Give what encodes the values that a path is compared with."""
    name = field_of(path)
    schema.check_field(name, schema.name)
    unknown = Place(f"{schema.name}.{path}", path, None, {})
    if name in schema.large:
        return Comparing(unknown, schema.items.encoder(name) if path == name else encode)
    place = unknown
    with suppress(UsageError):  # what a model does not declare, others may have stored there
        place = place_at(schema, path)
    return Comparing(place, schema.items.encoder(name) if path == name else encode)
