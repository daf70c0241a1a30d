"""The writes of a store, each in two forms: sync and, with the prefix ``a``, async."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from singletable.backends import Backend
from singletable.model.conditions import Condition
from singletable.model.entity import Entity
from singletable.model.reads import Key

from .batches import Progress
from .bulk import delete_many, put_many
from .context import Context
from .drivers import arun, run
from .steps import Program
from .writing.actions import Action
from .writing.committing import write
from .writing.deleting import Deleting
from .writing.editing import Editing
from .writing.ensuring import upserting
from .writing.transactions import NO_CHANGES, Transaction
from .writing.updating import Updating
from .writing.whole import Creating, Putting

E = TypeVar("E", bound=Entity)
R = TypeVar("R")


class Writer:
    """The part of a store that writes; what a store keeps true is kept true by every method.

    Methods never change the entity they are given: they return it as it is stored.
    """

    backend: Backend
    _context: Context

    def put(self, entity: E, *, only_if: Condition | None = None) -> E:
        """Write an item in place of what is there."""
        return self._write(Putting(entity, only_if))

    async def aput(self, entity: E, *, only_if: Condition | None = None) -> E:
        """Write an item in place of what is there."""
        return await self._awrite(Putting(entity, only_if))

    def create(self, entity: E) -> E:
        """Write an item; raises ``AlreadyExists`` where there is one with its key."""
        return self._write(Creating(entity))

    async def acreate(self, entity: E) -> E:
        """Write an item; raises ``AlreadyExists`` where there is one with its key."""
        return await self._awrite(Creating(entity))

    def update(
        self,
        target: Key[E] | E,
        changes: Mapping[str, Any] = NO_CHANGES,
        /,
        *,
        only_if: Condition | None = None,
        **fields: Any,
    ) -> E:
        """Change some fields of an item, and the index keys that are made from them.

        Fields are named by keywords, or by paths in a mapping (``{"stats.reads": add(1)}``).
        Raises ``NotFound`` where there is no item. Values are checked before they are sent, one by
        one; rules of the entity that compare fields, only where the others are known: with an
        entity as the target. By key it may prove afterwards that the item breaks such a rule:
        then ``StoreError`` says that the write was done. ``edit`` reads first, and never does it.
        """
        return self._write(Updating(target, changes={**changes, **fields}, condition=only_if))

    async def aupdate(
        self,
        target: Key[E] | E,
        changes: Mapping[str, Any] = NO_CHANGES,
        /,
        *,
        only_if: Condition | None = None,
        **fields: Any,
    ) -> E:
        """Change some fields of an item, and the index keys that are made from them."""
        action = Updating(target, changes={**changes, **fields}, condition=only_if)
        return await self._awrite(action)

    def upsert(
        self,
        target: Key[E] | E,
        changes: Mapping[str, Any] = NO_CHANGES,
        /,
        *,
        only_if: Condition | None = None,
        **fields: Any,
    ) -> E:
        """Make an item, or change the one that is there.

        An entity gives all its fields new values. With a key, the changes are those of an update,
        and an item that they begin has its key, the changes (``add(1)`` counts from 0) and
        defaults. ``only_if`` is asked of an item that is there.
        """
        return self._write(upserting(target, {**changes, **fields}, only_if))

    async def aupsert(
        self,
        target: Key[E] | E,
        changes: Mapping[str, Any] = NO_CHANGES,
        /,
        *,
        only_if: Condition | None = None,
        **fields: Any,
    ) -> E:
        """Make an item, or change the one that is there."""
        return await self._awrite(upserting(target, {**changes, **fields}, only_if))

    def edit(self, key: Key[E], change: Callable[[E], E | None]) -> E:
        """Read an item, let a function change it, write it; again if others wrote meanwhile."""
        return self._write(Editing(key, change=change))

    async def aedit(self, key: Key[E], change: Callable[[E], E | None]) -> E:
        """Read an item, let a function change it, write it; again if others wrote meanwhile."""
        return await self._awrite(Editing(key, change=change))

    def delete(
        self,
        target: Key[Any] | Entity,
        *,
        only_if: Condition | None = None,
        orphans: bool = False,
    ) -> None:
        """Delete an item; one that is not there is no error, unless there is a condition.

        An item that counts others in its transactions (``count_of``) is deleted when there are
        none: ``ConditionFailed`` says which are left. ``orphans`` leaves them behind.
        """
        self._write(Deleting(target, condition=only_if, orphans=orphans))

    async def adelete(
        self,
        target: Key[Any] | Entity,
        *,
        only_if: Condition | None = None,
        orphans: bool = False,
    ) -> None:
        """Delete an item; one that is not there is no error, unless there is a condition."""
        await self._awrite(Deleting(target, condition=only_if, orphans=orphans))

    def put_many(self, entities: Iterable[Entity], *, progress: Progress | None = None) -> None:
        """Write items of any number, in batches; ``progress`` is told how many are done."""
        self._run(put_many(self._context, entities, progress))

    async def aput_many(
        self, entities: Iterable[Entity], *, progress: Progress | None = None
    ) -> None:
        """Write items of any number, in batches; ``progress`` is told how many are done."""
        await self._arun(put_many(self._context, entities, progress))

    def delete_many(
        self,
        targets: Iterable[Key[Any] | Entity],
        *,
        progress: Progress | None = None,
        orphans: bool = False,
    ) -> None:
        """Delete items of any number, in batches; ``progress`` is told how many are done.

        Those that are counted go before those that count them; ``orphans`` as in ``delete``.
        """
        self._run(delete_many(self._context, targets, progress, orphans=orphans))

    async def adelete_many(
        self,
        targets: Iterable[Key[Any] | Entity],
        *,
        progress: Progress | None = None,
        orphans: bool = False,
    ) -> None:
        """Delete items of any number, in batches; ``progress`` is told how many are done."""
        await self._arun(delete_many(self._context, targets, progress, orphans=orphans))

    def transaction(self, token: str | None = None) -> Transaction:
        """Begin a transaction: what the block asks for is done when it ends, all or nothing.

        With a ``token`` it is done once, however often it is sent within ten minutes. What is
        sent again has to be the same: a ``UsageError`` says that it is not, and that what was sent
        first was done. Times that the store fills in count too (``updated()``; ``created()`` of
        entities made anew), and so do the places of large content and whatever it had to read
        first: without these, a token is sure to work.
        """
        return Transaction(self._context, self._run, self._arun, token)

    def _write(self, action: Action[E]) -> E:
        written: E = run(write(self._context, action), self.backend)
        return written

    async def _awrite(self, action: Action[E]) -> E:
        written: E = await arun(write(self._context, action), self.backend)
        return written

    def _run(self, work: Program[R]) -> R:
        return run(work, self.backend)

    async def _arun(self, work: Program[R]) -> R:
        return await arun(work, self.backend)
