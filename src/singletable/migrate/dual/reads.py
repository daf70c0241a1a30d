"""Reads from the side that answers now; in the shadow, from both, compared and timed.

Only the old side's answer, and its errors, reach the caller in the shadow. A difference counts if
it is there when both sides are read once more: a write may have come in between.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any, TypeVar

from singletable.migrate.bookkeeping import Unequal
from singletable.migrate.phases import Cutover
from singletable.model.fields import now

R = TypeVar("R")
Same = Callable[[Any, Any], bool]

KEPT = 100
TEXT_MAX = 2_000

logger = logging.getLogger("singletable.migrate")


@dataclass(frozen=True, slots=True)
class Failure:
    """An error in the place of the new side's answer."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Difference:
    """A read that both sides answered, and not alike."""

    reader: Any
    old: Any
    new: Any
    """The answer, or a ``Failure``."""


@dataclass(slots=True)
class Timing:
    """How long the reads of one side took."""

    reads: int = 0
    total_s: float = 0.0
    longest_s: float = 0.0

    def add(self, took_s: float) -> None:
        """Count a read."""
        self.reads += 1
        self.total_s += took_s
        self.longest_s = max(self.longest_s, took_s)


@dataclass(slots=True)
class ShadowReport:
    """Tells what reads in the shadow came to, in this process."""

    compared: int = 0
    differing: int = 0
    failed: int = 0
    """How many of those that differ are errors of the new side."""
    old: Timing = field(default_factory=Timing)
    new: Timing = field(default_factory=Timing)

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return asdict(self)


class Shadow:
    """Reads by the phase.

    What differs in the shadow is counted, told to ``tell``, and kept beside the table: the last
    hundred of each process, as far as others leave them there.
    """

    def __init__(
        self, cutover: Cutover, *, tell: Callable[[Difference], None] | None = None
    ) -> None:
        self.report = ShadowReport()
        self.tell = tell
        self._cutover = cutover
        self._lock = threading.Lock()

    def read(
        self, reader: Any, *, old: Callable[[], R], new: Callable[[], R], same: Same | None = None
    ) -> R:
        """Read for a reader, such as a user, from the side that answers it now.

        In the shadow both are read, one after the other, and compared by ``same``, or ``==``.
        """
        flags = self._cutover.look()
        if not flags.is_shadowing:
            return new() if flags.reads_new(reader) else old()
        with self._measured(self.report.old):
            answer = old()
        found = self._tried(new)
        if not _is_same(same, answer, found):
            answer, found = old(), self._tried(new)
        unequal = self._entered(reader, answer, found, same)
        if unequal is not None:
            with _unless_it_fails("kept"):
                self._cutover.books.put(unequal)
        return answer

    async def aread(
        self,
        reader: Any,
        *,
        old: Callable[[], Awaitable[R]],
        new: Callable[[], Awaitable[R]],
        same: Same | None = None,
    ) -> R:
        """Read for a reader, such as a user, from the side that answers it now."""
        flags = await self._cutover.alook()
        if not flags.is_shadowing:
            return await (new() if flags.reads_new(reader) else old())
        with self._measured(self.report.old):
            answer = await old()
        found = await self._atried(new)
        if not _is_same(same, answer, found):
            answer, found = await old(), await self._atried(new)
        unequal = self._entered(reader, answer, found, same)
        if unequal is not None:
            with _unless_it_fails("kept"):
                await self._cutover.books.aput(unequal)
        return answer

    def kept(self) -> list[Unequal]:
        """Give the last reads that differed, of all processes."""
        return list(self._cutover.books.unequal(self._cutover.migration))

    @contextmanager
    def _measured(self, side: Timing) -> Iterator[None]:
        """Measure a read that does not fail."""
        began = perf_counter()
        yield
        took_s = perf_counter() - began
        with self._lock:
            side.add(took_s)

    def _tried(self, new: Callable[[], R]) -> R | Failure:
        try:
            with self._measured(self.report.new):
                return new()
        except Exception as error:  # noqa: BLE001 - whatever it is, the old side answers
            return Failure(error)

    async def _atried(self, new: Callable[[], Awaitable[R]]) -> R | Failure:
        try:
            with self._measured(self.report.new):
                return await new()
        except Exception as error:  # noqa: BLE001 - whatever it is, the old side answers
            return Failure(error)

    def _entered(self, reader: Any, old: Any, new: Any, same: Same | None) -> Unequal | None:
        """Count a comparison; tell a difference, and give what is kept of it."""
        differs = not _is_same(same, old, new)
        with self._lock:
            self.report.compared += 1
            self.report.differing += differs
            self.report.failed += differs and isinstance(new, Failure)
            slot = self.report.differing % KEPT
        if not differs:
            return None
        if self.tell is not None:
            with _unless_it_fails("told"):
                self.tell(Difference(reader, old, new))
        return Unequal(
            name=self._cutover.migration,
            slot=slot,
            at=now(),
            reader=str(reader),
            old=repr(old)[:TEXT_MAX],
            new=repr(new)[:TEXT_MAX],
        )


def _is_same(same: Same | None, old: Any, new: Any) -> bool:
    """Compare; what cannot be compared is not the same, as the new side may answer anything."""
    if isinstance(new, Failure):
        return False
    try:
        return bool(same(old, new) if same is not None else old == new)
    except Exception:
        logger.warning("The answers of both sides could not be compared", exc_info=True)
        return False


@contextmanager
def _unless_it_fails(done: str) -> Iterator[None]:
    """Do without what is done about a difference where that fails: the read has its answer."""
    try:
        yield
    except Exception:
        logger.warning("A difference between both sides could not be %s", done, exc_info=True)
