"""The entity chart of a design: every entity with its keys, its attributes and what is kept true.

It is plain data, so that every format writes the same, and two charts can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from inspect import cleandoc
from typing import Any

from pydantic.fields import FieldInfo

from singletable.model.keys import KeyAttribute, Keys, TemplateKey
from singletable.model.schema import Schema
from singletable.model.table import Table

from .specimens import Specimen

Templates = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyChart:
    """The key of an entity in the table, or in an index."""

    index: str | None
    pk: Templates
    sk: Templates
    when: str = ""
    """Which items are in the index, where not all are."""


@dataclass(frozen=True, slots=True)
class AttributeChart:
    """An attribute of an entity's items."""

    field: str
    attribute: str
    type: str
    kind: str
    """The DynamoDB type: S, N, BOOL, …"""
    required: bool


@dataclass(frozen=True, slots=True)
class EntityChart:
    """What is known of an entity."""

    name: str
    type: str
    purpose: str
    key: KeyChart
    indexes: tuple[KeyChart, ...]
    attributes: tuple[AttributeChart, ...]
    kept: tuple[str, ...]
    """What the store keeps true, a sentence each."""


def entity_charts(
    table: Table, samples: dict[str, tuple[Specimen, ...]]
) -> tuple[EntityChart, ...]:
    """Chart the entities of a table, in the order they were declared."""
    return tuple(_chart(schema, samples[schema.type]) for schema in table.entities.values())


def _chart(schema: Schema, samples: Sequence[Specimen]) -> EntityChart:
    return EntityChart(
        name=schema.name,
        type=schema.type,
        purpose=summary(schema.entity.__doc__),
        key=_key(schema.keys),
        indexes=tuple(_key(keys) for keys in _in_order(schema)),
        attributes=tuple(_attributes(schema, samples)),
        kept=tuple(_kept(schema)),
    )


def _in_order(schema: Schema) -> list[Keys]:
    order = list(schema.table.indexes)
    return sorted(schema.indexes.values(), key=lambda keys: order.index(keys.index.name or ""))


def _key(keys: Keys) -> KeyChart:
    when = _when(keys.when)
    return KeyChart(keys.index.name, _templates(keys.pk), _templates(keys.sk), when)


def _when(when: Sequence[tuple[str, tuple[Any, ...]]]) -> str:
    return " and ".join(f"{field} is {' or '.join(map(_plain, values))}" for field, values in when)


def _plain(value: Any) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _templates(parts: Sequence[KeyAttribute]) -> Templates:
    return tuple(template_text(part) for part in parts)


def template_text(part: KeyAttribute) -> str:
    """Give the template of a key attribute; that of a field which is the key is the field."""
    return part.template.text if isinstance(part, TemplateKey) else f"{{{part.field}}}"


def _attributes(schema: Schema, samples: Sequence[Specimen]) -> Iterator[AttributeChart]:
    kinds = {
        name: kind
        for specimen in reversed(samples)
        for name, value in specimen.item.items()
        for kind in value
    }
    for field, attribute in schema.attributes.items():
        info = schema.fields[field]
        kind = kinds.get(attribute, "NULL")
        yield AttributeChart(field, attribute, type_text(info), kind, info.is_required())


def type_text(info: FieldInfo | Any) -> str:
    """Write the type of a field as it is declared, without modules and markers."""
    annotation: Any = info.annotation if isinstance(info, FieldInfo) else info
    plain = isinstance(annotation, type) and not getattr(annotation, "__args__", ())
    text = annotation.__name__ if plain else str(annotation)
    text = re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", text)
    return re.sub(r"^Optional\[(.*)\]$", r"\1 | None", text)


def summary(doc: str | None) -> str:
    """Give the first paragraph of a docstring, in one line."""
    return " ".join(cleandoc(doc or "").split("\n\n", maxsplit=1)[0].split())


def _kept(schema: Schema) -> Iterator[str]:
    """Say what the store keeps true of an entity's items."""
    for field, unique in schema.unique.items():
        yield f"{field} is unique" + (f" within {unique.within}" if unique.within else "")
    for field, one in schema.aggregates.items():
        told = [f"{name} is its {theirs}" for name, theirs in one.match]
        told += [_when(one.when)] if one.when else []
        told += ["kept by the stream"] if one.kept_by == "stream" else []
        yield f"{field} {one}" + (f" ({', '.join(told)})" if told else "")
    for field, copy in schema.copied.items():
        yield f"{field} is copied from {copy.source.__name__}.{copy.field}"
    for field, sequence in schema.sequences.items():
        yield f"{field} is numbered within {sequence.within}"
    yield from (f"{field} is the time of creation" for field in schema.created_fields)
    yield from (f"{field} is the time of the last write" for field in schema.updated_fields)
    if schema.version_field:
        yield f"{schema.version_field} is checked by every write"
    if schema.expiry_field:
        yield f"items are gone after {schema.expiry_field}"
    yield from (f"{field} is kept apart when it is long" for field in schema.large)
    if schema.copies:
        yield f"every item is kept in {schema.copies} copies"
