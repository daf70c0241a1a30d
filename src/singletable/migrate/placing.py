"""An item put as a row has it, by the store, which keeps counts and unique values true meanwhile.

A put of the store's own would fill in the time of the write, and ask for the version that it
replaces: here the source tells, and is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from singletable.model.entity import Entity
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.store.writing.actions import E, Seen
from singletable.store.writing.committing import write
from singletable.store.writing.deleting import Deleting
from singletable.store.writing.whole import Putting

from .items import FIRST_VERSION


@dataclass(slots=True)
class Placing(Putting[E]):
    """Puts an item as it is given."""

    verb = "place"
    counts: Mapping[str, Any] = field(default_factory=dict)
    """What the item counts, if it is not there yet."""
    is_new: bool = field(default=False, init=False)
    """Whether it was not there, when it was written."""

    def filled(self, old: Entity | None, seen: Seen) -> dict[str, Any]:
        """Give what the row does not tell: counts, and a first version."""
        filled = super(Placing, self).filled(old, seen)
        for name in self.schema.updated_fields:
            del filled[name]
        self.is_new = old is None
        return filled if old else {**filled, **self.counts}

    def _stored(self, old: Entity | None, seen: Seen) -> E:
        stored = super(Placing, self)._stored(old, seen)
        version = self.schema.version_field
        if version is None:
            return stored
        return stored.model_copy(update={version: self.values[version] or FIRST_VERSION})

    @property
    def _mine(self) -> int | None:
        return None


def place(context: Context, entity: Entity, counts: Mapping[str, Any]) -> Program[bool]:
    """Put an entity as it is given; one that is not there yet, with these counts: tell whether."""
    action = Placing(entity, counts=counts)
    yield from write(context, action)
    return action.is_new


def remove(context: Context, entity: Entity) -> Program[None]:
    """Delete the item of an entity, whoever has changed it; its children may go later."""
    key = type(entity).key(**{name: getattr(entity, name) for name in entity.__schema__.key_fields})
    yield from write(context, Deleting(key, orphans=True))
