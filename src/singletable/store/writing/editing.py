"""Edits: an item is read, changed by a function, and what differs is written.

What the entity does not declare is left alone: somebody else's attributes stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast

from singletable.errors import NotFound, SingletableError, UsageError
from singletable.expressions import Action as Clause
from singletable.expressions import Remove, Set, Value
from singletable.expressions import Update as Clauses
from singletable.model.entity import Entity, rest_of
from singletable.model.fields import Attribute
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.validating import valid
from singletable.values import Item

from .actions import E, Plan, Seen, Targeted, alive, written_by_newer
from .checking import checked
from .drafting import made_keys
from .effects import basis_of, older_basis
from .stored import Values, copies_of, kin_of, read_as
from .writes import Basis, Update, attribute, every, identity, unchanged


@dataclass(slots=True)
class Editing(Targeted[E]):
    """Reads an item, lets a function change it, and writes what has changed.

    If somebody else has written meanwhile, all of it happens again: the version tells, or, where
    there is none, any declared attribute that is no longer as it was read.
    """

    verb = "edit"
    change: Callable[[E], E | None] = field(kw_only=True)

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Read the item."""
        return (self.key,)

    def plan(self, seen: Seen) -> Plan:
        """Plan to write the attributes that the function has changed, if any."""
        schema = self.schema
        old = schema.living(seen.items[identity(self.key)], seen.at)
        if old is None:
            raise self.failure(None)
        kin = kin_of(schema, old)
        if kin is not schema:
            return replace(self, target=Key(kin, self.values)).plan(seen)
        if unknown := written_by_newer(self, old):
            raise unknown
        before = cast(E, read_as(schema, old))
        after = self.changed(before, seen)
        if after is before:
            return Plan(action=self, writes=(), at=seen.at, before=before, after=before)
        basis = self._basis(seen, old)
        writes = tuple(
            Update(
                key=schema.keys.build(values),
                clauses=Clauses(tuple(_difference(schema, old, values, rest_of(before)))),
                condition=every(unchanged(basis), alive(schema, seen.at)),
            )
            for values in copies_of(schema, after.__dict__)
        )
        return Plan(action=self, writes=writes, at=seen.at, before=before, after=after, basis=basis)

    def failure(self, found: Item | None) -> SingletableError:
        """Say that there is nothing to edit."""
        return NotFound(f"{self}: there is no such item")

    def changed(self, before: E, seen: Seen) -> E:
        """Give the item as it becomes; the one that was, if nothing was changed."""
        asked = self._asked(before)
        if asked == before:
            return before
        values = {
            name: checked(self.schema, name, value)
            for name, value in asked.__dict__.items()
            if name in self.schema.fields and value != before.__dict__[name]
        }
        values |= self._filled(before, seen)
        if self.schema.large:
            values |= seen.contents.placed(self, asked.__dict__ | values, before)
        return valid(asked.model_copy(update=values))

    def _asked(self, before: E) -> E:
        copy = before.model_copy(deep=True)
        changed = self.change(copy)
        changed = copy if changed is None else changed
        if not isinstance(changed, type(before)):
            raise UsageError(
                f"{self}: the function gave {changed!r}: it returns a changed {self.schema.name}, "
                "or None after changing the one that it was given"
            )
        for name in self.schema.key_fields:
            if changed.__dict__[name] != before.__dict__[name]:
                raise UsageError(
                    f"{self}: {name} is part of the key, which no edit can change: delete the item "
                    "and create the other one, in a transaction"
                )
        return changed

    def _filled(self, before: Entity, seen: Seen) -> dict[str, Any]:
        schema = self.schema
        kept = (*schema.aggregates, *schema.sequences, *schema.created_fields)
        filled = {name: before.__dict__[name] for name in kept}
        if schema.version_field:
            filled[schema.version_field] = before.__dict__[schema.version_field] + 1
        return filled | dict.fromkeys(schema.updated_fields, seen.at)

    def _basis(self, seen: Seen, old: Item) -> Basis | None:
        schema = self.schema
        if schema.items.is_older(old):
            return older_basis(schema, old)
        if schema.version_field is not None:
            return basis_of(self, seen, schema.version_field, *schema.followed)
        fields = (name for name in schema.fields if name not in schema.aggregates)
        return basis_of(self, seen, *fields, *schema.followed)


@dataclass(slots=True)
class Upgrading(Editing[E]):
    """Writes an item as the present schema does, if an older one wrote it; it means the same."""

    verb = "upgrade"
    change: Callable[[E], E | None] = field(default=lambda _: None, kw_only=True)

    def changed(self, before: E, seen: Seen) -> E:
        """Give the item as it is, but to be written."""
        old = seen.items[identity(self.key)]
        is_older = old is not None and self.schema.items.is_older(old)
        return before.model_copy() if is_older else before


@lru_cache(maxsize=1024)
def declared_attributes(schema: Schema) -> tuple[str, ...]:
    """Name every attribute that an update may set: all but the primary key, and aggregates."""
    table = schema.table
    apart = {schema.attributes[name] for name in schema.aggregates}
    made = (part.attribute for _, part, *_ in made_keys(schema))
    older = (name for marker in schema.marked(Attribute).values() for name in marker.older)
    own = (table.type_attribute, *((table.schema_attribute,) if schema.version > 1 else ()))
    names = dict.fromkeys((*schema.attributes.values(), *older, *made, *own))
    return tuple(name for name in names if name not in {*table.primary.attributes, *apart})


def _difference(schema: Schema, old: Item, values: Values, rest: Item | None) -> Iterator[Clause]:
    """Give what makes the one item into the other; what an upgrade has used up goes away."""
    names = declared_attributes(schema)
    new = schema.items.write(values, rest)
    if schema.items.is_older(old):
        apart = {*schema.table.primary.attributes, *names}
        apart |= {schema.attributes[name] for name in schema.aggregates}
        names = (*names, *(name for name in {**old, **new} if name not in apart))
    for name in names:
        if old.get(name) != new.get(name):
            yield assignment(name, new)


def assignment(name: str, item: Item) -> Clause:
    """Give what an attribute becomes in an item; one that it lacks is removed."""
    place = attribute(name)
    return Set(place, Value(item[name])) if name in item else Remove(place)
