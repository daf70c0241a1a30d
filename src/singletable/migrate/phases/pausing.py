"""The pause of writes: begun for all processes, measured, and over in time whatever happens.

It is over when the operator says so, or changes the phase with it. Failing that, any process ends
it that has seen it for ``max_s``: by a write, so that the operator cannot change the phase any
more, before it writes anything else. What was done in a pause that others ended never counts.
"""

from __future__ import annotations

from time import monotonic

from singletable.errors import ConditionFailed, SingletableError, UsageError
from singletable.migrate.bookkeeping import Phase, PhaseName
from singletable.store.drivers import arun, run
from singletable.store.steps import Pause as Sleep
from singletable.store.steps import Program

from .flags import PAUSED_HERE, Flags
from .moving import Mover, check_move


class PauseExceeded(ConditionFailed):
    """A pause lasted too long and writes went on; what was done in it does not count."""


class Pause:
    """A pause that holds: until it ends, no process writes."""

    def __init__(self, mover: Mover, max_s: float, settle_s: float) -> None:
        self.lasted_s: float | None = None
        """How long writes were held, from the first process to the last; None before the end."""
        self.max_s = max_s
        self._mover = mover
        self._settle_s = settle_s
        self._began = monotonic()
        self._state: Phase | None = None

    @property
    def left_s(self) -> float:
        """Tell how much longer it is sure to last."""
        return max(0.0, self._began + self.max_s - monotonic())

    def advance(self, to: PhaseName, *, by: str, note: str = "", force: bool = False) -> Flags:
        """Change the phase and end the pause by one write; ``PauseExceeded`` if it is over."""
        backend = self._mover.watch.books.backend
        return run(self._moved(to, by, note, force=force), backend)

    async def aadvance(
        self, to: PhaseName, *, by: str, note: str = "", force: bool = False
    ) -> Flags:
        """Change the phase and end the pause by one write; ``PauseExceeded`` if it is over."""
        backend = self._mover.watch.books.backend
        return await arun(self._moved(to, by, note, force=force), backend)

    def begin(self, by: str) -> Program[None]:
        """Begin it, and wait until every process holds its writes and those under way are done."""
        yield from self._mover.waited()
        state = yield from self._mover.begun()
        wait_s = state.refresh_s + self._settle_s
        if self.max_s <= wait_s:
            raise UsageError(
                f"A pause of {self.max_s} s is over before it holds: every process knows of it "
                f"after {state.refresh_s} s, and its writes may take {self._settle_s} s more"
            )
        # Counted from before anybody can see it: others may only end it later than this one.
        self._began = monotonic()
        self._state = yield from self._mover.paused(state, self.max_s, by)
        assert self._state.pause_id is not None
        PAUSED_HERE.add(self._state.pause_id)
        try:
            yield Sleep(wait_s)
        except BaseException:
            yield from self.end(failed=True)
            raise

    def end(self, *, failed: bool) -> Program[None]:
        """End it if it has not ended; say so if others had to, unless the work failed anyway."""
        if self.lasted_s is not None or self._state is None or self._state.pause_id is None:
            return
        try:
            was_held = yield from self._mover.resumed(self._state.pause_id)
        except SingletableError:
            if failed:
                return  # Others end it; what is raised is why the work failed.
            raise
        self.lasted_s = monotonic() - self._began
        if not failed and not was_held:
            raise self._exceeded()

    def forget(self) -> None:
        """Hold nothing any more."""
        if self._state is not None:
            PAUSED_HERE.discard(self._state.pause_id or "")

    def _moved(self, to: PhaseName, by: str, note: str, *, force: bool) -> Program[Flags]:
        if self._state is None or self.lasted_s is not None:
            raise UsageError(f"{to} is to be advanced to in a pause that has ended: begin another")
        check_move(self._state, to, force=force)
        try:
            yield from self._mover.changed(self._state, to, by, note)
        except ConditionFailed as error:
            now = yield from self._mover.watch.look()
            if now is not None and now.pause_id == self._state.pause_id:
                raise
            raise self._exceeded() from error
        self.lasted_s = monotonic() - self._began
        yield Sleep(self._state.refresh_s)
        return self._mover.watch.flags

    def _exceeded(self) -> PauseExceeded:
        return PauseExceeded(
            f"The pause lasted longer than {self.max_s} s, and writes went on: what was done in "
            "it may lack some; do it again, with less to do or in a longer pause"
        )
