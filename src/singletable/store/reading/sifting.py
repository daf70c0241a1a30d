"""From the items of an answer to entities: what is asked for, and what had to be left out.

An item that is of another type, or broken, never fails a page: it is reported beside it. What has
expired and is not deleted yet is treated as gone, and of the copies of a hot item a list has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from singletable.model.pages import Skipped
from singletable.model.projections import projected
from singletable.model.schema import Schema
from singletable.model.table import INTERNAL, Table
from singletable.values import Item

from .copies import is_repeated


@dataclass(slots=True)
class Sieve:
    """Reads items as the entities that a read asks for, and keeps what it leaves out."""

    name: str
    """What is asked for: an entity, or a view of several."""
    table: Table
    family: Mapping[str, Schema]
    at: datetime
    shape: type | None = None
    once: bool = False
    """Whether copies of hot items other than the first are left out."""
    skipped: list[Skipped] = field(default_factory=list)

    @classmethod
    def of(
        cls, schema: Schema, at: datetime, shape: type | None = None, *, once: bool = False
    ) -> Sieve:
        """Make the sieve for an entity and those derived from it."""
        return cls(schema.name, schema.table, schema.family, at, shape, once)

    def read(self, item: Item) -> Any | None:
        """Give the entity of an item, or None if it is left out."""
        if self.table.ttl in item and self._expired(item):
            return None
        kind = item.get(self.table.type_attribute)
        schema = self._recognised(item) if kind is None else self.family.get(kind.get("S", ""))
        if schema is None:
            self._skip_stranger(item)
            return None
        if self.once and schema.copies and is_repeated(item, (schema,)):
            return None
        try:
            if self.shape is None:
                return schema.items.read(item)
            return projected(self.shape, schema, item)
        except Exception as error:  # noqa: BLE001 - validators and upgrades may raise anything
            newer = schema.items.newer(item)
            self.skip(item, f"{_broken(schema, error)}{f' ({newer})' if newer else ''}")
            return None

    def all(self, items: Iterable[Item]) -> list[Any]:
        """Give the entities of items, but for those left out."""
        read = self.read
        return [entity for item in items if (entity := read(item)) is not None]

    def skip(self, item: Item, reason: str) -> None:
        """Report an item as left out."""
        names = self.table.primary.attributes
        key = {name: item[name] for name in names if name in item}
        self.skipped.append(Skipped(key, reason))

    def _expired(self, item: Item) -> bool:
        expiry = item[self.table.ttl]
        return "N" in expiry and float(expiry["N"]) <= self.at.timestamp()

    def _recognised(self, item: Item) -> Schema | None:
        """Tell the entity of an item without a type by its key, as in a table from elsewhere."""
        known = self.family.values()
        return next((schema for schema in known if schema.keys.parse(item) is not None), None)

    def _skip_stranger(self, item: Item) -> None:
        kind = item.get(self.table.type_attribute, {}).get("S")
        if kind in self.table.entities:
            self.skip(item, f"is of the type {kind}, not of {self.name}")
        elif kind is None:
            self.skip(item, f"has no {self.table.type_attribute}, and no key of {self.name}")
        elif kind not in INTERNAL:
            self.skip(item, f"is of the unknown type {kind}")


def tally(answer: Mapping[str, Any], schema: Schema) -> int:
    """Count what the answer to a count tells of; where it has keys, hot items once."""
    family = schema.family.values()
    if not any(one.copies for one in family):
        return int(answer["Count"])
    return sum(not is_repeated(item, family) for item in answer["Items"])


def _broken(schema: Schema, error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return f"cannot be read as {schema.name}: {type(error).__name__}: {error}"
    faults = "; ".join(
        f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()
    )
    return f"is no valid {schema.name}: {faults}"
