"""Numbers without gaps: each counter is an item, and moves in the transaction that uses its number.

Whoever comes second finds the counter moved and starts over: a sequence gives its numbers one
transaction after another, so it suits invoices and not clicks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from singletable.expressions import Set, Value
from singletable.expressions import Update as Clauses
from singletable.model.schema import Schema
from singletable.model.table import side_key
from singletable.model.templates import Template
from singletable.values import Item

from .writes import Identity, Update, attribute, equals, identity

TYPE = "Sequence"
VALUE = "Value"


def counter_key(schema: Schema, field: str, values: Mapping[str, Any]) -> Item:
    """Give the key of the item that counts for a numbered field."""
    partition = _within(schema, field).build(values)
    mark = schema.table.delimiter.join(("SEQUENCE", schema.name, field))
    return side_key(schema.table, partition, mark)


@lru_cache(maxsize=1024)
def _within(schema: Schema, field: str) -> Template:
    return schema.template(schema.sequences[field].within, f"{field}.within")


class Numbers:
    """Gives the next numbers after what was read, and the writes that use them up."""

    __slots__ = ("_counters", "_items")

    def __init__(self, items: Mapping[Identity, Item | None]) -> None:
        self._items = items
        self._counters: dict[Identity, tuple[Schema, Item, int]] = {}

    def next(self, schema: Schema, field: str, values: Mapping[str, Any]) -> int:
        """Give the next number of a field's sequence."""
        key = counter_key(schema, field, values)
        name = identity(key)
        _, _, last = self._counters.get(name, (schema, key, self._read(name)))
        self._counters[name] = (schema, key, last + 1)
        return last + 1

    def writes(self) -> Iterator[Update]:
        """Move each counter that was used, if nobody else has moved it meanwhile."""
        for name, (schema, key, last) in self._counters.items():
            read = self._read(name)
            clauses = (
                Set(attribute(VALUE), Value({"N": str(last)})),
                Set(attribute(schema.table.type_attribute), Value({"S": TYPE})),
            )
            before = {"N": str(read)} if read else None
            yield Update(key=key, clauses=Clauses(clauses), condition=equals(VALUE, before))

    def _read(self, name: Identity) -> int:
        item = self._items.get(name)
        return int(item[VALUE]["N"]) if item else 0
