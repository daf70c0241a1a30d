"""Items that pydantic reads as they are, with as little Python as possible in between.

pydantic can look a value up by a path. A validator that looks for ``["title", "S"]`` in place of
``title`` reads attribute values in a third of the time that it takes to decode them first. What it
cannot look up so is decoded for it: lists, sets, maps, and whatever an entity's own validators are
to see first. It says nothing of an item that it refuses: that one is read in the plain way, which
then accepts it after all or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import SchemaError, SchemaValidator

from singletable.values import Item

from .codec import DECODERS, decode

if TYPE_CHECKING:
    from .entity import Entity

DECODED = "\0"
"""Where the values are that were decoded beforehand."""

KINDS = {
    "bool": "BOOL",
    "date": "S",
    "datetime": "S",
    "decimal": "N",
    "float": "N",
    "int": "N",
    "str": "S",
    "uuid": "S",
}
"""pydantic's name of a type → the type of attribute that it reads without decoding."""

TRANSPARENT = frozenset({"default", "function-after", "nullable"})
"""Schemas that hand what they are given on to the one inside."""

ITEM, MAP = frozenset({"ignore", "forbid"}), frozenset({"ignore"})
"""What a model may say of extras, where what an item has beside its fields is kept apart, and in
a map, where it is not."""


@dataclass(frozen=True, slots=True)
class DirectReader:
    """Reads items of one entity, those that are as it writes them."""

    validate: Callable[..., Entity]
    decoded: tuple[tuple[str, str, Callable[[], Any] | None], ...]
    """Fields to decode beforehand: the attribute of each, and what its absence means."""

    @classmethod
    def of(
        cls,
        entity: type[Entity],
        attributes: Mapping[str, str],
        apart: Mapping[str, Callable[[], Any] | None],
    ) -> DirectReader | None:
        """Compile a reader; None where the entity has more to it than its fields.

        Fields ``apart`` are to be decoded; what their absence means, if not the default, is given.
        """
        decoded = []

        def place(name: str, field: Any) -> Any:
            placed = _placed(field, attributes[name]) if name not in apart else None
            if placed is None:
                decoded.append((name, attributes[name], apart.get(name)))
            return placed or {**field, "validation_alias": [[DECODED, name]]}

        schema = _with_fields(entity.__pydantic_core_schema__, place, ITEM)
        try:
            # Otherwise pydantic would put the class's own validator in the place of this one.
            validator = SchemaValidator(schema, _use_prebuilt=False) if schema else None
        except (SchemaError, TypeError):  # an older pydantic knows no such option
            return None
        return cls(validator.validate_python, tuple(decoded)) if validator else None

    def read(self, item: Item) -> Entity | None:
        """Make the entity of an item; None if it has to be read in the plain way."""
        decoded = {}
        for field, attribute, absent in self.decoded:
            value = item.get(attribute)
            if value is not None:
                decoded[field] = decode(value)
            elif absent is not None:
                decoded[field] = absent()
        try:
            return self.validate({**item, DECODED: decoded}, strict=False)
        except ValidationError:
            return None


def _with_fields(
    schema: Any, place: Callable[[str, Any], Any], extras: frozenset[str]
) -> Any | None:
    """Give the schema of a model with its fields in other places; None if it is no plain model.

    What is there beside the fields is passed over, if to do so with extras is allowed.
    """
    if schema["type"] in {"definitions", "function-after"}:
        inner = _with_fields(schema["schema"], place, extras)
        return {**schema, "schema": inner} if inner else None
    if not _is_plain(schema, extras):
        return None
    fields = {name: place(name, field) for name, field in schema["schema"]["fields"].items()}
    if None in fields.values():
        return None
    config = {**schema.get("config", {}), "extra_fields_behavior": "ignore"}
    return {**schema, "config": config, "schema": {**schema["schema"], "fields": fields}}


def _is_plain(schema: Any, extras: frozenset[str]) -> bool:
    if schema["type"] != "model" or schema["schema"]["type"] != "model-fields":
        return False
    extra = schema.get("config", {}).get("extra_fields_behavior", "ignore")
    return extra in extras and not schema.get("custom_init")


def _placed(field: Any, attribute: str) -> Any | None:
    """Give a field as it is found in an item; None if it has to be decoded.

    An attribute of another type than expected is found as well, for pydantic to refuse it: it must
    not be taken for one that is absent.
    """
    kind = _kind(field["schema"])
    if kind is not None:
        return {**field, "validation_alias": [[attribute, kind], [attribute]]}
    nested = _nested(field["schema"])
    if nested is None:
        return None
    others = ([attribute, other] for other in DECODERS if other != "M")
    return {**field, "schema": nested, "validation_alias": [[attribute, "M"], *others]}


def _kind(schema: Any) -> str | None:
    while schema["type"] in TRANSPARENT:
        schema = schema["schema"]
    if schema["type"] == "literal":
        return "S" if all(type(one) is str for one in schema["expected"]) else None
    return KINDS.get(schema["type"])


def _nested(schema: Any) -> Any | None:
    """Give the schema of a model inside an item, found in the map that it is stored as."""
    if schema["type"] in TRANSPARENT:
        inner = _nested(schema["schema"])
        return {**schema, "schema": inner} if inner else None
    return _with_fields(schema, _member, MAP)


def _member(name: str, field: Any) -> Any | None:
    if "validation_alias" in field or "serialization_alias" in field:
        return None  # which of its names the map has is the codec's to know
    return _placed(field, name)
