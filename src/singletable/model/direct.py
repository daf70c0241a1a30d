"""Items that pydantic reads as they are, with as little Python as possible in between.

pydantic can look a value up by a path. A validator that looks for ``["title", "S"]`` in place of
``title`` reads attribute values in a third of the time that it takes to decode them first; so it
reads the members of lists. What it cannot look up so it has decoded where it finds it: sets, maps,
and whatever an entity's own validators are to see first. Fields whose absence does not mean their
default are decoded beforehand. It says nothing of an item that it refuses: that one is read in the
plain way, which then accepts it after all or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import SchemaError, SchemaValidator
from pydantic_core.core_schema import no_info_before_validator_function

from singletable.values import Item

from .codec import DECODERS, decode, decode_content

if TYPE_CHECKING:
    from .entity import Entity

T = TypeVar("T")

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
    decoded: tuple[tuple[str, str, Callable[[], Any]], ...]
    """Fields to decode beforehand: the attribute of each, and what its absence means."""

    @classmethod
    def of(
        cls,
        entity: type[Entity],
        attributes: Mapping[str, str],
        apart: Mapping[str, Callable[[], Any]],
    ) -> DirectReader | None:
        """Compile a reader; None where the entity has more to it than its fields.

        Of fields ``apart`` is given what their absence means, where that is not the default.
        """
        decoded = []

        def place(name: str, field: Any) -> Any:
            if name not in apart:
                return _placed(field, attributes[name])
            decoded.append((name, attributes[name], apart[name]))
            return {**field, "validation_alias": [[DECODED, name]]}

        schema = _with_fields(entity.__pydantic_core_schema__, place, ITEM)
        try:
            # Otherwise pydantic would put the class's own validator in the place of this one.
            validator = SchemaValidator(schema, _use_prebuilt=False) if schema else None
        except (SchemaError, TypeError):  # an older pydantic knows no such option
            return None
        return cls(validator.validate_python, tuple(decoded)) if validator else None

    def reading(
        self, known: frozenset[str], otherwise: Callable[[Item], T]
    ) -> Callable[[Item], Entity | T]:
        """Give what makes the entity of an item; of one that it refuses, what is made otherwise.

        What an item has beside the ``known`` attributes is kept. Every item of a page goes through
        it, so it is one function that calls no other.
        """
        validate, prepared = self.validate, self._with_decoded if self.decoded else None

        def read(item: Item) -> Entity | T:
            try:
                entity = validate(item if prepared is None else prepared(item), strict=False)
            except (ValidationError, KeyError):
                return otherwise(item)
            if not item.keys() <= known:
                rest = {name: value for name, value in item.items() if name not in known}
                object.__setattr__(entity, "_rest", rest)
            return entity

        return read

    def _with_decoded(self, item: Item) -> dict[str, Any]:
        decoded = {}
        for field, attribute, absent in self.decoded:
            value = item.get(attribute)
            decoded[field] = absent() if value is None else decode(value)
        return {**item, DECODED: decoded}


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
    config = schema.get("config", {})
    extra = config.get("extra_fields_behavior", "ignore")
    return extra in extras and not schema.get("custom_init") and not config.get("validate_default")


def _placed(field: Any, attribute: str) -> Any | None:
    """Give a field as it is found in an item; None if it cannot be.

    An attribute of another type than expected is found as well, for pydantic to refuse it: it must
    not be taken for one that is absent.
    """
    kind = _kind(field["schema"])
    if kind is not None:
        return {**field, "validation_alias": [[attribute, kind], [attribute]]}
    nested = _nested(field["schema"])
    if nested is None:
        content = _list(field["schema"]) or _decoded(field["schema"])
        places = [[attribute, "L"], [attribute]]
        return content and {**field, "schema": content, "validation_alias": places}
    others = ([attribute, other] for other in DECODERS if other != "M")
    return {**field, "schema": nested, "validation_alias": [[attribute, "M"], *others]}


def _list(schema: Any) -> Any | None:
    """Give the schema of a list whose members are found where they stand; None if they cannot be.

    A default is none that was stored.
    """
    if schema["type"] in {"default", "function-after"} and not schema.get("validate_default"):
        inner = _list(schema["schema"])
        return inner and {**schema, "schema": inner}
    if schema["type"] != "list" or "items_schema" not in schema:
        return None
    member = _found(schema["items_schema"])
    return member and {**schema, "items_schema": member}


def _found(schema: Any) -> Any | None:
    """Give the schema of a member of a list, in whose place its attribute value stands.

    There is a KeyError where that is of another type than expected.
    """
    kind = _kind(schema)
    content = schema if kind else _nested(schema)
    if content is None or schema["type"] == "nullable":  # which two types are expected of
        return None
    return no_info_before_validator_function(itemgetter(kind or "M"), content)


def _decoded(schema: Any) -> Any | None:
    """Give the schema of a value that is decoded first; a default is none that was stored."""
    if schema["type"] != "default":
        return no_info_before_validator_function(decode_content, schema)
    if schema.get("validate_default"):
        return None
    return {**schema, "schema": no_info_before_validator_function(decode_content, schema["schema"])}


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
