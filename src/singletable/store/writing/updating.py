"""Partial updates: the action that changes some fields of an item that is there.

It reads first only where something elsewhere in the table depends on what it changes, or where
an older schema wrote the item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from singletable.errors import ConditionFailed, NotFound, SingletableError, UsageError
from singletable.expressions import Comparison, Value
from singletable.expressions import Condition as Node
from singletable.expressions import Update as Clauses
from singletable.model.changes import REMOVE, Change
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.paths import parse_path
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.validating import validated
from singletable.values import Item

from .actions import (
    E,
    Plan,
    Seen,
    Targeted,
    alive,
    becoming,
    resolved,
    version_is,
    written_by_newer,
)
from .checking import checked
from .drafting import Draft
from .effects import basis_of, rules_of
from .limiting import limit_of
from .stored import Values, copies_of, entity_in, found_entity
from .writes import Update, attribute, equals, every, exists, unchanged


@dataclass(slots=True)
class Updating(Targeted[E]):
    """Changes some fields of an item that is there."""

    verb = "update"
    changes: Mapping[str, Any] = field(kw_only=True)

    @property
    def spreads(self) -> bool:
        """Tell whether a field is changed on which something elsewhere depends."""
        schema = self.schema
        deciding = rules_of(schema).fields
        if schema.copies or not (deciding or schema.large):
            return bool(schema.copies)
        changed = {*(parse_path(path)[0] for path in self.changes), *schema.updated_fields}
        return not (deciding.isdisjoint(changed) and schema.large.keys().isdisjoint(changed))

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Read the item if something elsewhere may change with it, or if it has to be upgraded."""
        return (self.key,) if self.spreads or again else ()

    def must_look(self, found: Item, at: datetime) -> bool:
        """Tell whether an older schema wrote the item: a change to it would be upgraded away."""
        return self.schema.items.is_older(found) and self.schema.living(found, at) is not None

    def plan(self, seen: Seen) -> Plan:
        """Plan to update the item and all its copies."""
        schema = self.schema
        basis = basis_of(self, seen, *schema.large) if seen.items else None
        if basis is None:  # then nothing elsewhere depends on it
            draft = self.draft(seen, None)
            if not isinstance(self.target, Key):
                self._check_whole(draft)
            writes = self.writes(draft, self._allowed(draft, seen.at), self.values)
            return Plan(action=self, writes=writes, at=seen.at)
        old = schema.living(basis.item, seen.at)
        before = entity_in(schema, old)
        draft = self.draft(seen, before)
        if old is None or before is None:
            raise self.failure(None)
        known = self.values
        if isinstance(self.target, Key) and draft.others:
            known = {**before.__dict__, **known}
            basis = basis_of(self, seen, *schema.large, *draft.others)
        condition = every(self._allowed(draft, seen.at), unchanged(basis))
        writes = self.writes(draft, condition, known)
        after = becoming(self, writes[0].clauses.apply(old, {}))
        return Plan(action=self, writes=writes, at=seen.at, before=before, after=after, basis=basis)

    def failure(self, found: Item | None) -> SingletableError:
        """Say whether the item is missing, or the version or the condition is at fault."""
        if found is None:
            return NotFound(f"{self}: there is no such item: create() or upsert() makes one")
        unknown = written_by_newer(self, found) if is_current(self.schema) else None
        return unknown or self.beyond(found) or super(Updating, self).failure(found)

    def beyond(self, found: Item | None) -> ConditionFailed | None:
        """Say which change would leave a value that its field cannot have, if one would."""
        for path, change in self.changes.items():
            limit = limit_of(self.schema, path, change) if isinstance(change, Change) else None
            if limit is not None and not limit.holds(found):
                return ConditionFailed(
                    f"{self}: {limit.label} would no longer be within its limits, {limit.told}",
                    found_entity(self.schema, found),
                )
        return None

    def draft(self, seen: Seen, before: Entity | None) -> Draft:
        """Collect what becomes of the fields."""
        schema, draft = self.schema, Draft(self.schema)
        for path, change in self._changes(seen, before).items():
            draft.change(path, change)
        for name in schema.updated_fields:
            draft.assign(name, seen.at)
        if schema.version_field is not None:
            draft.count_up(schema.version_field, self.mine)
        if isinstance(self.target, Key) and len(schema.family) > 1:
            draft.check_kin()
        return draft

    def _changes(self, seen: Seen, before: Entity | None) -> Mapping[str, Any]:
        """Give the changes with content in its place."""
        if not self.changes:
            raise UsageError(f"{self}: an update needs at least one change")
        return self.placed(seen, before) if self.schema.large else self.changes

    def placed(self, seen: Seen, before: Entity | None) -> Mapping[str, Any]:
        """Give the changes, with a pointer for large content."""
        given = {}
        for path, value in self.changes.items():
            name = str(parse_path(path)[0])
            if name not in self.schema.large or value is None or value is REMOVE:
                continue
            if path != name or isinstance(value, (Change, F)):
                raise UsageError(
                    f"{self.schema.name}.{name} is large: it can be replaced or removed, but not "
                    "changed in part"
                )
            given[name] = checked(self.schema, name, value)
        return (
            {**self.changes, **seen.contents.placed(self, given, before)} if given else self.changes
        )

    def _check_whole(self, draft: Draft) -> None:
        """Refuse what would be no entity, where the whole of it is known beforehand."""
        if not draft.unknown:
            fields, known = self.schema.fields, self.values
            if known.keys() != fields.keys():  # as where a property is kept
                known = {name: known[name] for name in fields}
            validated(self.schema, {**known, **draft.values})

    def writes(self, draft: Draft, condition: Node | None, known: Values) -> tuple[Update, ...]:
        """Give the update of each copy of the item, of which some values are known."""
        schema, writes = self.schema, []
        for values in copies_of(schema, known):
            clauses = Clauses((*draft.clauses, *draft.keys(values)))
            key = schema.keys.build(values)
            writes.append(Update(key=key, clauses=clauses, condition=condition))
        return tuple(writes)

    def _allowed(self, draft: Draft, at: datetime) -> Node | None:
        schema = self.schema
        condition = is_there(schema)
        if self.condition is not None or schema.expiry_field is not None or draft.limits:
            asked, living = resolved(schema, self.condition), alive(schema, at)
            condition = every(asked, condition, living, *draft.limits)
        if isinstance(self.target, Key):
            return condition
        borrowed, mine = draft.borrowed(self.values), self.mine
        if mine is not None:  # then what has no part in the version is left to compare
            condition = every(condition, version_is(schema, mine, at))
            borrowed = {name: borrowed[name] for name in schema.followed if name in borrowed}
        if not borrowed:
            return condition
        same = (equals(schema.attributes[name], value) for name, value in borrowed.items())
        return every(condition, *same)


@lru_cache(maxsize=1024)
def is_there(schema: Schema) -> Node | None:
    """Hold where there is an item of this schema."""
    return every(exists(schema.table.pk), is_current(schema))


@lru_cache(maxsize=1024)
def is_current(schema: Schema) -> Node | None:
    """Hold where an item is of this schema: an upgrade would not know of changes made before it."""
    if not schema.items.upgrades:
        return is_known(schema)
    written = attribute(schema.table.schema_attribute)
    return Comparison("=", written, Value({"N": str(schema.version)}))


@lru_cache(maxsize=1024)
def is_known(schema: Schema) -> Node | None:
    """Hold where no newer schema wrote an item, and where there is none.

    It is not asked by the first schema, which most entities stay with.
    """
    if schema.version == 1:
        return None
    written = attribute(schema.table.schema_attribute)
    return ~Comparison(">", written, Value({"N": str(schema.version)}))
