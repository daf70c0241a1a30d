"""Places for values: a field, or what a path leads to inside one, and what pydantic knows of it.

A member of a list or map and a field of a model are places too. What pydantic does not tell
(``Any``, unions of several types, types with validators of their own) is not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema

from singletable.errors import UsageError

from .paths import parse_path

if TYPE_CHECKING:
    from .schema import Schema

Core = Mapping[str, Any]
"""What pydantic knows of a type."""

TRANSPARENT = frozenset({"default", "nullable", "function-before", "function-after"})
HANDED_ON = frozenset({"default", "nullable"})
NUMBERS = frozenset({"int", "float", "decimal"})
LISTS = frozenset({"list", "tuple"})
SETS = frozenset({"set", "frozenset"})
TEXTS = frozenset({"str", "bytes", "date", "time", "datetime", "timedelta", "uuid", "url"})
OTHERS = frozenset({"bool", "enum", "literal", "dict", "model", "dataclass", "typed-dict"})
KNOWN = NUMBERS | LISTS | SETS | TEXTS | OTHERS


@dataclass(frozen=True)
class Place:
    """Where a value stands, and what is known of the values that may stand there."""

    label: str
    name: str
    core: Core | None
    definitions: Mapping[str, Core]
    config: core_schema.CoreConfig | None = None
    is_member: bool = False
    """Whether it is a field of a model inside an entity."""

    @cached_property
    def inner(self) -> Core:
        """Give the type without what is wrapped around it."""
        core: Core = self.core or {"type": "any"}
        while True:
            if core["type"] == "definition-ref":
                core = self.definitions[core["schema_ref"]]
            elif core["type"] in TRANSPARENT or core.get("root_model"):
                core = core["schema"]
            else:
                return core

    @property
    def kind(self) -> str:
        """Name the type, as pydantic does."""
        return cast(str, self.inner["type"])

    @property
    def has_default(self) -> bool:
        """Tell whether it can be read where nothing is."""
        return self.core is not None and self.core["type"] == "default"

    @property
    def is_none_by_default(self) -> bool:
        """Tell whether it is read as None where nothing is."""
        return self.has_default and (self.core or {}).get("default", ...) is None

    def check(self, value: Any) -> Any:
        """Give the value as it would stand here."""
        if self.core is None or (value.__class__ is str and self._takes_any_text):
            return value  # pydantic would give such a text as it is
        try:
            values, _, _ = self._validator.validate_python({self.name: value}, by_name=True)
        except ValidationError as error:
            faults = "; ".join(fault["msg"] for fault in error.errors())
            raise self.refusal(f"be {value!r}", faults) from error
        return values[self.name]

    def check_kind(self, change: Any, kinds: frozenset[str], noun: str) -> None:
        """Refuse a change that no value here can take."""
        if self.kind in KNOWN - kinds:
            raise self.refusal(f"be changed by {change!r}", f"it is not {noun}")

    def check_amount(self, amount: Any) -> None:
        """Refuse to add what no value here can grow by; whether it grows too large, items tell."""
        if not isinstance(amount, int | float | Decimal) or not Decimal(amount).is_finite():
            return  # it is refused elsewhere
        for step, held in self._steps:
            if Fraction(amount if isinstance(amount, int) else str(amount)) % step:
                raise self.refusal(f"be changed by {amount!r}", f"it holds {held}")

    def check_members(self, members: Iterable[Any]) -> Iterable[Any]:
        """Give members as they would stand in a list or set here."""
        member = self.at(0)
        return [member.check(each) for each in members]

    def at(self, element: str | int) -> Place:
        """Give the place of a member."""
        name, fields = str(element), self._fields
        label = f"{self.label}[{name}]" if isinstance(element, int) else f"{self.label}.{name}"
        if fields is None:
            core = _member(self.inner)
            return replace(self, label=label, name=name, core=core, is_member=False)
        if name not in fields:
            known = ", ".join(fields)
            raise UsageError(f"{self.label} has no {name!r}; it has {known}")
        config = self.inner.get("config")
        return Place(label, name, fields[name], self.definitions, config, is_member=True)

    @cached_property
    def _fields(self) -> Mapping[str, Core] | None:
        """Give the fields of a model that has these alone."""
        inner = self.inner
        if inner["type"] not in {"model", "dataclass", "typed-dict"}:
            return None
        extra = inner.get("config", {}).get("extra_fields_behavior")
        while inner["type"] not in {"model-fields", "dataclass-args", "typed-dict"}:
            inner = inner["schema"]
        if "allow" in {extra, inner.get("extra_behavior")}:
            return None
        fields = inner["fields"]
        pairs = fields.items() if isinstance(fields, dict) else ((f["name"], f) for f in fields)
        return {name: field["schema"] for name, field in pairs}

    @cached_property
    def _steps(self) -> list[tuple[Fraction, str]]:
        """Give what numbers here are multiples of, each with how it is told."""
        steps = [(Fraction(1), "whole numbers")] if self.kind == "int" else []
        if step := self.inner.get("multiple_of"):
            steps.append((Fraction(str(step)), f"multiples of {step}"))
        if (places := self.inner.get("decimal_places")) is not None:
            steps.append((Fraction(1, 10**places), f"numbers of {places} decimal places"))
        return steps

    @cached_property
    def _takes_any_text(self) -> bool:
        core: Core = self.core or {}
        while core.get("type") in HANDED_ON:
            core = core["schema"]
        is_plain = core.keys() <= {"type", "metadata"} and core.get("type") == "str"
        return is_plain and not any(name.startswith("str_") for name in self.config or ())

    @cached_property
    def _validator(self) -> SchemaValidator:
        # As a field, so that its validators are told its name, and of no other values.
        field = core_schema.model_field(cast(core_schema.CoreSchema, self.core))
        one: core_schema.CoreSchema = core_schema.model_fields_schema({self.name: field})
        if self.definitions:
            definitions = cast("list[core_schema.CoreSchema]", list(self.definitions.values()))
            one = core_schema.definitions_schema(one, definitions)
        return SchemaValidator(one, self.config)

    def refusal(self, what: str, why: str) -> UsageError:
        """Say what cannot be done here."""
        return UsageError(f"{self.label} cannot {what}: {why}")


def _member(inner: Core) -> Core | None:
    """Give the type of the members of a list, set or map, if all have the same."""
    if inner["type"] == "dict":
        return inner.get("values_schema")
    members = inner.get("items_schema")
    if isinstance(members, list):
        return members[0] if len(members) == 1 and "variadic_item_index" in inner else None
    return members


@lru_cache(maxsize=4096)
def place_at(schema: Schema, path: str) -> Place:
    """Find the place that a path leads to; a name that no model there has is refused."""
    first, *others = parse_path(path)
    schema.attribute(str(first))
    place = _field(schema, str(first))
    for element in others:
        place = place.at(element)
    return place


@lru_cache(maxsize=4096)
def _field(schema: Schema, name: str) -> Place:
    """Give the place of a field, with the field's own validators and none of the model's.

    pydantic's own way, to assign to an object, needs a whole object that is not frozen.
    """
    whole = cast(dict[str, Any], schema.entity.__pydantic_core_schema__)
    definitions = {each["ref"]: each for each in whole.get("definitions", ())}
    inner: dict[str, Any] = {"schema": whole, "type": ""}
    config = None
    while inner["type"] != "model-fields":
        inner = definitions[inner["schema_ref"]] if "schema_ref" in inner else inner["schema"]
        config = inner.get("config", config)
    core = inner["fields"][name]["schema"]
    return Place(f"{schema.name}.{name}", name, core, definitions, config)
