"""Sample items as the table and its indexes hold them: item collections, in their order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from singletable.model.table import Table, TableIndex
from singletable.values import AttributeValue, Item

from .specimens import Specimen

SHOWN = 2
"""How many sample items of an entity are shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """An item as it is shown: its sort key and its own attributes, as text."""

    entity: str
    sk: str
    attributes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ItemCollection:
    """The items that share a partition key, in the order of their sort keys."""

    pk: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The table or one of its indexes, with its item collections."""

    index: str | None
    title: str
    pk: str
    """The name of the partition key."""
    sk: str
    collections: tuple[ItemCollection, ...]


def layouts(table: Table, samples: dict[str, tuple[Specimen, ...]]) -> tuple[Layout, ...]:
    """Lay out sample items in the table, then in each index."""
    shown = [specimen for few in samples.values() for specimen in few[:SHOWN]]
    indexes = (table.primary, *table.indexes.values())
    return tuple(_layout(table, index, shown) for index in indexes)


def _layout(table: Table, index: TableIndex, shown: Sequence[Specimen]) -> Layout:
    inside = [one for one in shown if all(name in one.item for name in index.attributes)]
    inside.sort(key=lambda one: _order(one.item, index.attributes))
    collections = tuple(
        ItemCollection(pk, tuple(_row(table, index, one) for one in group))
        for pk, group in groupby(inside, key=lambda one: _joined(one.item, index.pk))
    )
    title = index.name or table.name
    return Layout(index.name, title, ", ".join(index.pk), ", ".join(index.sk), collections)


def _row(table: Table, index: TableIndex, specimen: Specimen) -> Row:
    schema, item = specimen.schema, specimen.item
    keys = set(index.attributes)
    attributes = tuple(
        (name, text_of(item[name]))
        for name in _projected(table, index, schema.attributes.values())
        if name in item and name not in keys
    )
    return Row(schema.name, _joined(item, index.sk), attributes)


def _projected(table: Table, index: TableIndex, attributes: Iterable[str]) -> list[str]:
    """Name the attributes to show: all in the table; in an index the key, and what it names."""
    own = [name for name in attributes if name != table.type_attribute]
    if index.name is None:
        return own
    named = () if isinstance(index.projection, str) else index.projection
    return list(dict.fromkeys((*table.primary.attributes, *named)))


def _joined(item: Item, names: Sequence[str]) -> str:
    return " · ".join(text_of(item[name]) for name in names)


def _order(item: Item, names: Sequence[str]) -> list[Any]:
    return [_sortable(item[name]) for name in names]


def _sortable(value: AttributeValue) -> tuple[Decimal, bytes]:
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content), b""
    return Decimal(0), content if kind == "B" else str(content).encode()


def text_of(value: AttributeValue) -> str:
    """Write an attribute value for people: without its type."""
    return _compact(plain(value)) if not value.keys() & {"S", "N"} else str(*value.values())


def plain(value: AttributeValue) -> Any:
    """Give an attribute value as JSON that has no types."""
    for kind, content in value.items():
        if kind == "M":
            return {name: plain(one) for name, one in content.items()}
        if kind == "L":
            return [plain(one) for one in content]
        if kind in {"B", "BS"}:
            return f"{len(content)} {'bytes' if kind == 'B' else 'binaries'}"
        if kind in {"N", "NS"}:
            return json.loads(content) if kind == "N" else [json.loads(one) for one in content]
        return None if kind == "NULL" else content
    return None


def _compact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
