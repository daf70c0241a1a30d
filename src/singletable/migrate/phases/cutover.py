"""The switch from the old side to the new, as every process of the application sees it.

What is asked for each request sends nothing, but for one read every ``refresh_s / 2``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TypeVar

from singletable.errors import UsageError
from singletable.migrate.bookkeeping import SUFFIX, Books, Move, Phase, PhaseName
from singletable.migrate.migration import Migration
from singletable.store.drivers import arun, run
from singletable.store.steps import Program
from singletable.store.store import Store

from .flags import Flags
from .moving import Mover
from .pausing import Pause
from .watching import Watch
from .way_back import note_way_back

R = TypeVar("R")

REFRESH_S = 2.0
SETTLE_S = 1.0
FOREVER = float("inf")


class Cutover:
    """Tells which side to read and to write, and is how an operator changes that.

    ``refresh_s`` bounds how long a process may act by a phase that was left. The first to change
    the phase sets it for all.
    """

    def __init__(
        self, store: Store, migration: str | type[Migration[Any]], *, refresh_s: float = REFRESH_S
    ) -> None:
        name = migration if isinstance(migration, str) else migration.__name__
        self.migration = name
        self.books = Books(store.backend, table_name=f"{store.table_name}{SUFFIX}")
        self._watch = Watch(self.books, name, refresh_s)
        self._mover = Mover(self._watch, store.context.clock, self._before_done(store, migration))
        self._pause: Pause | None = None

    def look(self) -> Flags:
        """Give all that a request needs to know; the last known, where the table is unreachable."""
        return self._run(self._watch.for_reads())

    async def alook(self) -> Flags:
        """Give all that a request needs to know; the last known, where the table is unreachable."""
        return await self._arun(self._watch.for_reads())

    def reads_new(self, key: object) -> bool:
        """Tell whether a reader, such as a user, uses the new side."""
        return self.look().reads_new(key)

    async def areads_new(self, key: object) -> bool:
        """Tell whether a reader, such as a user, uses the new side."""
        return (await self.alook()).reads_new(key)

    @property
    def phase(self) -> PhaseName:
        """Name the phase."""
        return self.look().phase

    @property
    def writes_old(self) -> bool:
        """Tell whether writes go to the old side."""
        return self.look().writes_old

    @property
    def writes_new(self) -> bool:
        """Tell whether writes go to the new side."""
        return self.look().writes_new

    @property
    def is_shadowing(self) -> bool:
        """Tell whether reads are done on both sides and compared."""
        return self.look().is_shadowing

    def wait_to_write(self, at_most_s: float = FOREVER) -> Flags:
        """Wait while writes are held; give where to write, now.

        Raises ``WritesPaused`` after ``at_most_s``, and ``PhaseUnknown`` where the table could not
        be asked for ``refresh_s``: a write that misses a pause would be lost.
        """
        return self._run(self._mover.waited(at_most_s))

    async def await_to_write(self, at_most_s: float = FOREVER) -> Flags:
        """Wait while writes are held; give where to write, now."""
        return await self._arun(self._mover.waited(at_most_s))

    def look_to_write(self) -> Flags:
        """Give all that who writes needs to know, held or not; ``PhaseUnknown`` if it is not known.

        For writes that were under way when others were held.
        """
        return self._run(self._watch.for_writes())

    def advance(self, to: PhaseName, *, by: str, note: str = "", force: bool = False) -> Flags:
        """Change the phase to the next or the one before; returns when every process has it.

        ``force`` goes further, goes on though it is postponed, and back after the end.
        """
        self._check_unpaused()
        return self._run(self._mover.moved(to, by, note, force=force))

    async def aadvance(
        self, to: PhaseName, *, by: str, note: str = "", force: bool = False
    ) -> Flags:
        """Change the phase to the next or the one before; returns when every process has it."""
        self._check_unpaused()
        return await self._arun(self._mover.moved(to, by, note, force=force))

    def prepare(self, to: PhaseName) -> None:
        """Do what takes long before a phase is entered, while writes go on: note the way back."""
        self._run(self._mover.prepared(to))

    async def aprepare(self, to: PhaseName) -> None:
        """Do what takes long before a phase is entered, while writes go on: note the way back."""
        await self._arun(self._mover.prepared(to))

    def postpone(self, why: str | None) -> Flags:
        """Refuse to go on to the next phase, for a reason, until it is postponed for None."""
        return self._run(self._mover.postponed(why))

    async def apostpone(self, why: str | None) -> Flags:
        """Refuse to go on to the next phase, for a reason, until it is postponed for None."""
        return await self._arun(self._mover.postponed(why))

    @contextmanager
    def paused(
        self, *, by: str, max_s: float = 10.0, settle_s: float = SETTLE_S
    ) -> Iterator[Pause]:
        """Hold the writes of every process that asks ``wait_to_write``, for ``max_s`` at most.

        The block begins when all hold: ``refresh_s`` later, and ``settle_s`` for writes that were
        under way. Raises ``PauseExceeded`` if it ends too late.
        """
        self._check_unpaused()
        pause = self._pause = Pause(self._mover, max_s, settle_s)
        try:
            self._run(pause.begin(by))
            try:
                yield pause
            except BaseException:
                self._run(pause.end(failed=True))
                raise
            self._run(pause.end(failed=False))
        finally:
            pause.forget()
            self._pause = None

    @asynccontextmanager
    async def apaused(
        self, *, by: str, max_s: float = 10.0, settle_s: float = SETTLE_S
    ) -> AsyncIterator[Pause]:
        """Hold the writes of every process that asks ``wait_to_write``, for ``max_s`` at most."""
        self._check_unpaused()
        pause = self._pause = Pause(self._mover, max_s, settle_s)
        try:
            await self._arun(pause.begin(by))
            try:
                yield pause
            except BaseException:
                await self._arun(pause.end(failed=True))
                raise
            await self._arun(pause.end(failed=False))
        finally:
            pause.forget()
            self._pause = None

    def history(self) -> list[Move]:
        """Tell who changed the phase, when and why, oldest first."""
        return self.books.moves(self._watch.name).all()

    async def ahistory(self) -> list[Move]:
        """Tell who changed the phase, when and why, oldest first."""
        return await self.books.moves(self._watch.name).aall()

    def _before_done(
        self, store: Store, migration: str | type[Migration[Any]]
    ) -> Callable[[Phase], None] | None:
        if isinstance(migration, str):
            return None
        return partial(note_way_back, store, self.books, migration)

    def _check_unpaused(self) -> None:
        if self._pause is not None:
            raise UsageError(
                "Writes are paused here: advance by the pause, which ends it by the same write "
                "(with cutover.paused(…) as pause: … pause.advance(…))"
            )

    def _run(self, work: Program[R]) -> R:
        return run(work, self.books.backend)

    async def _arun(self, work: Program[R]) -> R:
        return await arun(work, self.books.backend)
