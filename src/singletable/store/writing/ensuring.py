"""Upserts by key: an item is changed where there is one, and begun where there is none.

Counters by day, shards of counters and containers so begin without a race. Where the changes say
all that there is to know of index keys, it is one request that reads nothing; otherwise the item is
read first, and what is written then depends on its not having changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from pydantic.fields import FieldInfo

from singletable.errors import SingletableError, UsageError
from singletable.expressions import Action as Clause
from singletable.expressions import Call, Remove, Set, Value
from singletable.expressions import Update as Clauses
from singletable.model.changes import Change
from singletable.model.conditions import Condition, F
from singletable.model.entity import Entity
from singletable.model.fields import Attribute, Created, Expires
from singletable.model.keys import present
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.values import Item

from .actions import Action, E, Plan, Seen, becoming, whole, written_by_newer
from .drafting import Draft, made_keys
from .effects import basis_of, rules_of
from .numbering import counter_key
from .stored import entity_in, kin_of, read_as
from .updating import Updating, is_current
from .upserting import Upserting, allowed_if_there
from .whole import puts
from .writes import Basis, Update, attribute, every, unchanged


@dataclass(slots=True)
class Ensuring(Updating[E]):
    """Changes some fields of an item, which is made if there is none."""

    verb = "upsert"

    @property
    def spreads(self) -> bool:
        """Tell whether what is there has to be known."""
        schema = self.schema
        kept = rules_of(schema) or schema.sequences or schema.copies
        return bool(kept) or not self._says_all() or super(Ensuring, self).spreads

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Read what is there, and the counters of the numbers that a new item needs."""
        yield from super(Ensuring, self).reads(again=again)
        for name in self.schema.sequences:
            if name not in self.values:
                yield counter_key(self.schema, name, self.values)

    def must_look(self, found: Item, at: datetime) -> bool:
        """Tell whether the item's time is over, or an older schema wrote it."""
        return self.schema.living(found, at) is None or self.schema.items.is_older(found)

    def failure(self, found: Item | None) -> SingletableError:
        """Say whether the schema, a limit or the condition is at fault."""
        unknown = written_by_newer(self, found) if is_current(self.schema) else None
        return unknown or self.beyond(found) or super(Updating, self).failure(found)

    def plan(self, seen: Seen) -> Plan:
        """Plan to change what is there, to begin it, or to do what is right of the two."""
        self._check_given()
        schema = self.schema
        keyed = {name for *_, fields in made_keys(schema) for name in fields}
        basis = basis_of(self, seen, *schema.large, *sorted(keyed))
        if basis is None:
            return self._either(seen)
        if schema.living(basis.item, seen.at) is None:
            return self._begun(seen, basis)
        return self._changed(seen, basis)

    def _either(self, seen: Seen) -> Plan:
        schema, draft = self.schema, self.draft(seen, None)
        clauses = (
            *draft.clauses,
            *self._beginnings(seen),
            *_keys(schema, draft, self.values),
        )
        condition = every(allowed_if_there(self, seen.at, is_current(schema)), *draft.limits)
        write = Update(key=self.key, clauses=Clauses(clauses), condition=condition)
        return Plan(action=self, writes=(write,), at=seen.at)

    def _begun(self, seen: Seen, basis: Basis) -> Plan:
        schema, draft = self.schema, self.draft(seen, None)
        base = self.key | self._start(seen)
        if fault := self.beyond(base):
            raise fault
        made = becoming(self, Clauses(tuple(draft.clauses)).apply(base, {}))
        numbers = {
            name: seen.numbers.next(schema, name, self.values)
            for name in schema.sequences
            if name not in self.values
        }
        after = made.model_copy(update=schema.beginnings | numbers)
        return Plan(
            action=self,
            writes=tuple(puts(schema, after, unchanged(basis))),
            at=seen.at,
            before=entity_in(schema, basis.item),
            after=after,
            basis=basis,
        )

    def _changed(self, seen: Seen, basis: Basis) -> Plan:
        assert basis.item is not None
        schema = self.schema
        before = read_as(kin_of(schema, basis.item), basis.item)
        draft = self.draft(seen, before)
        if not draft.clauses:
            return Plan(action=self, writes=(), at=seen.at, before=before, after=before)
        if fault := self.beyond(basis.item):
            raise fault
        allowed = allowed_if_there(self, seen.at, is_current(schema))
        condition = every(allowed, *draft.limits, unchanged(basis))
        writes = self.writes(draft, condition, before.__dict__)
        after = becoming(self, writes[0].clauses.apply(basis.item, {}))
        return Plan(action=self, writes=writes, at=seen.at, before=before, after=after, basis=basis)

    def _changes(self, seen: Seen, before: Entity | None) -> Mapping[str, Any]:
        return self.placed(seen, before) if self.schema.large else self.changes

    def _start(self, seen: Seen) -> Item:
        """Give what a new item has before the changes are made to it, but for its keys."""
        schema = self.schema
        stored = {
            schema.attributes[name]: schema.items.stored(name, value)
            for name, value in self._values_at_start(seen).items()
        }
        return {name: value for name, value in stored.items() if value is not None}

    def _values_at_start(self, seen: Seen) -> dict[str, Any]:
        schema = self.schema
        apart = {path for path in self.changes if path in schema.fields}
        apart |= {*schema.aggregates, *schema.updated_fields, schema.version_field or ""}
        start: dict[str, Any] = {}
        for name, declared in schema.fields.items():
            if name in self.values:
                start[name] = self.values[name]
            elif isinstance(declared.default_factory, Created):
                start[name] = seen.at
            elif isinstance(declared.default_factory, Expires) and name not in apart:
                start[name] = declared.default_factory.counted_from(seen.at)
            elif name not in apart:
                start[name] = declared.get_default(call_default_factory=True, validated_data=start)
        return start

    def _beginnings(self, seen: Seen) -> Iterator[Clause]:
        """Set what an item has beside the changes, where it is missing."""
        start = self.schema.items.constant | self._start(seen)
        for name, content in start.items():
            place = attribute(name)
            yield Set(place, Call("if_not_exists", (place, Value(content))))

    def _says_all(self) -> bool:
        """Tell whether one request is right for an item that is there, and for none."""
        schema = self.schema
        plain = {
            path
            for path, change in self.changes.items()
            if path in schema.fields and not isinstance(change, (Change, F))
        }
        if any(path not in schema.fields for path in self.changes) or _is_ambiguous(schema):
            return False
        known = {*schema.key_fields, *plain, *schema.updated_fields}
        return all(known.issuperset(fields) for *_, fields in made_keys(schema))

    def _check_given(self) -> None:
        schema = self.schema
        for name, declared in schema.fields.items():
            if declared.is_required() and name not in self.values and name not in self.changes:
                raise UsageError(
                    f"{self}: {name} has no default, and a new item would need it: give it, or "
                    "update() an item that is there"
                )


def upserting(
    target: Key[E] | E, changes: Mapping[str, Any], condition: Condition | None
) -> Action[E]:
    """Give the action that upserts what a caller names: a whole entity, or changes by key."""
    if isinstance(target, Key):
        return Ensuring(target, changes=changes, condition=condition)
    name = whole("upsert", target, "or a key").__schema__.name
    if changes:
        raise UsageError(
            f"upsert {name}: an entity has all its values already: change them there, or give the "
            "changes with its key"
        )
    return Upserting(target, condition)


def _keys(schema: Schema, draft: Draft, known: Mapping[str, Any]) -> Iterator[Clause]:
    """Set every index key, whether or not a field of it was changed."""
    values = {**known, **draft.values}
    for _, part, when, _ in made_keys(schema):
        if present(part, when, values):
            yield Set(attribute(part.attribute), Value(part.build(values)))
        else:
            yield Remove(attribute(part.attribute))


@lru_cache(maxsize=1024)
def _is_ambiguous(schema: Schema) -> bool:
    """Tell whether a field can lack its attribute and yet not have its default."""
    if any(marker.older for marker in schema.marked(Attribute).values()):
        return True
    return not all(_is_empty_by_default(schema.fields[name]) for name in schema.items.set_fields)


def _is_empty_by_default(declared: FieldInfo) -> bool:
    if declared.default_factory is not None:
        return declared.default_factory in {set, frozenset}
    return declared.is_required() or not declared.default
