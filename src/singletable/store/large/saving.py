"""Large attributes: content is stored under a new id first, then the item is made to point at it.

A plan only chooses places for content, and sends nothing. Content goes there before the plan is
carried out; one write of the item then moves the pointer, and what it pointed at before is deleted
last. So a process that stops at any moment leaves at worst content that no item points at, which
``sweeping`` finds, and never a pointer to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from singletable.errors import (
    ConditionFailed,
    NotFound,
    SingletableError,
    TransactionCancelled,
    UniqueViolation,
    UsageError,
    ValidationException,
)
from singletable.model.large import Large, Stored
from singletable.model.schema import Schema
from singletable.store.context import Context
from singletable.store.steps import Program

from .contents import delete_contents, load, place_of, store_content

if TYPE_CHECKING:
    from singletable.model.entity import Entity
    from singletable.store.writing.actions import Action, Plan

UNDONE = (
    ConditionFailed,
    NotFound,
    TransactionCancelled,
    UniqueViolation,
    UsageError,
    ValidationException,
)
"""The errors after which it is certain that nothing was written."""


class Contents:
    """Gives the content of some actions its places, however often they are planned."""

    __slots__ = ("_context", "_places", "_stored", "_waiting")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._places: dict[tuple[Any, ...], Large[Any]] = {}
        self._waiting: dict[Stored, Large[Any]] = {}
        self._stored: set[Stored] = set()

    def placed(
        self,
        action: Action[Any],
        values: Mapping[str, Any],
        before: Entity | None,
        *,
        anew: bool = False,
    ) -> dict[str, Large[Any]]:
        """Give what stands in the item for the content among some values of it.

        What the item points at already stays, unless it is made ``anew``. A pointer that belongs
        to another item or field is replaced by one to a copy, so that no two share content.
        """
        schema = action.schema
        owner = tuple(text["S"] for text in action.key.values())
        placed = {}
        for name, large in _given(schema, values):
            stored, field = large.stored, schema.large[name]
            mine = stored is not None and (stored.owner, stored.field) == (owner, field.label)
            if not mine or anew:
                placed[name] = self._place(schema, name, owner, large)
            elif stored not in pointers([before]):
                raise _replaced(action, name, before)
        return placed

    def _place(
        self, schema: Schema, name: str, owner: tuple[str, ...], large: Large[Any]
    ) -> Large[Any]:
        field = schema.large[name]
        if large.content is not None and large.size_bytes <= field.inline_max:
            return field.inline(large.content)
        asked = (owner, name, large.checksum)
        if asked not in self._places:
            stored = place_of(self._context, field, owner, large)
            self._waiting[stored] = large
            self._places[asked] = field.elsewhere(large, stored)
        return self._places[asked]

    def store(self) -> Program[None]:
        """Store in their places what is not there yet."""
        try:
            while self._waiting:
                stored, large = self._waiting.popitem()
                self._stored.add(stored)
                content = yield from load(self._context, large)
                yield from store_content(self._context, stored, content)
        except SingletableError:
            yield from self.undo()
            raise

    def settle(self, plans: Iterable[Plan]) -> Program[None]:
        """Delete what was pointed at, or stored to be, and is not after these plans."""
        plans = list(plans)
        kept = pointers(plan.after for plan in plans)
        gone = self._stored | pointers(plan.before for plan in plans)
        yield from delete_contents(self._context, gone - kept)

    def keep(self) -> None:
        """Leave what was stored for a write that may yet be done; else a sweep finds it."""
        self._stored.clear()

    def undo(self) -> Program[None]:
        """Delete what was stored for a write that was not done."""
        stored, self._stored = self._stored, set()
        yield from delete_contents(self._context, stored)


def pointers(entities: Iterable[Entity | None]) -> set[Stored]:
    """Give what entities point at."""
    return {
        large.stored
        for entity in entities
        if entity is not None
        for _, large in _given(entity.__schema__, entity.__dict__)
        if large.stored is not None
    }


def _given(schema: Schema, values: Mapping[str, Any]) -> Iterator[tuple[str, Large[Any]]]:
    """Give the large fields that have a value; plain content is as good as a Large."""
    for name in schema.large:
        value = values.get(name)
        if isinstance(value, Large):
            yield name, value
        elif isinstance(value, str | bytes):
            yield name, Large(value)


def _replaced(action: Action[Any], name: str, before: Entity | None) -> ConditionFailed:
    how = "was replaced" if before is not None else "is gone with its item"
    return ConditionFailed(
        f"{action}: the content of {name} {how} since it was read: read the item again, or give "
        f"{name} its content",
        before,
    )
