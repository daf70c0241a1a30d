"""Upserts of whole entities: an item is made, or all its fields are given new values.

What the entity does not declare is left alone: somebody else's attributes stay. What is there is
read first only where what is written depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from singletable.errors import SingletableError
from singletable.expressions import Action as Clause
from singletable.expressions import Call, Set, Value
from singletable.expressions import Condition as Node
from singletable.expressions import Update as Clauses
from singletable.model.changes import add
from singletable.model.conditions import Condition
from singletable.model.entity import Entity
from singletable.values import Item

from .actions import E, Plan, Seen, alive, becoming, resolved, written_by_newer
from .drafting import made_keys
from .editing import assignment, declared_attributes
from .effects import basis_of, rules_of
from .stored import Values, copies_of, entity_in
from .updating import Updating, is_known
from .whole import Whole, puts
from .writes import Basis, Update, Write, attribute, every, missing, unchanged


@dataclass(slots=True)
class Upserting(Whole[E]):
    """Makes an item, or gives all its fields new values where there is one."""

    verb = "upsert"
    condition: Condition | None = None

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Read what is there if the new item depends on it, or what is there has expired."""
        yield from super(Upserting, self).reads()
        if again and not self._reads_old():
            yield self.key

    def must_look(self, found: Item, at: datetime) -> bool:
        """Tell whether the item's time is over: then nothing of it may stay."""
        return self.schema.living(found, at) is None

    def plan(self, seen: Seen) -> Plan:
        """Plan to set every field, but to keep what was filled in when the item was created."""
        schema = self.schema
        basis = basis_of(self, seen, *schema.created_fields, *schema.large, *schema.followed)
        found = basis.item if basis else None
        before, living = entity_in(schema, found), schema.living(found, seen.at)
        values = self._merged(before if living else None, seen)
        condition = every(allowed_if_there(self, seen.at), is_known(schema), unchanged(basis))
        if found is not None and living is None:
            made = self.entity.model_copy(update=values)
            writes: tuple[Write, ...] = tuple(puts(schema, made, unchanged(basis)))
            return Plan(
                action=self, writes=writes, at=seen.at, before=before, after=made, basis=basis
            )
        updates = tuple(
            Update(
                key=schema.keys.build(each),
                clauses=Clauses(tuple(self._clauses(each))),
                condition=condition,
            )
            for each in copies_of(schema, {**self.values, **values})
        )
        after = self._after(updates[0], basis)
        return Plan(
            action=self, writes=updates, at=seen.at, before=before, after=after, basis=basis
        )

    def failure(self, found: Item | None) -> SingletableError:
        """Say whether the schema or the condition is at fault."""
        unknown = written_by_newer(self, found) if is_known(self.schema) else None
        return unknown or super(Upserting, self).failure(found)

    def _merged(self, before: Entity | None, seen: Seen) -> dict[str, Any]:
        """Give the values that differ from those of the entity."""
        schema = self.schema
        values = self.filled(before, seen)
        if before is not None:
            values |= {name: before.__dict__[name] for name in schema.created_fields}
        elif schema.version_field is not None:
            values[schema.version_field] = 1
        if schema.large:
            values |= seen.contents.placed(self, self.values, before)
        return values

    def _reads_old(self) -> bool:
        schema = self.schema
        created = set(schema.created_fields)
        in_keys = any(not created.isdisjoint(fields) for *_, fields in made_keys(schema))
        kept = rules_of(schema) or schema.sequences or schema.copies or schema.large
        return in_keys or bool(kept or schema.followed)

    def _after(self, write: Update, basis: Basis | None) -> Entity | None:
        """Tell what the item becomes; without knowing what it was, only the service can."""
        if basis is None:
            return None
        return becoming(self, write.clauses.apply(basis.item or write.key, {}))

    def _clauses(self, values: Values) -> Iterator[Clause]:
        schema = self.schema
        item = schema.items.write(values)
        version = schema.attributes[schema.version_field] if schema.version_field else None
        once = {schema.attributes[name] for name in schema.created_fields}
        for name in declared_attributes(schema):
            if name in once:
                place = attribute(name)
                yield Set(place, Call("if_not_exists", (place, Value(item[name]))))
            elif name != version:
                yield assignment(name, item)
        if schema.version_field:
            yield add(1).resolve(schema.version_field, schema)


def allowed_if_there(
    action: Upserting[Any] | Updating[Any], at: datetime, *more: Node | None
) -> Node | None:
    """Give what must hold of an item that is there; where there is none, one may be made."""
    schema = action.schema
    asked = every(resolved(schema, action.condition), *more)
    free = None if asked is None else missing(schema.table.pk) | asked
    return every(free, alive(schema, at))
