"""The writes to an item that holds aggregates, from what is known of it.

Sums are added to without reading the item. Extremes, and what stands in the key of an index, are
written under the condition that the item is as it was read. None of it is a change that a user
makes: neither version nor time of the last write move, so nobody's edit is refused for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from singletable.expressions import Action as Clause
from singletable.expressions import Update as Clauses
from singletable.model.changes import add
from singletable.model.entity import Entity
from singletable.model.schema import Schema
from singletable.store.writing.actions import alive
from singletable.store.writing.drafting import Draft
from singletable.store.writing.effects import rules_of
from singletable.store.writing.stored import copies_of, keys_of, kin_of, read_as
from singletable.store.writing.whole import puts
from singletable.store.writing.writes import (
    Check,
    Update,
    Write,
    equals,
    every,
    exists,
    expired,
    missing,
)
from singletable.values import Item


@dataclass(frozen=True, slots=True)
class Target:
    """An item that holds aggregates, at a moment."""

    schema: Schema
    owner: Mapping[str, Any]
    at: datetime

    def add(self, sums: Mapping[str, Decimal]) -> Iterator[Write]:
        """Give the writes that add to sums, whatever they are."""
        clauses: list[Clause] = [
            add(amount).resolve(name, self.schema) for name, amount in sums.items()
        ]
        for key in keys_of(self.schema, self.owner):
            yield Update(key=key, clauses=Clauses(tuple(clauses)), condition=self._there())

    def set(self, item: Item, values: Mapping[str, Any]) -> Iterator[Write]:
        """Give the writes that set aggregates, and index keys with them, of the item as read."""
        kin = kin_of(self.schema, item)
        known = read_as(kin, item).__dict__
        draft = Draft(kin)
        for name, value in values.items():
            draft.assign(name, value)
        same = [equals(kin.attributes[name], item.get(kin.attributes[name])) for name in values]
        borrowed = draft.borrowed(known)
        same += [equals(kin.attributes[name], value) for name, value in borrowed.items()]
        condition = every(self._there(), *same)
        for copy in copies_of(kin, known):
            clauses = (*draft.clauses, *draft.keys(copy))
            key = kin.keys.build(copy)
            yield Update(key=key, clauses=Clauses(clauses), condition=condition)

    def create(self, values: Mapping[str, Any]) -> Iterator[Write]:
        """Give the writes that make the item."""
        schema = self.schema
        made = schema.entity.model_validate(dict(self.owner), by_name=True)
        times = (*schema.created_fields, *schema.updated_fields)
        filled: dict[str, Any] = dict.fromkeys(times, self.at)
        if schema.version_field:
            filled[schema.version_field] = 1
        entity: Entity = made.model_copy(update={**filled, **values})
        yield from puts(schema, entity, self._missing())

    def check_missing(self) -> Write:
        """Give the check that there is no item."""
        return Check(key=self.schema.item_key(self.owner), condition=self._missing())

    def living(self, item: Item | None) -> Item | None:
        """Give an item unless its time is over."""
        return self.schema.living(item, self.at)

    def _there(self) -> Any:
        return every(exists(self.schema.table.pk), alive(self.schema, self.at))

    def _missing(self) -> Any:
        table = self.schema.table
        if self.schema.expiry_field is None:
            return missing(table.pk)
        return missing(table.pk) | expired(table.ttl, self.at)


@lru_cache(maxsize=1024)
def is_free(schema: Schema) -> bool:
    """Tell whether an item can be made from its key alone, and nothing else has to know of it."""
    others = [field for name, field in schema.fields.items() if name not in schema.key_names]
    if any(field.is_required() for field in others):
        return False
    return not (rules_of(schema) or schema.sequences or schema.large)


@lru_cache(maxsize=1024)
def writes_max(schema: Schema) -> int:
    """Tell how many writes a change of an item takes: all its copies, and what waits for it."""
    return (schema.copies or 1) + (not is_free(schema))


def is_in_key(schema: Schema, names: Mapping[str, Any]) -> bool:
    """Tell whether one of these fields is part of the key of an index."""
    return any(name in kin.followed for kin in schema.family.values() for name in names)
