"""Transactions: what a block asks for, done when it ends, all of it or nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Literal, Self

from singletable.errors import UsageError
from singletable.model.conditions import Condition
from singletable.model.entity import Entity
from singletable.model.reads import Key
from singletable.store.context import Context
from singletable.store.steps import Program

from .actions import Action
from .committing import commit
from .deleting import Checking, Deleting
from .editing import Editing
from .ensuring import upserting
from .updating import Updating
from .whole import Creating, Putting

NO_CHANGES: Mapping[str, Any] = {}

Target = Key[Any] | Entity


class Transaction:
    """Collects actions in a ``with`` or ``async with`` block, and sends them when it ends.

    A block that raises sends nothing. When it has ended, ``results`` are the items as they are
    then, one for each action; None where the item is gone, or could only be known by reading it.
    """

    def __init__(
        self,
        context: Context,
        run: Callable[[Program[Any]], Any],
        arun: Callable[[Program[Any]], Awaitable[Any]],
        token: str | None = None,
    ) -> None:
        self.results: list[Any] = []
        self._context = context
        self._run = run
        self._arun = arun
        self._token = token
        self._actions: list[Action[Any]] = []
        self._stage: Literal["new", "open", "ended"] = "new"

    def put(self, entity: Entity, *, only_if: Condition | None = None) -> None:
        """Write an item in place of what is there."""
        self._add(Putting(entity, only_if))

    def create(self, entity: Entity) -> None:
        """Write an item; the transaction fails where there is one with its key."""
        self._add(Creating(entity))

    def update(
        self,
        target: Target,
        changes: Mapping[str, Any] = NO_CHANGES,
        /,
        *,
        only_if: Condition | None = None,
        **fields: Any,
    ) -> None:
        """Change some fields of an item; the transaction fails where there is none."""
        self._add(Updating(target, changes={**changes, **fields}, condition=only_if))

    def upsert(
        self,
        target: Target,
        changes: Mapping[str, Any] = NO_CHANGES,
        /,
        *,
        only_if: Condition | None = None,
        **fields: Any,
    ) -> None:
        """Make an item of an entity, or of a key and changes, or change the one that is there."""
        self._add(upserting(target, {**changes, **fields}, only_if))

    def edit(self, key: Key[Any], change: Callable[[Any], Any]) -> None:
        """Let a function change an item; it is called when the block ends, perhaps repeatedly."""
        self._add(Editing(key, change=change))

    def delete(
        self, target: Target, *, only_if: Condition | None = None, orphans: bool = False
    ) -> None:
        """Delete an item; the transaction fails where children that it counts would be left."""
        self._add(Deleting(target, condition=only_if, orphans=orphans))

    def check(
        self,
        target: Target,
        condition: Condition | None = None,
        *,
        only_if: Condition | None = None,
    ) -> None:
        """Let the transaction fail unless a condition holds, or, without one, an item is there."""
        if condition is None:
            condition = only_if
        elif only_if is not None:
            condition = condition & only_if
        self._add(Checking(target, condition=condition))

    def _add(self, action: Action[Any]) -> None:
        if self._stage == "new":
            raise UsageError(
                f"{action}: this transaction has not begun, and would never be sent: ask for it in "
                "a block, with store.transaction() as tx:"
            )
        if self._stage == "ended":
            raise UsageError(f"{action}: this transaction has ended: begin another one")
        self._actions.append(action)

    def __enter__(self) -> Self:
        return self._begun()

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._stage = "ended"
        if kind is None and self._actions:
            self.results = self._run(self._work())

    async def __aenter__(self) -> Self:
        return self._begun()

    async def __aexit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._stage = "ended"
        if kind is None and self._actions:
            self.results = await self._arun(self._work())

    def _begun(self) -> Self:
        if self._stage != "new":
            raise UsageError(
                "A transaction is one block, and is sent once: begin another one, "
                "with store.transaction() as tx:"
            )
        self._stage = "open"
        return self

    def _work(self) -> Program[list[Any]]:
        return commit(self._context, self._actions, self._token)
