"""Specimens: for each entity an item as the model describes it, from which its sizes follow.

A specimen is whole: optional fields have values, and it is in every index and every count that it
can be in. So an estimate errs on the dear side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from singletable.errors import SingletableError
from singletable.model.keys import FieldKey, present
from singletable.model.large import InObjects, Large, Stored, kind_of
from singletable.model.schema import COPY, Schema
from singletable.model.table import TableIndex
from singletable.store.large.contents import PART_SIZE_BYTES_MAX
from singletable.store.writing.effects import rules_of
from singletable.values import Item, item_size

from .assumptions import Assumptions
from .fillers import Filler


def entry_of(item: Item, index: TableIndex, primary: TableIndex) -> Item | None:
    """Give what an index holds of an item; None if the item is not in it."""
    if any(name not in item for name in index.attributes):
        return None
    if index.projection == "ALL":
        return item
    included = () if isinstance(index.projection, str) else index.projection
    held = {*index.attributes, *primary.attributes, *included}
    return {name: value for name, value in item.items() if name in held}


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the items of an entity really are, and their entries in indexes."""

    item: float
    entries: Mapping[str, float] = field(default_factory=dict)
    contents: Mapping[str, float] = field(default_factory=dict)
    """How long the contents of large fields are."""


@dataclass(frozen=True)
class Specimen:
    """An item of an entity; ``more`` is by how many bytes the real ones are larger."""

    schema: Schema
    values: Mapping[str, Any]
    more: int = 0
    entries_more: Mapping[str, int] = field(default_factory=dict)
    """The same for entries of indexes; those that hold all of an item need not be named."""

    @cached_property
    def item(self) -> Item:
        """Give the item."""
        return written(self.schema, self.values)

    @cached_property
    def size(self) -> int:
        """Give its size in bytes."""
        return self.size_of(self.item)

    def size_of(self, item: Item) -> int:
        """Give the size of an item like this one."""
        return max(1, item_size(item) + self.more)

    def entry_size(self, index: TableIndex) -> int | None:
        """Give the size of its entry in an index; None if it is not in it."""
        if index.name is None:
            return self.size
        entry = entry_of(self.item, index, self.schema.table.primary)
        return None if entry is None else self.entry_size_of(entry, index)

    def entry_size_of(self, entry: Item, index: TableIndex) -> int:
        """Give the size of an entry like its own."""
        more = self.more if index.projection == "ALL" else 0
        return max(1, item_size(entry) + self.entries_more.get(str(index.name), more))

    def with_sizes(self, sizes: Sizes) -> Specimen:
        """Give this specimen, made as large as real items and their entries are."""
        plain = replace(self, more=0, entries_more={})
        own = {name: plain.entry_size(one) for name, one in self.schema.table.indexes.items()}
        more = {
            name: round(real) - size
            for name, real in sizes.entries.items()
            if (size := own.get(name)) is not None
        }
        return replace(plain, more=round(sizes.item) - plain.size, entries_more=more)


def specimen(
    schema: Schema, assumptions: Assumptions, contents: Mapping[str, float] | None = None
) -> Specimen:
    """Make the specimen of an entity; of large fields it may be known how long they are."""
    filler = Filler(assumptions.text_bytes, assumptions.elements)
    values = {name: filler.field(info) for name, info in schema.fields.items()}
    counted = [rule.when for rule in rules_of(schema).counts]
    for when in (*counted, *(keys.when for keys in reversed(schema.indexes.values()))):
        values |= {name: allowed[0] for name, allowed in when}
    values[COPY] = 0
    for name in schema.large:
        size = (contents or {}).get(name, assumptions.content_bytes)
        values[name] = pointer(schema, values, name, round(size))
    return Specimen(schema, values)


def pointer(
    schema: Schema, values: Mapping[str, Any], name: str, size: int, digit: str = "0"
) -> Large[Any]:
    """Give what an item has for content of a size: a pointer, or itself if it is short."""
    field, kind = schema.large[name], kind_of(values[name].preview)
    text: Any = "x" if kind is str else b"x"
    if size <= field.inline_max:
        return field.inline(text * size)
    id_, path = digit * 32, field.label.replace(".", "/")
    stored = Stored(
        id=id_,
        owner=tuple(_built(part, values)["S"] for part in schema.keys.parts),
        field=field.label,
        length=size,
        size_bytes=size,
        checksum=digit * 64,
    )
    if isinstance(field.place, InObjects):
        stored = replace(stored, path=f"{schema.table.name}/{path}/{id_}")
    else:
        stored = replace(stored, parts=-(-size // PART_SIZE_BYTES_MAX))
    return field.elsewhere(Large(text * min(size, field.preview_max[kind])), stored)


def written(schema: Schema, values: Mapping[str, Any]) -> Item:
    """Make the item of these values; a key that they cannot fill is as long as its template."""
    try:
        return schema.items.write(values)
    except SingletableError:
        stored = {
            schema.attributes[name]: schema.items.stored(name, values[name])
            for name in schema.fields
        }
        item = {name: value for name, value in stored.items() if value is not None}
        for keys in schema.all_keys:
            for part, when in keys.made:
                if present(part, when, values):
                    item[part.attribute] = _built(part, values)
        return item | {schema.table.type_attribute: {"S": schema.type}}


def _built(part: Any, values: Mapping[str, Any]) -> Any:
    try:
        return part.build(values)
    except SingletableError:
        return {"S": part.field if isinstance(part, FieldKey) else part.template.text}
