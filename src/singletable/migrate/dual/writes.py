"""Writes to both sides: the application writes the old one, and the new one follows from it.

The journal has an entry before the old side is written, and loses it when both sides have the
write. So whatever dies in between, what is left to do is known.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar
from uuid import uuid4

from singletable.errors import StoreError, UsageError
from singletable.migrate.bookkeeping import Intent
from singletable.migrate.phases import Cutover, Flags
from singletable.migrate.running import Job
from singletable.migrate.transforming import Reject, name_of

from .desk import Desk
from .reads import Shadow
from .settling import PATIENCE_S, settle_journal

R = TypeVar("R")

Policy = Literal["lag", "both"]
FOREVER = float("inf")

logger = logging.getLogger("singletable.migrate")


class NewSideLags(StoreError):
    """The old side has a write, and the new one not yet: the journal knows of it."""


class MissedPause(StoreError):
    """A write took longer than the pause it began before: only the old side has it."""


class DualWrites:
    """Writes to both sides, and reads from the one that answers now.

    ``policy`` says what a caller is told when the old side has a write and the new one cannot take
    it at once: with "lag" nothing, as it is journalled and settled later; with "both"
    ``NewSideLags`` is raised.
    """

    def __init__(self, job: Job, cutover: Cutover, *, policy: Policy = "lag") -> None:
        self._job = job
        self._cutover = cutover
        self._policy = policy
        self._opened = ExitStack()
        self._free: list[Desk] = []
        self._lock = threading.Lock()
        self.shadow = Shadow(cutover)
        """Compares what both sides answer."""

    @contextmanager
    def writing(self, kind: str, *row: Any, at_most_s: float = FOREVER) -> Iterator[Flags]:
        """Have a row that the block writes on the old side written on the new one, too.

        ``row`` is its key. Waits while writes are paused, up to ``at_most_s``. The block is told
        where to write, as ``Cutover.wait_to_write`` tells it.
        """
        with self.writing_rows((kind, *row), at_most_s=at_most_s) as where:
            yield where

    @contextmanager
    def writing_rows(self, *rows: tuple[Any, ...], at_most_s: float = FOREVER) -> Iterator[Flags]:
        """Do as ``writing`` for several rows, each its kind and its key."""
        where = self._cutover.wait_to_write(at_most_s)
        work = self._begun(rows) if where.writes_old and where.writes_new else None
        try:
            yield where
        except BaseException:
            self._ended(work, failed=True)
            raise
        self._ended(work)

    @asynccontextmanager
    async def awriting(
        self, kind: str, *row: Any, at_most_s: float = FOREVER
    ) -> AsyncIterator[Flags]:
        """Have a row that the block writes on the old side written on the new one, too."""
        async with self.awriting_rows((kind, *row), at_most_s=at_most_s) as where:
            yield where

    @asynccontextmanager
    async def awriting_rows(
        self, *rows: tuple[Any, ...], at_most_s: float = FOREVER
    ) -> AsyncIterator[Flags]:
        """Do as ``awriting`` for several rows; the old side is read in a thread."""
        where = await self._cutover.await_to_write(at_most_s)
        both = where.writes_old and where.writes_new
        work = await asyncio.to_thread(self._begun, rows) if both else None
        try:
            yield where
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self._ended, work, failed=True))
            raise
        await asyncio.shield(asyncio.to_thread(self._ended, work))

    def settle(self, *, older_s: float = PATIENCE_S) -> int:
        """Bring to the new side what was left undone for so long; count what is left.

        While writes are held, ``older_s=0`` settles everything.
        """
        if not self._cutover.look_to_write().writes_old:
            raise UsageError(
                f"{self._job.name} is done, and the new side is right: nothing of the old one is "
                "to be brought there"
            )
        with self._desk() as desk:
            begun = desk.sides.books.run_of(self._job.name).one()
            return settle_journal(desk.sides, begun, older_s=older_s)

    def journal(self) -> list[Intent]:
        """Give what is under way, or was left undone."""
        with self._desk() as desk:
            return list(desk.journal.entries())

    def close(self) -> None:
        """Close what was opened."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begun(self, rows: Sequence[tuple[Any, ...]]) -> _Work:
        """Enter rows into the journal, with what came of each until now."""
        with self._desk() as desk:
            order = list(desk.sides.migration.rules)
            for kind, *_ in rows:
                desk.rule(kind)
            sorted_rows = sorted(rows, key=lambda row: order.index(row[0]))
            writer = uuid4().hex
            intents = [desk.journal.open(kind, tuple(row), writer) for kind, *row in sorted_rows]
            return _Work(writer, tuple(desk.note_before(one, writer) for one in intents))

    def _ended(self, work: _Work | None, *, failed: bool = False) -> None:
        """Bring what was written to the new side; where that fails, it is in the journal."""
        if work is None:
            return
        try:
            self._check_in_time()
            with self._desk() as desk:
                refused = [one for one in map(work.bring(desk), work.intents) if one is not None]
        except MissedPause:
            raise
        except Exception as error:
            if self._policy == "both" and not failed:
                raise NewSideLags(
                    f"The old side has the write, and the new one not yet: {error}. It is in the "
                    "journal, and will be settled; do not write it again"
                ) from error
            logger.warning("The new side lags: it is journalled, to be settled", exc_info=True)
            return
        self._judge(refused, failed=failed)

    def _check_in_time(self) -> None:
        if not self._cutover.look_to_write().writes_old:
            raise MissedPause(
                f"A write of {self._job.name} was let through before writes were paused, and ended "
                "after the new side was made the right one: only the old side has it. Give the "
                "pause a longer settle_s"
            )

    def _judge(self, refused: Sequence[Reject], *, failed: bool) -> None:
        for one in refused:
            logger.warning("%s is among the rejects: %s", name_of(one.row), one.reason)
        if refused and self._policy == "both" and not failed:
            one = refused[0]
            raise NewSideLags(
                f"The old side has the write, and the new one cannot have it: {name_of(one.row)} "
                f"is among the rejects ({one.reason})"
            )

    @contextmanager
    def _desk(self) -> Iterator[Desk]:
        """Give a desk that nobody else uses meanwhile: threads do not share a source."""
        with self._lock:
            desk = self._free.pop() if self._free else None
        if desk is None:
            desk = self._another()
        try:
            yield desk
        finally:
            with self._lock:
                self._free.append(desk)

    def _another(self) -> Desk:
        with ExitStack() as opened:
            sides = opened.enter_context(self._job.opened())
            begun = sides.books.run_of(self._job.name).first()
            if begun is None or begun.state == "copying":
                raise UsageError(
                    f"{self._job.name} is not copied yet: both sides are written after that; run it"
                )
            with self._lock:
                self._opened.push(opened.pop_all())
        return Desk.of(sides, begun)


@dataclass(frozen=True, slots=True)
class _Work:
    """A write that is under way."""

    writer: str
    intents: tuple[Intent, ...]

    def bring(self, desk: Desk) -> Callable[[Intent], Reject | None]:
        """Give how to bring a row to the new side, and end its entry."""

        def brought(intent: Intent) -> Reject | None:
            result, after = desk.bring(intent, self.writer)
            desk.journal.close(after, self.writer)
            return result if isinstance(result, Reject) else None

        return brought
