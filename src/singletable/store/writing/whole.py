"""The actions that are given a whole entity: put and create, and what an upsert has in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, cast

from singletable.errors import AlreadyExists, SingletableError
from singletable.expressions import Condition as Node
from singletable.model.conditions import Condition
from singletable.model.entity import Entity, rest_of
from singletable.model.schema import Schema
from singletable.model.validating import valid
from singletable.values import Item

from .actions import Action, E, Plan, Seen, alive, resolved, version_conflict, version_is, whole
from .effects import basis_of, rules_of
from .numbering import counter_key
from .stored import Values, copies_of, entity_in, found_entity, key_in
from .writes import Put, every, expired, missing, unchanged


@dataclass(slots=True)
class Whole(Action[E]):
    """An action that is given all values of the item."""

    entity: E
    schema: Schema = field(init=False, repr=False, compare=False)
    values: Values = field(init=False, repr=False, compare=False)
    """All values of the entity."""

    def __post_init__(self) -> None:
        whole(self.verb, self.entity)
        self.entity = entity = valid(self.entity)
        self.schema, self.values = entity.__schema__, entity.__dict__

    @property
    def spreads(self) -> bool:
        """Tell whether something elsewhere changes, or is needed, too."""
        schema = self.schema
        kept = rules_of(schema) or schema.sequences or schema.copies or schema.large
        return bool(kept) or self._reads_old()

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Read what is there, and the counters of the numbers that are asked for."""
        if self._reads_old():
            yield self.key
        for name in self.schema.sequences:
            if not self.values[name]:
                yield counter_key(self.schema, name, self.values)

    def _reads_old(self) -> bool:
        schema = self.schema
        return bool(rules_of(schema) or schema.sequences or schema.aggregates or schema.large)

    def filled(self, old: Entity | None, seen: Seen) -> dict[str, Any]:
        """Give the values that the store fills in, in place of those of the entity."""
        schema, values = self.schema, self.values
        filled: dict[str, Any] = dict.fromkeys(schema.updated_fields, seen.at)
        for name, beginning in schema.beginnings.items():
            filled[name] = old.__dict__.get(name, beginning) if old else beginning
        for name in schema.sequences:
            if not values[name]:
                kept = old.__dict__.get(name) if old else None
                filled[name] = kept or seen.numbers.next(schema, name, values)
        return filled


@dataclass(slots=True)
class Putting(Whole[E]):
    """Puts an item in place of what is there."""

    verb = "put"
    anew: ClassVar[bool] = False
    """Whether the item shares no content with what the entity was read from."""
    condition: Condition | None = None

    def plan(self, seen: Seen) -> Plan:
        """Plan to write the item and all its copies."""
        schema = self.schema
        basis = basis_of(self, seen, *schema.aggregates, *schema.large) if seen.items else None
        allowed = self._allowed(seen.at)
        if basis is None:
            after = self._stored(None, seen)
            writes = tuple(puts(schema, after, allowed))
            return Plan(action=self, writes=writes, at=seen.at, after=after)
        before, living = entity_in(schema, basis.item), schema.living(basis.item, seen.at)
        if schema.large:
            self._check(living)  # or the content that is gone would be blamed
        after = self._stored(before if living else None, seen)
        condition = every(allowed, unchanged(basis))
        return Plan(
            action=self,
            writes=tuple(puts(schema, after, condition)),
            at=seen.at,
            before=before,
            after=after,
            basis=basis,
        )

    def failure(self, found: Item | None) -> SingletableError:
        """Say whether the version or the condition is at fault."""
        conflict = version_conflict(self, self._mine, found)
        return conflict or super(Putting, self).failure(found)

    def _stored(self, old: Entity | None, seen: Seen) -> E:
        filled = self.filled(old, seen)
        if self.schema.version_field is not None:
            filled[self.schema.version_field] = (self._mine or 0) + 1
        if self.schema.large:
            filled |= seen.contents.placed(self, self.values, old, anew=self.anew)
        return self.entity.model_copy(update=filled) if filled else self.entity

    def _check(self, living: Item | None) -> None:
        if conflict := version_conflict(self, self._mine, living):
            raise conflict

    def _allowed(self, at: datetime) -> Node | None:
        schema = self.schema
        same = version_is(schema, self._mine, at)
        if self.condition is None:
            return same
        return every(resolved(schema, self.condition), alive(schema, at), same)

    @property
    def _mine(self) -> int | None:
        version = self.schema.version_field
        return None if version is None else cast(int, self.values[version])


@dataclass(slots=True)
class Creating(Putting[E]):
    """Puts an item where there is none; one whose time is over does not count.

    That there is none need not be read: it is the condition.
    """

    verb = "create"
    anew = True

    def failure(self, found: Item | None) -> SingletableError:
        """Say that there is such an item."""
        return AlreadyExists(
            f"{self}: there is an item with this key already: put() replaces it, update() and "
            "upsert() change it",
            found_entity(self.schema, found),
        )

    def filled(self, old: Entity | None, seen: Seen) -> dict[str, Any]:
        """Give the values of a new item, whatever an expired one has left."""
        return super(Creating, self).filled(None, seen)

    def _check(self, living: Item | None) -> None:
        if living is not None:
            raise self.failure(living)

    def _reads_old(self) -> bool:
        return bool(self.schema.expiry_field and (rules_of(self.schema) or self.schema.large))

    def _allowed(self, at: datetime) -> Node | None:
        table = self.schema.table
        if self.schema.expiry_field is None:
            return missing(table.pk)
        return missing(table.pk) | expired(table.ttl, at)

    @property
    def _mine(self) -> int | None:
        return 0 if self.schema.version_field else None


def puts(schema: Schema, entity: Entity, condition: Node | None) -> Iterable[Put]:
    """Give the writes that put an item and all its copies."""
    for values in copies_of(schema, entity.__dict__):
        item = schema.items.write(values, rest_of(entity))
        yield Put(key=key_in(schema, item), item=item, condition=condition)
