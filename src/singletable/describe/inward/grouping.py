"""Which sample items are of one entity: by the attribute that tells, by facet, or by their keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from singletable.values import Item

from .foreign import ForeignTable, ItemGroup
from .names import class_name, words

DELIMITERS = "#|~/:"
TYPE_NAMES = frozenset(
    ("entitytype", "type", "entity", "itemtype", "recordtype", "typename", "et", "kind", "model")
)
"""How an attribute is called that tells the type, without case and marks."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The items of one entity."""

    name: str
    type: str
    items: tuple[Item, ...]


def delimiter_of(table: ForeignTable) -> str:
    """Find the mark that stands between the parts of keys; times of day have colons themselves."""
    texts = [
        re.sub(r"\d\d:\d\d", "", str(item[name].get("S", "")))
        for item in table.items
        for name in table.key_attributes
        if name in item
    ]
    return next((mark for mark in DELIMITERS if any(mark in text for text in texts)), "#")


def type_attribute_of(table: ForeignTable) -> str | None:
    """Find the attribute that tells the type of an item; None where there is none."""
    items = table.items
    everywhere = [name for name in items[0] if all("S" in item.get(name, {}) for item in items)]
    primary = table.primary.attributes
    candidates = [name for name in everywhere if name not in primary]
    named = (name for name in candidates if "".join(words(name)) in TYPE_NAMES)
    return next(named, None) or next((n for n in candidates if _tells_facets(n, table)), None)


def _tells_facets(name: str, table: ForeignTable) -> bool:
    """Tell whether every facet has one value of the attribute, and no two the same."""
    facets = [{item[name]["S"] for item in group.items} for group in table.groups if group.items]
    values = [value for facet in facets for value in facet]
    return len(facets) > 1 and len(values) == len(facets) and len(set(values)) == len(values)


def kinds_of(table: ForeignTable, type_attribute: str | None, delimiter: str) -> list[Kind]:
    """Sort the sample items of a table into entities."""
    if type_attribute is not None:
        return _by_type(table, type_attribute)
    kinds: list[Kind] = []
    for group in table.groups:
        for name, items in _shapes(table, group, delimiter):
            named = class_name(group.name or name, {kind.name for kind in kinds})
            kinds.append(Kind(named, named, items))
    return kinds


def _by_type(table: ForeignTable, attribute: str) -> list[Kind]:
    items: dict[str, list[Item]] = {}
    groups: dict[str, set[str | None]] = {}
    for group in table.groups:
        for item in group.items:
            items.setdefault(item[attribute]["S"], []).append(item)
            groups.setdefault(item[attribute]["S"], set()).add(group.name)
    kinds: list[Kind] = []
    for type_name, few in items.items():
        # A facet that has items of one type only is the name of that type.
        facets = groups[type_name]
        facet = next(iter(facets)) if len(facets) == 1 else None
        own = facet and sum(facet in others for others in groups.values()) == 1
        named = class_name(facet if own and facet else type_name, {kind.name for kind in kinds})
        kinds.append(Kind(named, type_name, tuple(few)))
    return kinds


def _shapes(
    table: ForeignTable, group: ItemGroup, delimiter: str
) -> Iterator[tuple[str, tuple[Item, ...]]]:
    """Sort items by the words and the number of parts that their keys have."""
    shapes: dict[tuple[str, ...], list[Item]] = {}
    for item in group.items:
        shape = tuple(_shape(item, table.primary.attributes, delimiter))
        shapes.setdefault(shape, []).append(item)
    for shape, items in shapes.items():
        named = dict.fromkeys(word for part in shape for word in words(part))
        yield " ".join(named) or table.name, tuple(items)


def _shape(item: Item, names: Iterable[str], delimiter: str) -> Iterator[str]:
    for name in names:
        parts = str(item[name].get("S", "")).split(delimiter)
        word = parts[0] if is_word(parts[0]) and (len(parts) > 1 or parts[0].isupper()) else ""
        yield f"{word}{delimiter * (len(parts) - 1)}"


def is_word(part: str) -> bool:
    """Tell whether a part of a key may be a constant: it has no digits."""
    return not re.search(r"\d", part)
