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

from singletable.errors import SingletableError
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
    """Is an error in the place of the new side's answer."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Difference:
    """Is a read that both sides answered, and not alike."""

    reader: Any
    old: Any
    new: Any
    """The answer, or a ``Failure``."""


@dataclass(slots=True)
class Timing:
    """Is how long the reads of one side took."""

    reads: int = 0
    total_s: float = 0.0
    longest_s: float = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure a read that does not fail."""
        began = perf_counter()
        yield
        took = perf_counter() - began
        self.reads += 1
        self.total_s += took
        self.longest_s = max(self.longest_s, took)


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
        with self.report.old.measured():
            answer = old()
        found = self._tried(new)
        if not _is_same(same, answer, found):
            answer, found = old(), self._tried(new)
        unequal = self._entered(reader, answer, found, same)
        if unequal is not None:
            with _unless_it_fails():
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
        with self.report.old.measured():
            answer = await old()
        found = await self._atried(new)
        if not _is_same(same, answer, found):
            answer, found = await old(), await self._atried(new)
        unequal = self._entered(reader, answer, found, same)
        if unequal is not None:
            with _unless_it_fails():
                await self._cutover.books.aput(unequal)
        return answer

    def kept(self) -> list[Unequal]:
        """Give the last reads that differed, of all processes."""
        return list(self._cutover.books.unequal(self._cutover.migration))

    def _tried(self, new: Callable[[], R]) -> R | Failure:
        try:
            with self.report.new.measured():
                return new()
        except Exception as error:  # noqa: BLE001 - whatever it is, the old side answers
            return Failure(error)

    async def _atried(self, new: Callable[[], Awaitable[R]]) -> R | Failure:
        try:
            with self.report.new.measured():
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
    if isinstance(new, Failure):
        return False
    return bool(same(old, new) if same is not None else old == new)


@contextmanager
def _unless_it_fails() -> Iterator[None]:
    """Do without keeping a difference where that cannot be done: the read has its answer."""
    try:
        yield
    except SingletableError:
        logger.warning("A difference between both sides could not be kept", exc_info=True)
