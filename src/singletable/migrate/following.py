"""After the copy: what has changed in the source since it began is made to be so in the table.

Changes are taken in turns. How far they were applied is noted after each, so that whoever goes on
does so from there, and applies some of them again, which does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial

from singletable.errors import UsageError

from .applying import Applier
from .beginning import followed
from .bookkeeping import Run
from .dual import settle_journal
from .guarding import POLL_S, Guard, Held
from .owning import known_by
from .phases import Cutover, Flags
from .rejects import write_rejects
from .renewing import telling
from .running import Job, Sides, owners_of
from .sources.source import Followed
from .told import Told
from .underway import Underway
from .units import Placer

CHANGES = 500
SHOWN_PART = 0.1
"""So much of the time may be taken by counting what is left, while there is something to apply."""
SETTLE_S = 10.0
LAGS = 10
"""What is told so many lags of a source later than the rest is surely all."""


def follow(
    job: Job,
    *,
    live: bool = False,
    stop: Callable[[], bool] = lambda: False,
    show: Callable[[int], None] | None = None,
) -> int:
    """Apply what has changed since the copy began; count the changes.

    Ends when there is nothing more to apply, or, ``live``, when ``stop`` says so, or when the new
    side is the right one. While others hold the writes it waits, if it is ``live``. What writers to
    both sides have left undone is settled, too.
    """
    with following(job, live=live) as session:
        return session.catch_up(stop, show)


@contextmanager
def following(job: Job, *, live: bool = False) -> Iterator[Session]:
    """Open what it takes to follow, for who catches up several times: nothing is applied again."""
    job.folder.mkdir(parents=True, exist_ok=True)
    with job.opened() as sides, closing(Told()) as told:
        begun, guard = _begun(job, sides), Guard(Cutover(sides.store, job.name), live)
        guard.refuse_if_done()
        with closing(owners_of(job)) as owners:
            begun = known_by(owners, sides, begun)
            underway = Underway(sides.books, job.name, sides.store.context.clock)
            asked = partial(_asked, guard, underway)
            applier = Applier(sides, Placer(sides, begun, owners), told, asked)
            yield Session(job, guard, _Follower(sides, applier, told, underway, begun))


def _asked(guard: Guard, underway: Underway) -> None:
    """Be asked before each row whether it may be put."""
    guard.ask()
    underway.go_on()


@dataclass(frozen=True, slots=True)
class Session:
    """Follows as far as there is something to follow, and goes on from there."""

    job: Job
    guard: Guard
    follower: _Follower

    def catch_up(self, stop: Callable[[], bool], show: Callable[[int], None] | None = None) -> int:
        """Apply what has changed; count the changes."""
        guard, follower, total, shown = self.guard, self.follower, 0, _Shown(show)
        follower.listen()
        while not stop():
            try:
                count = follower.turn()
                total += 0 if follower.underway.is_again else count
                goes_back = (not count or follower.is_due) and follower.settle(guard)
            except Held:
                if guard.is_done:
                    break
                time.sleep(POLL_S)
                continue
            if goes_back:
                continue
            shown.tell(follower, is_end=not count)
            if not count:
                if follower.is_quiet and not guard.live:
                    break
                time.sleep(POLL_S)
        sides = follower.sides
        write_rejects(sides.books, self.job.name, sides.migration.kinds, self.job.rejects)
        return total


@dataclass(slots=True)
class _Shown:
    """Shows what is left, now and then: a stream is read to its end to count that."""

    show: Callable[[int], None] | None
    _next_at: float = float("-inf")

    def tell(self, follower: _Follower, *, is_end: bool) -> None:
        """Show it at the end, and before that if it was not shown lately."""
        began = time.monotonic()
        if self.show is not None and (is_end or began >= self._next_at):
            self.show(follower.backlog)
            ended = time.monotonic()
            self._next_at = ended + (ended - began) / SHOWN_PART


@dataclass(slots=True)
class _Follower:
    """Applies changes, turn by turn, and notes how far it came."""

    sides: Sides
    applier: Applier
    told: Told
    underway: Underway
    begun: Run
    is_quiet: bool = False
    """Whether nothing was told for as long as the source may take to tell of a change."""
    _applied: str | None = None
    """Up to where; changes from further back are told again to who has not heard them."""
    _heard_at: float = field(default_factory=time.monotonic)
    _settled_at: float = float("-inf")
    _left: int = 0
    """How many changes are to be applied again, where another may have died over them."""
    _measured: int = 0

    @property
    def backlog(self) -> int:
        return self._source.backlog(self._position)

    @property
    def _source(self) -> Followed:
        return followed(self.sides.source)

    @property
    def _position(self) -> str:
        position = self._applied or self.begun.position
        assert position is not None
        return position

    def turn(self) -> int:
        """Apply some changes; give their number."""
        asked_at = time.monotonic()
        with telling(self.begun):
            changes, position = self._source.changes(self._position, CHANGES)
        if changes:
            self.underway.begin(self._position)
            if self.applier.apply(changes, again=self.underway.is_again):
                self.underway.end()
            self.listen()  # only now: nobody asks while these are applied
            self._left -= len(changes)
        self.is_quiet = asked_at - self._heard_at >= self._source.lag_s
        begin = self._forget(position, len(changes))
        if (position, begin) != (self.begun.applied or self.begun.position, self.begun.position):
            noted = {"applied": position, "position": begin, "state": "following"}
            self.begun = self.sides.books.update(self.begun, noted)
        self._applied = position
        return len(changes)

    def listen(self) -> None:
        """Count from now on for how long nothing is told."""
        self._heard_at = time.monotonic()

    def _forget(self, position: str, count: int) -> str | None:
        """Forget what is told to the end; give from where on the rest would be told again.

        Where a source may tell something late, whoever goes on hears the last of it once more.
        """
        began, lag_s, is_end = self.begun.position, self._source.lag_s, count < CHANGES
        # A stream is read to its end to count what is left: not after each of its short pages.
        is_whole = not count and self.is_quiet and not self._source.backlog(position)
        if is_whole or (self.told.is_empty and not lag_s):
            self.told.forget()
            return position
        return self.told.forget_older(position, LAGS * lag_s) or began if is_end else began

    @property
    def is_due(self) -> bool:
        """Tell whether it is time to do what others have left."""
        return time.monotonic() - self._settled_at > SETTLE_S

    def settle(self, guard: Guard) -> bool:
        """Do what others have left undone; tell whether there is more to apply for that."""
        flags, is_due = guard.ask(), self.is_due
        if is_due and flags.writes_new:
            settle_journal(self.sides, self.begun)
        if is_due:
            self._settled_at = time.monotonic()
        if self.underway.is_again and self._is_past() and self.applier.recount():
            self.underway.come_back()
        return (is_due or not guard.live) and self._goes_back(flags, live=guard.live)

    def _goes_back(self, flags: Flags, *, live: bool) -> bool:
        """Go back to where another began who may have died over it."""
        if self.underway.is_again:
            return False
        position = self.underway.go_back(live=live, held=flags.is_paused)
        if position is not None:
            self._applied = position
            self._measure()
            self.listen()
        return position is not None

    def _is_past(self) -> bool:
        """Tell whether all is applied again that there was: others may write all the time."""
        if self._left <= 0 and self._measured >= CHANGES:  # a source counts only so many
            self._measure()
        return self.is_quiet or self._left <= 0

    def _measure(self) -> None:
        with telling(self.begun):
            self._left = self._measured = self._source.backlog(self._position)


def _begun(job: Job, sides: Sides) -> Run:
    begun = sides.books.run_of(job.name).first()
    if begun is None or begun.state == "copying":
        raise UsageError(f"{job.name} is not copied yet: changes are applied after that; run it")
    if begun.position is None:
        raise UsageError(
            f"{job.name} was copied without noting changes: run it with follow from the beginning"
        )
    return begun
