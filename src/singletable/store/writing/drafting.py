"""What an update makes of fields, whichever item it meets: clauses, and keys that go with them.

No update leaves an index key stale. Where a key is made from a field that the update does not
know, it is refused: reading first in silence would cost what the caller did not ask for. Only an
item that leaves the index whatever that field is needs no key to be made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Sequence as Several
from functools import lru_cache
from typing import Any, NamedTuple

from singletable.errors import UnknownKeyParts, UsageError
from singletable.expressions import Action as Clause
from singletable.expressions import Condition as Node
from singletable.expressions import Path, Remove, Set, Value
from singletable.model.changes import REMOVE, Change, Sum, change_of
from singletable.model.conditions import F
from singletable.model.fields import Aggregate, Attribute, Created, Sequence, Updated, Version
from singletable.model.keys import KeyAttribute, present, ruled_out
from singletable.model.paths import parse_path
from singletable.model.places import place_at
from singletable.model.schema import COPY, Schema
from singletable.values import AttributeValue

from .checking import changed_inside, checked, checked_change
from .limiting import limit_of
from .stored import Values
from .writes import attribute

When = tuple[tuple[str, tuple[Any, ...]], ...]
MadeKey = tuple[str, KeyAttribute, When, tuple[str, ...]]
"""The label of an index, an attribute of its key, what must hold for it, and all their fields."""

KEPT = (Created, Updated, Version, Aggregate, Sequence)
"""What fills fields that the store alone writes."""


class Stale(NamedTuple):
    """What an update of some fields has to write again: index keys, made from others too."""

    keys: tuple[MadeKey, ...] = ()
    others: tuple[str, ...] = ()
    """The other fields that these keys are made from, but for those of the primary key."""


NOTHING_STALE = Stale()


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
        schema = self.schema
        name, check = _free_field(schema, path)
        if isinstance(change, Change):
            clause, limit = _made(schema, path, change)
            if limit is not None:
                self.limits.append(limit)
        elif isinstance(change, F):
            clause = change_of(change).resolve(path, schema)
        elif path != name:
            clause = changed_inside(schema, path, change).resolve(path, schema)
        else:
            self.assign(name, check(change))
            return
        if change is REMOVE and path == name:
            self.values[name] = _value_without(schema, name)
            self.clauses += _places(schema, name)[1]
        else:
            self.unknown.add(name)
        self.clauses.append(clause)

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
            self.clauses.append(_sum(self.schema, name, "+", 1)[0])

    def keys(self, known: Values) -> Several[Clause]:
        """Write again every index key that is made from a changed field."""
        stale = self._stale.keys if self.schema.indexes else ()
        if not stale:
            return ()
        values = {**known, **self.values}
        return [self._written(*made, values) for made in stale]

    def _written(
        self, label: str, part: KeyAttribute, when: When, needed: Iterable[str], values: Values
    ) -> Clause:
        unknown = [name for name in needed if name not in values or name in self.unknown]
        place = attribute(part.attribute)
        if unknown:
            known = {name: values[name] for name in needed if name not in unknown}
            if ruled_out(part, when, known):
                return Remove(place)
            raise self._unknown(label, part, unknown)
        is_there = present(part, when, values)
        return Set(place, Value(part.build(values))) if is_there else Remove(place)

    def check_kin(self) -> None:
        """Refuse a change to index keys that only items of a derived entity have."""
        changed = self.values.keys() | self.unknown
        for kin, (label, part, _, needed) in _keys_of_kin(self.schema, self.schema.table.entered):
            if not changed.isdisjoint(needed):
                raise UnknownKeyParts(
                    f"{kin}.{label}: this update changes {part.attribute} if the item is a {kin}, "
                    f"which {self.schema.name}.key(…) does not tell: give {kin}.key(…) or an "
                    "entity that you have read, or use edit()"
                )

    def borrowed(self, known: Values) -> dict[str, AttributeValue | None]:
        """Give what keys are made from and the update takes from what was read before."""
        stored, fields = self.schema.items.stored, self.others
        return {name: stored(name, known[name]) for name in fields if name in known}

    @property
    def others(self) -> Several[str]:
        """Name the fields that the keys to be written are made from, beside the changed ones."""
        return self._stale.others

    @property
    def _stale(self) -> Stale:
        if not self.schema.indexes:
            return NOTHING_STALE
        return _stale_after(self.schema, frozenset((*self.values, *self.unknown)))

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
def made_keys(schema: Schema) -> tuple[MadeKey, ...]:
    """Give every index key attribute that is made, what must hold for it, and from which fields."""
    return tuple(
        (label, part, when, (*part.fields, *(name for name, _ in when)))
        for label, keys in schema.indexes.items()
        for part, when in keys.made
    )


@lru_cache(maxsize=1024)
def _keys_of_kin(schema: Schema, _entered: int) -> tuple[tuple[str, MadeKey], ...]:
    """Give the index keys that only items of derived entities have, each with the entity's name."""
    own = made_keys(schema)
    kin = schema.family.values()
    return tuple((one.name, made) for one in kin for made in made_keys(one) if made not in own)


@lru_cache(maxsize=4096)
def _stale_after(schema: Schema, changed: frozenset[str]) -> Stale:
    stale = tuple(made for made in made_keys(schema) if not changed.isdisjoint(made[-1]))
    fields = {name for *_, needed in stale for name in needed}
    return Stale(stale, tuple(sorted(fields - {*changed, *schema.key_fields, COPY})))


@lru_cache(maxsize=4096)
def _free_field(schema: Schema, path: str) -> tuple[str, Callable[[Any], Any]]:
    """Name the field that a path begins in, and give what checks a value of it.

    A field of the key, or one that is kept by the store, is refused.
    """
    name = str(parse_path(path)[0])
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
    return name, place_at(schema, name).check


def _made(schema: Schema, path: str, change: Change) -> tuple[Clause, Node | None]:
    """Give the clause of a change, and what must hold for it; counters have the same again."""
    if isinstance(change, Sum) and isinstance(change.amount, int):
        return _sum(schema, path, change.operator, change.amount)
    return _made_once(schema, path, change)


@lru_cache(maxsize=4096, typed=True)  # typed, as True is no number
def _sum(schema: Schema, path: str, operator: str, amount: int) -> tuple[Clause, Node | None]:
    return _made_once(schema, path, Sum(operator, amount))


def _made_once(schema: Schema, path: str, change: Change) -> tuple[Clause, Node | None]:
    clause = checked_change(schema, path, change).resolve(path, schema)
    limit = limit_of(schema, path, change)
    return clause, None if limit is None else limit.condition


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
