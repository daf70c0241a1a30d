"""What a caller asks a store to write, and what comes of it: an action, and its plan.

An action says what it has to read first. From what was read it makes a plan, without sending
anything: the writes to its own item, and how that item is before and after, from which follows
what else in the table has to change. All writes, alone and in transactions, go this one way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic import ValidationError

from singletable.errors import (
    ConditionFailed,
    SingletableError,
    StoreError,
    UsageError,
    VersionConflict,
)
from singletable.expressions import Condition as Node
from singletable.model.conditions import Condition
from singletable.model.entity import Entity
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.validating import faults_of
from singletable.store.large.saving import Contents
from singletable.values import Item

from .numbering import Numbers
from .stored import Values, found_entity, kin_of
from .writes import Basis, Identity, Write, equals, expired

E = TypeVar("E", bound=Entity)


@dataclass(slots=True)  # frozen, it and the plan would take four times as long to make
class Seen:
    """What a plan is made from: the time, the items that were read, numbers, content."""

    at: datetime
    items: Mapping[Identity, Item | None]
    numbers: Numbers
    contents: Contents


@dataclass(slots=True, kw_only=True)
class Plan:
    """What an action does: its writes, and its item before and after, as far as it is known."""

    action: Action[Any]
    writes: tuple[Write, ...]
    at: datetime
    before: Entity | None = None
    """The item whose place is taken, be its time over or not."""
    after: Entity | None = None
    basis: Basis | None = None
    counts: Sequence[tuple[str, str]] = ()
    """The counts of an item that goes, none of whose children may be left behind."""

    def failure(self, found: Item | None) -> SingletableError | None:
        """Say why a write failed where this was found; None if another plan may succeed."""
        if self.basis is None:
            outdated = found is not None and self.action.must_look(found, self.at)
        else:
            outdated = not self.basis.holds(found)
        return None if outdated else self.action.failure(self.action.schema.living(found, self.at))


class Action(ABC, Generic[E]):
    """What a caller asks for, done to one item."""

    __slots__ = ()
    verb: ClassVar[str]
    schema: Schema

    @property
    def label(self) -> str:
        """Name the action in messages, as in ``create User``."""
        return f"{self.verb} {self.schema.name}"

    @property
    @abstractmethod
    def values(self) -> Values:
        """Give the values of the fields that are known of the item, those of its key at least."""

    @property
    def key(self) -> Item:
        """Give the key of the item; of its first copy, if there are several."""
        return self.schema.item_key(self.values)

    @property
    def spreads(self) -> bool:
        """Tell whether one plain write to the item is not enough."""
        return True

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Give the keys of what has to be read for a plan, or for another after one in vain."""
        return ()

    def must_look(self, found: Item, at: datetime) -> bool:
        """Tell whether what was found in the way has to be read first, and then no longer is."""
        return False

    @abstractmethod
    def plan(self, seen: Seen) -> Plan:
        """Make the plan; raises where it is clear already that the action cannot succeed."""

    def failure(self, found: Item | None) -> SingletableError:
        """Say why the action failed where this item was found, or none."""
        return condition_failed(self, found)

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={self.values[name]!r}" for name in self.schema.key_fields)
        return f"{self.label}({fields})"


@dataclass(slots=True)
class Targeted(Action[E]):
    """An action on an item that is named by its key, or by an entity that was read before."""

    target: Key[E] | E
    condition: Condition | None = field(default=None, kw_only=True)
    schema: Schema = field(init=False, repr=False, compare=False)
    values: Values = field(init=False, repr=False, compare=False)
    """All values of an entity, or those of a key."""

    def __post_init__(self) -> None:
        target = self.target
        schema, values = (
            (target.schema, target.fields)
            if isinstance(target, Key)
            else (whole(self.verb, target, "or a key").__schema__, target.__dict__)
        )
        self.schema, self.values = schema, values

    @property
    def mine(self) -> int | None:
        """Give the version that the caller has read; None where there is none to compare."""
        version = self.schema.version_field
        if version is None or isinstance(self.target, Key):
            return None
        return cast(int, self.target.__dict__[version])

    def failure(self, found: Item | None) -> SingletableError:
        """Say whether the version or the condition is at fault."""
        return version_conflict(self, self.mine, found) or condition_failed(self, found)


def whole(verb: str, given: Any, other: str = "") -> Entity:
    """Give the entity that a caller gave, or say what is needed in place of something else."""
    if isinstance(given, Entity):
        if not given.__schema__.is_whole:
            raise UsageError(f"{verb}({given!r}): {given.__schema__.without_items}")
        return given
    needed = f"an entity{other and ', ' + other}"
    if isinstance(given, type) and issubclass(given, Entity):
        raise UsageError(
            f"{verb}({given.__name__}): give {needed}, not the class: {given.__name__}(…)"
        )
    raise UsageError(f"{verb}({given!r}): give {needed}, not {_a(given)}")


def _a(given: Any) -> str:
    return "nothing" if given is None else f"a {type(given).__name__}"


def becoming(action: Action[Any], item: Item) -> Entity:
    """Read what an item is to become; raises a ``UsageError`` where that would be no entity."""
    schema = kin_of(action.schema, item)
    try:
        return schema.items.read(item)
    except ValidationError as error:
        told = faults_of(schema.name, error)
        raise UsageError(f"{action}: {told}. Nothing was written") from error


def become(action: Action[Any], item: Item) -> Entity:
    """Read what an item has become; what only the service could know may prove to be no entity."""
    schema = kin_of(action.schema, item)
    try:
        return schema.items.read(item)
    except ValidationError as error:
        told = faults_of(schema.name, error)
        raise StoreError(
            f"{action}: the write was done, but the item cannot be read any more: {told}. Give it "
            "other values; edit(), which reads first, would have refused these"
        ) from error


def resolved(schema: Schema, condition: Condition | None) -> Node | None:
    """Give the expression of a caller's condition."""
    if condition is None:
        return None
    if not isinstance(condition, Condition):
        raise UsageError(
            f'only_if={condition!r} is no condition: write one as in only_if=F("status") == "NEW"'
        )
    return condition.resolve(schema)


def version_is(schema: Schema, mine: int | None, at: datetime) -> Node | None:
    """Hold while an item has a version; 0 is the version of what was never written, or is over."""
    if mine is None or schema.version_field is None:
        return None
    stored = {"N": str(mine)} if mine else None
    same = equals(schema.attributes[schema.version_field], stored)
    if schema.expiry_field is None:
        return same
    over = expired(schema.table.ttl, at)
    return same & ~over if mine else same | over


def alive(schema: Schema, at: datetime) -> Node | None:
    """Hold unless the time of an item is over; where there is no item, too."""
    return None if schema.expiry_field is None else ~expired(schema.table.ttl, at)


def version_conflict(
    action: Action[Any], mine: int | None, found: Item | None
) -> VersionConflict | None:
    """Give the error if what was found has another version than the caller has read."""
    field_ = action.schema.version_field
    if field_ is None or mine is None:
        return None
    stored = (found or {}).get(action.schema.attributes[field_])
    theirs = int(stored["N"]) if stored else None
    if (theirs or 0) == mine:
        return None
    there = "there is no such item" if found is None else f"the item has version {theirs or 0}"
    return VersionConflict(
        f"{action}: made from version {mine}, but {there}: read it again, or use edit()",
        mine,
        theirs,
        found_entity(action.schema, found),
    )


def condition_failed(action: Action[Any], found: Item | None) -> ConditionFailed:
    """Give the error of a condition that was false."""
    there = "there is no such item" if found is None else "the item is not as the condition says"
    return ConditionFailed(f"{action}: {there}", found_entity(action.schema, found))


def written_by_newer(action: Action[Any], found: Item | None) -> ConditionFailed | None:
    """Give the error if a newer schema wrote what was found: older code could undo its meaning."""
    newer = action.schema.items.newer(found) if found else None
    if newer is None:
        return None
    return ConditionFailed(
        f"{action}: {newer}, and would lose what that one means: release the newer code here, too",
        found_entity(action.schema, found),
    )
