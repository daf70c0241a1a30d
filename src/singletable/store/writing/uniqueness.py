"""Values that no two items share: for each, an item whose key is the value guards it.

A guard names its owner, so that the owner can be written again, and expires with it, so that what
DynamoDB deletes by itself does not keep its values for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from singletable.errors import UniqueViolation
from singletable.expressions import Condition
from singletable.model.codec import encode_epoch
from singletable.model.schema import Schema
from singletable.model.table import side_key
from singletable.model.templates import Template
from singletable.model.templates.annotations import format_of
from singletable.values import AttributeValue, Item

from .writes import Delete, Part, Put, Write, equals, every, expired, identity, missing

TYPE = "Unique"
OWNER = "Owner"


@dataclass(frozen=True, slots=True)
class UniqueRule:
    """Makes the guards of one unique field."""

    schema: Schema
    field: str
    mark: Template
    within: Template | None

    @classmethod
    def of(cls, schema: Schema, field: str) -> UniqueRule:
        """Compile the rule of a field."""
        within = schema.unique[field].within
        slot = f"{field}:escaped" if format_of(schema.fields[field].annotation).textual else field
        text = schema.table.delimiter.join(("UNIQUE", schema.declarer(field), field, f"{{{slot}}}"))
        return cls(
            schema,
            field,
            schema.template(text, field),
            None if within is None else schema.template(within, f"{field}.within"),
        )

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields that a guard is made from."""
        expiry = self.schema.expiry_field
        within = self.within.fields if self.within else ()
        return (self.field, *within, *((expiry,) if expiry else ()))

    def guard(self, values: Mapping[str, Any]) -> Guard | None:
        """Give the guard of an item with these values; None needs no guard."""
        if values[self.field] is None:
            return None
        mark = self.mark.build(values)
        partition = self.within.build(values) if self.within else mark
        expiry = values[self.schema.expiry_field] if self.schema.expiry_field else None
        return Guard(
            self,
            values[self.field],
            key=side_key(self.schema.table, partition, mark),
            owner=self.schema.item_key(values),
            expiry=encode_epoch(expiry) if expiry else None,
        )


@dataclass(frozen=True, slots=True)
class Guard:
    """The item that keeps a value for its owner."""

    rule: UniqueRule = field(compare=False)
    value: Any = field(compare=False)
    key: Item = field(kw_only=True)
    owner: Item = field(kw_only=True)
    expiry: AttributeValue | None = field(kw_only=True)

    @property
    def item(self) -> Item:
        """Give the item that keeps the value."""
        type_attribute = self.rule.schema.table.type_attribute
        return {**self.key, **self._content(), type_attribute: {"S": TYPE}}

    def taken(self, at: datetime, before: Sequence[Guard] = ()) -> Part:
        """Take the value, which must be free, or given up by one ``before`` in the same breath."""
        free = self._free(before)
        if self.expiry is not None:
            free |= expired(self.rule.schema.table.ttl, at)
        return self._part(Put(key=self.key, item=self.item, condition=free))

    def released(self, others: Sequence[Guard] = ()) -> Part:
        """Give the value up, unless somebody else has it: neither the owner nor ``others``.

        It may be so where the owner's time is over, or is from before it was to be unique.
        """
        write = Delete(key=self.key, condition=self._free(others))
        return self._part(write, optional=True)

    def taken_by(self, found: Item | None, at: datetime) -> Item | None:
        """Give the key of another item that has the value, by the guard that was found."""
        if found is None or self.taken(at).holds(found):
            return None
        return {name: found[f"{OWNER}{name}"] for name in self.owner}

    def violation(self) -> UniqueViolation:
        """Say that another item has the value."""
        name = self.rule.field
        owner = self.rule.schema.declarer(name)
        within = f" within {self.rule.within}" if self.rule.within else ""
        return UniqueViolation(
            f"{owner}.{name} is unique{within}, and another {owner} has {self.value!r}",
            name,
        )

    def _part(self, write: Write, *, optional: bool = False) -> Part:
        return Part(write, identity(self.owner), lambda _: self.violation(), optional)

    def _content(self) -> Item:
        expiry = {} if self.expiry is None else {self.rule.schema.table.ttl: self.expiry}
        return {f"{OWNER}{name}": value for name, value in self.owner.items()} | expiry

    def _free(self, others: Sequence[Guard]) -> Condition:
        """Hold where nobody has the value but the owner, or the owners of other guards."""
        owners = {identity(guard.owner): guard for guard in (self, *others)}
        owned = (guard.is_owned() for guard in owners.values())
        return reduce(or_, owned, missing(self.rule.schema.table.pk))

    def is_owned(self) -> Condition:
        """Hold while the owner has the value."""
        owned = every(*(equals(f"{OWNER}{name}", text) for name, text in self.owner.items()))
        assert owned is not None
        return owned
