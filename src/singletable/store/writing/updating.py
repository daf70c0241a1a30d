"""Partial updates: the caller's changes, and the index keys that are made from what they change.

No update leaves an index key stale. Where a key is made from a field that the update does not
know, it is refused: reading first in silence would cost what the caller did not ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from singletable.errors import (
    ConditionFailed,
    NotFound,
    SingletableError,
    UnknownKeyParts,
    UsageError,
)
from singletable.expressions import Action as Clause
from singletable.expressions import Comparison, Path, Remove, Set, Value
from singletable.expressions import Condition as Node
from singletable.expressions import Update as Clauses
from singletable.model.changes import REMOVE, Change, add, change_of
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.fields import Attribute, CountOf, Created, Sequence, Updated, Version
from singletable.model.keys import KeyAttribute, present
from singletable.model.paths import parse_path
from singletable.model.reads import Key
from singletable.model.schema import COPY, Schema
from singletable.model.validating import validated
from singletable.values import AttributeValue, Item

from .actions import (
    E,
    Plan,
    Seen,
    Targeted,
    Values,
    alive,
    becoming,
    copies_of,
    entity_in,
    found_entity,
    resolved,
    version_is,
)
from .checking import changed_inside, checked, checked_change
from .effects import basis_of, rules_of
from .limiting import limit_of
from .writes import Update, attribute, equals, every, exists, unchanged

When = tuple[tuple[str, tuple[Any, ...]], ...]

KEPT = (Created, Updated, Version, CountOf, Sequence)
"""What fills fields that the store alone writes."""


@dataclass(frozen=True, slots=True)
class Updating(Targeted[E]):
    """Changes some fields of an item that is there."""

    verb = "update"
    changes: Mapping[str, Any] = field(kw_only=True)

    @property
    def spreads(self) -> bool:
        """Tell whether a field is changed on which something elsewhere depends."""
        schema = self.schema
        if schema.copies:
            return True
        changed = {*(parse_path(path)[0] for path in self.changes), *schema.updated_fields}
        return not (
            rules_of(schema).fields.isdisjoint(changed) and schema.large.keys().isdisjoint(changed)
        )

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Read the item if something elsewhere may change with it, or if it has to be upgraded."""
        return (self.key,) if self.spreads or again else ()

    def must_look(self, found: Item, at: datetime) -> bool:
        """Tell whether an older schema wrote the item: a change to it would be upgraded away."""
        return self.schema.items.is_older(found) and self.schema.living(found, at) is not None

    def plan(self, seen: Seen) -> Plan:
        """Plan to update the item and all its copies."""
        schema = self.schema
        basis = basis_of(self, seen, *schema.large)
        if basis is None:  # then nothing elsewhere depends on it
            draft = self.draft(seen, None)
            self._check_whole(draft)
            writes = self.writes(draft, self._allowed(draft, seen.at), self.values)
            return Plan(action=self, writes=writes, at=seen.at)
        old = schema.living(basis.item, seen.at)
        before = entity_in(schema, old)
        draft = self.draft(seen, before)
        if old is None:
            raise self.failure(None)
        condition = every(self._allowed(draft, seen.at), unchanged(basis))
        writes = self.writes(draft, condition, self.values)
        after = becoming(self, writes[0].clauses.apply(old, {}))
        return Plan(action=self, writes=writes, at=seen.at, before=before, after=after, basis=basis)

    def failure(self, found: Item | None) -> SingletableError:
        """Say whether the item is missing, or the version or the condition is at fault."""
        if found is None:
            return NotFound(f"{self}: there is no such item: create() or upsert() makes one")
        return self.beyond(found) or super(Updating, self).failure(found)

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
        if not isinstance(self.target, Key) and not draft.unknown:
            known = {name: self.values[name] for name in self.schema.fields}
            validated(self.schema, {**known, **draft.values})

    def writes(self, draft: Draft, condition: Node | None, known: Values) -> tuple[Update, ...]:
        """Give the update of each copy of the item, of which some values are known."""
        schema = self.schema
        return tuple(
            [
                Update(
                    key=schema.keys.build(values),
                    clauses=Clauses((*draft.clauses, *draft.keys(values))),
                    condition=condition,
                )
                for values in copies_of(schema, known)
            ]
        )

    def _allowed(self, draft: Draft, at: datetime) -> Node | None:
        schema = self.schema
        condition = every(
            resolved(schema, self.condition),
            exists(schema.table.pk),
            alive(schema, at),
            is_current(schema),
            *draft.limits,
        )
        if isinstance(self.target, Key):
            return condition
        if self.mine is not None:
            return every(condition, version_is(schema, self.mine, at))
        borrowed = draft.borrowed(self.values)
        same = (equals(schema.attributes[name], value) for name, value in borrowed.items())
        return every(condition, *same)


@lru_cache(maxsize=1024)
def is_current(schema: Schema) -> Node | None:
    """Hold where no upgrade awaits an item: one would not know of changes made before it."""
    if not schema.items.upgrades:
        return None
    written = attribute(schema.table.schema_attribute)
    return Comparison(">=", written, Value({"N": str(schema.version)}))


class Draft:
    """Collects what an update makes of an entity's fields, whichever item it meets."""

    __slots__ = ("clauses", "limits", "schema", "unknown", "values")

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.clauses: list[Clause] = []
        self.limits: list[Node] = []
        """What must hold for the new values to be such as the fields can have."""
        self.values: dict[str, Any] = {}
        """The new values of changed fields, as far as they are known beforehand."""
        self.unknown: set[str] = set()
        """The changed fields whose new values only the item tells."""

    def change(self, path: str, change: Any) -> None:
        """Add what a caller asks for, if a caller may."""
        elements = parse_path(path)
        name = str(elements[0])
        _check_free(self.schema, name)
        if isinstance(change, Change):
            self._change_there(path, name, checked_change(self.schema, path, change))
            if limit := limit_of(self.schema, path, change):
                self.limits.append(limit.condition)
        elif isinstance(change, F):
            self._change_there(path, name, change_of(change))
        elif len(elements) > 1:
            self._change_there(path, name, changed_inside(self.schema, path, change))
        else:
            self.assign(name, checked(self.schema, name, change))

    def assign(self, name: str, value: Any) -> None:
        """Give a field a new value."""
        self.values[name] = value
        place, older = _places(self.schema, name)
        stored = self.schema.items.stored(name, value)
        self.clauses.append(Remove(place) if stored is None else Set(place, Value(stored)))
        self.clauses += older

    def count_up(self, name: str, known: int | None) -> None:
        """Add one to a field, whose value may be known."""
        if known is not None:
            self.assign(name, known + 1)
        else:
            self.unknown.add(name)
            self.clauses.append(add(1).resolve(name, self.schema))

    def _change_there(self, path: str, name: str, change: Change) -> None:
        if change is REMOVE and path == name:
            self.values[name] = _value_without(self.schema, name)
            self.clauses += _places(self.schema, name)[1]
        else:
            self.unknown.add(name)
        self.clauses.append(change.resolve(path, self.schema))

    def keys(self, known: Values) -> Iterator[Clause]:
        """Write again every index key that is made from a changed field."""
        values: Values = {}
        for label, part, when, needed in self._stale():
            values = values or {**known, **self.values}
            unknown = [name for name in needed if name not in values or name in self.unknown]
            if unknown:
                raise self._unknown(label, part, unknown)
            place = attribute(part.attribute)
            if present(part, when, values):
                yield Set(place, Value(part.build(values)))
            else:
                yield Remove(place)

    def check_kin(self) -> None:
        """Refuse a change to index keys that only items of a derived entity have."""
        changed = self.values.keys() | self.unknown
        for kin in self.schema.family.values():
            for label, part, _, needed in set(made_keys(kin)) - set(made_keys(self.schema)):
                if not changed.isdisjoint(needed):
                    raise UnknownKeyParts(
                        f"{kin.name}.{label}: this update changes {part.attribute} if the item is "
                        f"a {kin.name}, which {self.schema.name}.key(…) does not tell: give "
                        f"{kin.name}.key(…) or an entity that you have read, or use edit()"
                    )

    def borrowed(self, known: Values) -> dict[str, AttributeValue | None]:
        """Give what keys are made from and the update takes from what was read before."""
        fields = {name for *_, needed in self._stale() for name in needed}
        fields -= {*self.values, *self.schema.key_fields, COPY}
        stored = self.schema.items.stored
        return {name: stored(name, known[name]) for name in sorted(fields) if name in known}

    def _stale(self) -> Iterator[tuple[str, KeyAttribute, When, tuple[str, ...]]]:
        changed = self.values.keys() | self.unknown
        for made in made_keys(self.schema):
            if not changed.isdisjoint(made[-1]):
                yield made

    def _unknown(self, label: str, part: KeyAttribute, unknown: list[str]) -> UnknownKeyParts:
        computed = sorted(self.unknown.intersection(unknown))
        if computed:
            return UnknownKeyParts(
                f"{self.schema.name}.{label}: {part.attribute} is made from {', '.join(computed)}, "
                "and what add(), append() and the like make of a value cannot be known before: "
                "use edit(), or set a plain value"
            )
        names = ", ".join(unknown)
        return UnknownKeyParts(
            f"{self.schema.name}.{label}: this update changes {part.attribute}, which is made from "
            f"{names} too, and does not know {'it' if len(unknown) == 1 else 'them'}: set {names} "
            "to plain values in the same update, update an entity that you have read, or use edit()"
        )


@lru_cache(maxsize=1024)
def made_keys(schema: Schema) -> tuple[tuple[str, KeyAttribute, When, tuple[str, ...]], ...]:
    """Give every index key attribute that is made, what must hold for it, and from which fields."""
    return tuple(
        (label, part, when, (*part.fields, *(name for name, _ in when)))
        for label, keys in schema.indexes.items()
        for part, when in keys.made
    )


@lru_cache(maxsize=4096)
def _check_free(schema: Schema, name: str) -> None:
    """Refuse to change what is part of the key, or kept by the store."""
    schema.attribute(name)
    if name in schema.key_fields:
        raise UsageError(
            f"{schema.name}.{name} is part of the key, which no update can change: delete the "
            "item and create the other one, in a transaction"
        )
    filler = schema.fields[name].default_factory
    if isinstance(filler, KEPT):
        kind = type(filler).__name__.lower()
        raise UsageError(f"{schema.name}.{name} is kept by the store ({kind}): leave it out")


@lru_cache(maxsize=4096)
def _places(schema: Schema, name: str) -> tuple[Path, tuple[Clause, ...]]:
    """Give where a field is stored, and what takes it away where it was stored before."""
    marker = schema.marked(Attribute).get(name)
    older = tuple(Remove(attribute(each)) for each in marker.older) if marker else ()
    return attribute(schema.attributes[name]), older


def _value_without(schema: Schema, name: str) -> Any:
    """Give what a field reads as when its attribute is removed, if it can be read at all."""
    declared = schema.fields[name]
    if declared.is_required():
        return checked(schema, name, None)
    if declared.default_factory is not None:
        raise UsageError(f"{schema.name}.{name} cannot be removed: give it another value")
    return declared.default
