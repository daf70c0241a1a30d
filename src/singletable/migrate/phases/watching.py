"""What a process knows of the phase, and how long ago it asked.

Who reads goes by the last known where the table cannot be asked. Who writes may not: what it does
not know of may be a pause, and a write that misses one is lost. Each process counts
from when it asked, or when it first saw something, so clocks need not agree.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic

from singletable.errors import SingletableError, StoreError, TableMissing
from singletable.migrate.bookkeeping import Books, Phase
from singletable.store.reading.programs import program
from singletable.store.retries import Retries
from singletable.store.steps import Program

from .flags import Flags

POLL_S = 0.1
"""How often is asked while writes are held."""
ONCE_MORE = Retries(attempts=2)
"""Who waits for the phase has something else to do; it is asked for again soon anyway."""
NEVER = float("-inf")


class PhaseUnknown(StoreError):
    """The phase could not be read, so that a write might be lost in a pause."""


@dataclass(slots=True)
class Watch:
    """What one process knows."""

    books: Books
    name: str
    refresh_s: float
    state: Phase | None = None
    _asked_at: float = NEVER
    """When what is known was asked for."""
    _tried_at: float = NEVER
    _seen: dict[tuple[str, object], float] = field(default_factory=dict)
    """When the present phase, and the present pause, were first seen."""
    _lock: Lock = field(default_factory=Lock)

    @property
    def every_s(self) -> float:
        """Give how old what is known may be: what who began the cutover said, for all."""
        return self.state.refresh_s if self.state else self.refresh_s

    @property
    def flags(self) -> Flags:
        """Give what follows from what is known."""
        return Flags.of(self.name, self.state)

    def for_reads(self) -> Program[Flags]:
        """Give what is known; ask first if it is about to be too old."""
        if self._asked_at == NEVER:
            yield from self.look()
        elif self._claim():
            with suppress(SingletableError):
                yield from self.look()
        return self.flags

    def for_writes(self) -> Program[Flags]:
        """Give what is known to be no older than it may be."""
        yield from self.for_reads()
        if monotonic() - self._asked_at > self.every_s:
            try:
                yield from self.look()
            except SingletableError as error:
                raise PhaseUnknown(
                    f"The phase of {self.name} cannot be read from {self.books.table_name!r}, so "
                    f"writes may be paused now: nothing may be written until it can ({error})"
                ) from error
        return self.flags

    def look(self) -> Program[Phase | None]:
        """Ask."""
        asked_at = monotonic()
        try:
            context = replace(self.books.context, retries=ONCE_MORE)
            read = self.books.phase_of(self.name)
            found: Phase | None = yield from program(context, "first", read, None)
        except TableMissing:
            found = None
        self.note(found, asked_at)
        return found

    def note(self, state: Phase | None, asked_at: float) -> None:
        """Note an answer, unless a later one is known."""
        with self._lock:
            if asked_at < self._asked_at:
                return
            self.state, self._asked_at = state, asked_at
            things = _seen_in(state)
            now = monotonic()
            self._seen = {thing: self._seen.get(thing, now) for thing in things}

    def phase_seen_s(self) -> float:
        """Tell for how long this process has known that the phase is what it is."""
        return self._since(_seen_in(self.state)[0])

    def pause_seen_s(self) -> float:
        """Tell for how long this process has known of the pause."""
        return self._since(_seen_in(self.state)[1])

    def _since(self, thing: tuple[str, object]) -> float:
        now = monotonic()
        return now - self._seen.get(thing, now)

    def _claim(self) -> bool:
        """Tell whether it is time to ask, to one of all that want to know."""
        paused = self.state is not None and self.state.pause_id is not None
        every = min(POLL_S, self.every_s) if paused else self.every_s / 2
        with self._lock:
            now = monotonic()
            due = now - max(self._asked_at, self._tried_at) >= every
            if due:
                self._tried_at = now
        return due


def _seen_in(state: Phase | None) -> tuple[tuple[str, object], tuple[str, object]]:
    if state is None:
        return ("phase", 0), ("pause", None)
    return ("phase", state.number), ("pause", state.pause_id)
