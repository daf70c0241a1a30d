"""How a copy gets its new value: an update that is no edit of the item.

Neither version nor time of the last write move, so nobody who has read the item is refused for it.
Index keys that are made from the copy follow, as with every update of a store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.errors import ConditionFailed, NotFound, StoreError
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.store.writing.actions import E, Seen
from singletable.store.writing.committing import write
from singletable.store.writing.drafting import Draft
from singletable.store.writing.updating import Updating

from .rules import CopyRule

ATTEMPTS = 10


@dataclass(slots=True)
class Refreshing(Updating[E]):
    """Gives fields new values, and changes nothing else."""

    verb = "refresh"

    @property
    def mine(self) -> int | None:
        """Compare no version: whatever else has changed, the copy has to."""
        return None

    def draft(self, seen: Seen, before: Entity | None) -> Draft:
        """Collect the new values, but neither a version nor a time."""
        draft = Draft(self.schema)
        for name, value in self.changes.items():
            draft.change(name, value)
        return draft


def refresh(context: Context, rule: CopyRule, entity: Entity, value: Any) -> Program[bool]:
    """Give a copy its value, unless it has it, or is gone, or is of another source by now."""
    holders = {mine: entity.__dict__[mine] for _, mine in rule.pairs}
    condition = F(rule.field) != value
    for name, content in holders.items():
        if name not in entity.__schema__.key_names:
            condition &= F(name) == content
    for _ in range(ATTEMPTS):
        try:
            action = Refreshing(entity, changes={rule.field: value}, condition=condition)
            yield from write(context, action)
        except NotFound:
            return False
        except ConditionFailed as error:
            found = error.found
            if not isinstance(found, Entity) or not _is_stale(rule, found, holders, value):
                return False
            entity = found  # what was read of it had changed
        else:
            return True
    raise StoreError(f"{rule.schema.name}.{rule.field}: others wrote meanwhile, {ATTEMPTS} times")


def _is_stale(rule: CopyRule, found: Entity, holders: dict[str, Any], value: Any) -> bool:
    same = all(found.__dict__.get(name) == content for name, content in holders.items())
    return same and found.__dict__.get(rule.field) != value
