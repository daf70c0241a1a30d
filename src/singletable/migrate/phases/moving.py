"""What an operator does: change the phase, hold writes, ask others to wait.

Everything is written under the condition that the phase, and the pause, are still what the operator
saw, so of two who act at once one is refused.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any
from uuid import uuid4

from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    TransactionCancelled,
    UsageError,
)
from singletable.migrate.bookkeeping import Move, Phase, PhaseName
from singletable.model.conditions import Condition, F
from singletable.store.creation import create_table
from singletable.store.steps import ObjectCall, Pause, Program
from singletable.store.writing.actions import Action
from singletable.store.writing.committing import commit, write
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Creating

from .flags import PHASES, Flags, steps_between
from .watching import POLL_S, Watch

SKEW_S = 30.0
"""How far apart clocks may be before one that is ahead ends a pause too early."""


class PhaseChanged(ConditionFailed):
    """Somebody else changed the phase, or paused writes, at the same time."""


class WritesPaused(ConditionFailed):
    """Writes are held."""


@dataclass(frozen=True, slots=True)
class Mover:
    """Writes the phase."""

    watch: Watch
    clock: Callable[[], datetime]
    before_done: Callable[[Phase], None] | None = None
    """What has to be done before the new side is written to alone."""

    def waited(self, at_most_s: float = float("inf")) -> Program[Flags]:
        """Wait until writes are not held; end a pause that lasts longer than it may."""
        began = monotonic()
        while True:
            flags = yield from self.watch.for_writes()
            if not flags.is_paused:
                return flags
            state = self.watch.state
            if state is None or state.pause_id is None:
                continue
            if self._is_over(state):
                yield from self.resumed(state.pause_id)
            elif monotonic() - began >= at_most_s:
                raise WritesPaused(f"{state.paused_by} holds the writes of {state.name}", state)
            else:
                yield Pause(POLL_S)

    def moved(self, to: PhaseName, by: str, note: str, *, force: bool) -> Program[Flags]:
        """Change the phase; what is there has to be known everywhere before, and is afterwards."""
        yield from self.waited()
        state = yield from self.begun()
        check_move(state, to, force=force)
        check_unpaused(state, to, force=force)
        yield Pause(max(0.0, state.refresh_s - self.watch.phase_seen_s()))
        yield from self.changed(state, to, by, note)
        yield Pause(state.refresh_s)
        return self.watch.flags

    def changed(self, state: Phase, to: PhaseName, by: str, note: str) -> Program[None]:
        """Write another phase, and with it the end of the pause that the operator holds."""
        yield from self._prepared(state, to)
        now = self.clock()
        paused = state.pause_id is not None
        move = Move(
            name=state.name, number=state.number + 1, before=state.phase, after=to, at=now, by=by,
            note=note, paused=paused,
        )  # fmt: skip
        changes = {"phase": to, "number": move.number, "since": now, "pause_id": None}
        update: Action[Any] = Updating(state, changes=changes, condition=_unchanged(state))
        asked_at = monotonic()
        try:
            yield from commit(self.watch.books.context, [update, Creating(move)])
        except (ConditionFailed, TransactionCancelled) as error:
            raise _outrun(state, to) from error
        self.watch.note(state.model_copy(update=changes), asked_at)

    def paused(self, state: Phase, max_s: float, by: str) -> Program[Phase]:
        """Write that writes are to be held from now on."""
        changes = {
            "pause_id": uuid4().hex,
            "pause_s": max_s,
            "pause_until": self.clock() + timedelta(seconds=max_s + SKEW_S),
            "paused_by": by,
        }
        update = Updating(state, changes=changes, condition=_unchanged(state))
        asked_at = monotonic()
        try:
            written: Phase = yield from write(self.watch.books.context, update)
        except ConditionFailed as error:
            raise _outrun(state, "a pause") from error
        self.watch.note(written, asked_at)
        return written

    def resumed(self, pause_id: str) -> Program[bool]:
        """End a pause; tell whether it had not ended before."""
        asked_at = monotonic()
        update = Updating(
            Phase.key(name=self.watch.name),
            changes={"pause_id": None},
            condition=F("pause_id") == pause_id,
        )
        try:
            state = yield from write(self.watch.books.context, update)
        except (ConditionFailed, NotFound):
            yield from self.watch.look()
            return False
        self.watch.note(state, asked_at)
        return True

    def prepared(self, to: PhaseName) -> Program[None]:
        """Do what has to be done before a phase is entered."""
        state = yield from self.begun()
        yield from self._prepared(state, to)

    def _prepared(self, state: Phase, to: PhaseName) -> Program[None]:
        if to == "done" and self.before_done is not None:
            prepare = partial(self.before_done, state)
            yield ObjectCall(prepare, partial(to_thread, prepare))

    def postponed(self, why: str | None) -> Program[Flags]:
        """Write that nobody is to go on for now, or that they may."""
        state = yield from self.begun()
        update = Updating(state, changes={"postponed": why})
        yield from write(self.watch.books.context, update)
        yield from self.watch.look()
        return self.watch.flags

    def begun(self) -> Program[Phase]:
        """Read the phase; note the first one where there is none."""
        context = self.watch.books.context
        while (state := (yield from self.watch.look())) is None:
            yield from create_table(context)
            first = Phase(name=self.watch.name, since=self.clock(), refresh_s=self.watch.refresh_s)
            with suppress(AlreadyExists):
                yield from write(context, Creating(first))
        return state

    def _is_over(self, state: Phase) -> bool:
        """Tell whether a pause is to be ended; too early, it is given up, and nothing is lost."""
        late = state.pause_until is not None and self.clock() > state.pause_until
        return late or self.watch.pause_seen_s() >= state.pause_s


def check_move(state: Phase, to: PhaseName, *, force: bool) -> None:
    """Refuse what would leave processes apart, or readers without what was written."""
    steps = steps_between(state.phase, to)
    if steps == 0:
        raise UsageError(f"{state.name} is {to} already, since {state.since}")
    if force:
        return
    if abs(steps) > 1:
        way = PHASES[PHASES.index(state.phase) + (1 if steps > 0 else -1)]
        raise UsageError(
            f"{state.name} is {state.phase}, and {to} is {abs(steps)} steps away: go to {way} "
            "first, or force it"
        )
    if state.phase == "done":
        raise UsageError(
            f"{state.name} is done, and the old side lacks what was written since {state.since}: "
            "write it back first (singletable migrate revert), or force it"
        )
    if steps > 0 and state.postponed:
        raise UsageError(f"{state.name} stays {state.phase} for now: {state.postponed}")


def check_unpaused(state: Phase, to: PhaseName, *, force: bool) -> None:
    """Refuse to leave the old side while some may still write it, and bring that to the new one."""
    if to == "done" and not force:
        raise UsageError(
            f"{state.name} is to be done while writes are held, so that nobody brings a row of the "
            "old side over what others write to the new one: with cutover.paused(…) as pause: … "
            'pause.advance("done", …)'
        )


def _unchanged(state: Phase) -> Condition:
    """Require what an operator saw."""
    return (
        (F("number") == state.number)
        & _same("pause_id", state.pause_id)
        & _same("postponed", state.postponed)
    )


def _same(field: str, value: str | None) -> Condition:
    return F(field).missing() if value is None else F(field) == value


def _outrun(state: Phase, to: str) -> PhaseChanged:
    return PhaseChanged(
        f"{state.name} is no longer {state.phase} as it was, so {to} was not written: somebody "
        "else changed or postponed it, or a pause began or ended; look again",
        state,
    )
