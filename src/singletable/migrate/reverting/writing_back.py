"""What was written to the new side alone, written to the old side: the table's stream, followed.

As on the way there, a change only says which entity, and what is there now is put in place. So it
may be done twice, late, or by several at once. The place in the stream is noted when all before it
is on the old side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from singletable.errors import ConditionFailed, UsageError
from singletable.migrate.bookkeeping import Return
from singletable.migrate.phases.way_back import check_rules, follower_of
from singletable.migrate.running import Job, Sides
from singletable.migrate.sources.dynamodb.following import Follower
from singletable.migrate.sources.errors import ChangesLost, SourceRefused
from singletable.migrate.sources.source import Writable
from singletable.migrate.units import Placer
from singletable.model.changes import add
from singletable.model.conditions import F
from singletable.model.entity import Entity

from .refusals import Refusals, Refused
from .roots import Name, Root, living, roots_of
from .rows import Maker, Work

CHANGES = 500
POLL_S = 0.5
ENDS = 4
"""How often the end is reached before what the old side refuses is refused for good."""
ROUNDS = 5
"""How often an entity is written again that changes meanwhile, before others have their turn."""


def write_back(
    job: Job,
    *,
    live: bool = False,
    stop: Callable[[], bool] = lambda: False,
    show: Callable[[int], None] | None = None,
) -> int:
    """Write to the old side what was written to the new one alone; count the rows.

    Ends when there is nothing more to write, or, ``live``, when ``stop`` says so: kept going, it
    keeps the way back open for longer than the 24 hours of a stream. What the old side refuses is
    named in the log and in ``<name>.refused.jsonl`` meanwhile, and raised in the end.
    """
    with job.opened() as sides:
        writer = Returner.begun(job, sides)
        total = _kept_up(writer, stop, show, live=live)
        writer.refusals.refuse()
    return total


def keep_up(job: Job, stop: Callable[[], bool]) -> None:
    """Write back until ``stop`` says so; what the old side refuses may be taken later."""
    with job.opened() as sides:
        _kept_up(Returner.begun(job, sides), stop, None, live=True)


def _kept_up(
    writer: Returner,
    stop: Callable[[], bool],
    show: Callable[[int], None] | None,
    *,
    live: bool,
) -> int:
    total = 0
    while not stop():
        records, rows = writer.turn()
        total += rows
        if show is not None:
            show(total)
        if not records:
            if not live:
                break
            time.sleep(POLL_S)
    return total


def drain(job: Job, *, stop: Callable[[], bool]) -> bool:
    """Write back all that is left; tell whether that was done before ``stop`` said so.

    It was when nothing is told any more for as long as a stream may take to tell of a write.
    """
    with job.opened() as sides:
        writer = Returner.begun(job, sides)
        told_at = time.monotonic()
        while not stop():
            if writer.turn()[0]:
                told_at = time.monotonic()
            elif time.monotonic() - told_at >= writer.follower.lag_s:
                writer.refusals.refuse()
                return True
            else:
                time.sleep(POLL_S)
    return False


def catch_up(job: Job) -> None:
    """Write back until little is left, while writes go on."""
    with job.opened() as sides:
        writer = Returner.begun(job, sides)
        for _ in range(ENDS):
            while writer.turn()[0] >= CHANGES:
                pass
            if not writer.refusals.waiting:
                return
            time.sleep(POLL_S)
        writer.refusals.refuse()


@dataclass(slots=True)
class Returner:
    """Follows the stream of the table, turn by turn, and notes how far it came."""

    sides: Sides
    maker: Maker
    follower: Follower
    noted: Return
    position: str
    refusals: Refusals
    """What the old side refuses as yet; the place before it stays noted."""
    is_behind: bool = False
    """Whether something was written as it was; what it is now is told after the position."""

    @classmethod
    def begun(cls, job: Job, sides: Sides) -> Returner:
        """Begin, or go on, where the notes say; refuse where there is no way back."""
        check_rules(job.migration)
        noted, begun = sides.books.return_of(job.name).first(), sides.books.run_of(job.name).first()
        phase = sides.books.phase_of(job.name).first()
        if noted is None or begun is None or phase is None or phase.number <= noted.number:
            raise UsageError(
                f"{job.name} has no way back: it is noted when the migration is done, by a Cutover "
                "that is given the class, with its @back rules; nothing is written"
            )
        if phase.phase != "done":
            raise UsageError(
                f"{job.name} is {phase.phase}, and the old side is right: nothing is written back"
            )
        if not isinstance(sides.source, Writable):
            raise UsageError(f"{sides.source!r} cannot be written to: there is no way back to it")
        maker = Maker(sides.migration, sides.store, sides.source, Placer(sides, begun))
        follower = follower_of(sides.store)
        return cls(sides, maker, follower, noted, noted.position, Refusals.of(job))

    def turn(self) -> tuple[int, int]:
        """Write some changes back; give how many records were read, and rows written."""
        try:
            told, self.position = self.follower.read(self.position, CHANGES)
        except ChangesLost as error:
            raise ChangesLost(
                "The old side cannot have all that was written to the new one alone, as the "
                f"stream does not tell all of it: {error}. What it lacks, singletable migrate "
                "verify tells"
            ) from error
        fresh = roots_of(self.sides.migration, (one.record for one in told))
        waiting = {name: one.root for name, one in self.refusals.waiting.items()}
        joined = {name: one.joined(waiting.get(name)) for name, one in fresh.items()}
        rows = self._write({**waiting, **joined})
        if not self.refusals.waiting:
            self._note(rows, is_end=len(told) < CHANGES)
        return len(told), rows

    def _write(self, roots: Mapping[Name, Root]) -> int:
        """Write what entities become, until they stay as they were read.

        One that changes all the time is told of again, and does not keep others waiting.
        """
        rows, left, refused = 0, dict(roots), dict[Name, Refused]()
        for _ in range(ROUNDS if roots else 0):
            seen = dict(zip(left, living(self.sides.store, left.values()), strict=True))
            count, why = self._written(seen)
            rows += count
            refused = {name: one for name, one in refused.items() if name not in left}
            refused |= {name: Refused(seen[name][0], reason) for name, reason in why.items()}
            again = zip(left, living(self.sides.store, left.values()), strict=True)
            left = {
                name: _with(root, seen[name][1])
                for name, (root, now) in again
                if now != seen[name][1]
            }
            if not left:
                break
        self.refusals.tell(refused)
        self.is_behind = bool(left)
        return rows

    def _written(
        self, seen: Mapping[Name, tuple[Root, Entity | None]]
    ) -> tuple[int, dict[Name, str]]:
        """Write all at once; one by one, where the old side refuses some: say which, and why."""
        works = {name: self.maker.work(root, now) for name, (root, now) in seen.items()}
        together = Work()
        for work in works.values():
            together.add(work)
        try:
            self.maker.do(together)
        except SourceRefused:
            alone = {name: work.keeping(together.puts) for name, work in works.items()}
            return len(together), self._one_by_one(alone)
        return len(together), {}

    def _one_by_one(self, works: Mapping[Name, Work]) -> dict[Name, str]:
        """Write what can be, in any order in which it can; give why the rest cannot."""
        left, refused = dict(works), dict[Name, str]()
        while left:
            refused = {}
            for name, work in left.items():
                try:
                    self.maker.do(work)
                except SourceRefused as error:
                    refused[name] = str(error)
            if len(refused) == len(left):
                break
            left = {name: left[name] for name in refused}
        return refused

    def _note(self, rows: int, *, is_end: bool) -> None:
        """Note how far it came, unless somebody else came further meanwhile."""
        changes = {"position": self.position, "turns": add(int(is_end)), "rows": add(rows)}
        unchanged = F("position") == self.noted.position
        try:
            self.noted = self.sides.books.update(self.noted, changes, only_if=unchanged)
        except ConditionFailed:
            self.noted = self.sides.books.return_of(self.noted.name).one()
            if not self.is_behind:
                self.position = self.noted.position


def _with(root: Root, passed: Entity | None) -> Root:
    return root if passed is None else Root(root.rule, root.key, (*root.olds, passed))
