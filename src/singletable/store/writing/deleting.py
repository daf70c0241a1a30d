"""Deletes, and the check of a transaction: actions that give no values to the item they name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from singletable.errors import ConditionFailed, NotFound, SingletableError
from singletable.expressions import Condition as Node
from singletable.values import Item

from .actions import E, Plan, Seen, Targeted, alive, resolved, version_conflict, version_is
from .effects import basis_of, counts_on, rules_of
from .stored import entity_in, found_entity, keys_of
from .writes import Check, Delete, every, exists, unchanged


@dataclass(slots=True)
class Deleting(Targeted[E]):
    """Deletes an item; that there is none is no error, unless something is asked of it.

    One that counts others is deleted when there are none, or with them, or if ``orphans`` may stay.
    """

    verb = "delete"
    orphans: bool = field(default=False, kw_only=True)

    @property
    def spreads(self) -> bool:
        """Tell whether the item leaves something elsewhere, or must not."""
        return bool(self.schema.copies or counts_on(self.schema)) or self._leaves()

    def reads(self, *, again: bool = False) -> Iterable[Item]:
        """Read what the item leaves elsewhere."""
        return (self.key,) if self._leaves() else ()

    def _leaves(self) -> bool:
        """Tell whether the item, which may be of a derived entity, leaves something elsewhere."""
        return any(rules_of(schema) or schema.large for schema in self.schema.family.values())

    def plan(self, seen: Seen) -> Plan:
        """Plan to delete the item and all its copies."""
        schema = self.schema
        basis = basis_of(self, seen, *schema.large)
        condition = every(asked_of(self, seen.at), unchanged(basis))
        keys = keys_of(schema, self.values)
        return Plan(
            action=self,
            writes=tuple(Delete(key=key, condition=condition) for key in keys),
            at=seen.at,
            before=entity_in(schema, basis.item) if basis else None,
            basis=basis,
            counts=() if self.orphans else counts_on(schema),
        )

    def failure(self, found: Item | None) -> SingletableError:
        """Say whether the version, the condition or what would be left behind is at fault."""
        asked = resolved(self.schema, self.condition)
        is_as_asked = asked is None or asked.evaluate(found or {}, {})
        conflict = version_conflict(self, self.mine, found)
        left = None if conflict or not is_as_asked else self._left_behind(found)
        return left or super(Deleting, self).failure(found)

    def _left_behind(self, found: Item | None) -> ConditionFailed | None:
        parent = found_entity(self.schema, found)
        counts = parent.__schema__.counts if parent else {}
        for name, _ in counts_on(self.schema):
            if parent and name in counts and (count := parent.__dict__[name]):
                child = counts[name].entity
                return ConditionFailed(
                    f"{self}: {name} is {count}, and what it counts would be left behind: delete "
                    f"every {child} of it first, or all in one transaction; orphans=True deletes "
                    "it nevertheless",
                    parent,
                )
        return None


@dataclass(slots=True)
class Checking(Targeted[E]):
    """Writes nothing, but lets its transaction fail.

    It does so unless the condition holds and an entity still has the version that was read; if
    neither is given, unless there is an item.
    """

    verb = "check"

    def plan(self, seen: Seen) -> Plan:
        """Plan to check the item, or the first of its copies."""
        schema = self.schema
        there = every(exists(schema.table.pk), alive(schema, seen.at))
        condition = asked_of(self, seen.at) or there
        return Plan(action=self, writes=(Check(key=self.key, condition=condition),), at=seen.at)

    def failure(self, found: Item | None) -> SingletableError:
        """Say that there is no item, or that it is not as it should be."""
        if self.condition is None and found is None:
            return NotFound(f"{self}: there is no such item")
        return super(Checking, self).failure(found)


def asked_of(action: Targeted[Any], at: datetime) -> Node | None:
    """Give what a caller asks of an item; what is asked is not true of one whose time is over."""
    schema, condition = action.schema, resolved(action.schema, action.condition)
    living = None if condition is None else alive(schema, at)
    return every(condition, living, version_is(schema, action.mine, at))
