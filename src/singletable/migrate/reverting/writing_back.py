"""What was written to the new side alone, written to the old side: the table's stream, followed.

As on the way there, a change only says which entity, and what is there now is put in place. So it
may be done twice, late, or by several at once. The place in the stream is noted when all before it
is on the old side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

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

from .roots import Name, Root, living, roots_of
from .rows import Maker, Work

CHANGES = 500
POLL_S = 0.5
ENDS = 4
"""How often the end is reached before what the old side refuses is refused for good."""


class NotWritable(SourceRefused):
    """Says that the old side refuses rows for good, so that it cannot have all that was written."""


def write_back(
    job: Job,
    *,
    live: bool = False,
    stop: Callable[[], bool] = lambda: False,
    show: Callable[[int], None] | None = None,
) -> int:
    """Write to the old side what was written to the new one alone; count the rows.

    Ends when there is nothing more to write, or, ``live``, when ``stop`` says so: kept going, it
    keeps the way back open for longer than the 24 hours of a stream.
    """
    total = 0
    with job.opened() as sides:
        writer = Returner.begun(job, sides)
        while not stop():
            records, rows = writer.turn()
            total += rows
            if show is not None:
                show(total)
            if not records:
                writer.refuse_what_waits(live=live)
                if not live:
                    break
                time.sleep(POLL_S)
    return total


def drain(job: Job, *, stop: Callable[[], bool]) -> bool:
    """Write back all that is left; tell whether that was done before ``stop`` said so."""
    with job.opened() as sides:
        writer = Returner.begun(job, sides)
        while not stop():
            if not writer.turn()[0]:
                writer.refuse_what_waits(live=False)
                return True
    return False


def catch_up(job: Job) -> None:
    """Write back until little is left, while writes go on."""
    with job.opened() as sides:
        writer = Returner.begun(job, sides)
        for _ in range(ENDS):
            while writer.turn()[0] >= CHANGES:
                pass
            if not writer.waiting:
                return
            time.sleep(POLL_S)
        writer.refuse_what_waits(live=False)


@dataclass(slots=True)
class Returner:
    """Follows the stream of the table, turn by turn, and notes how far it came."""

    sides: Sides
    maker: Maker
    follower: Follower
    noted: Return
    position: str
    waiting: dict[Name, Root] = field(default_factory=dict)
    """What the old side refuses as yet; the place before it stays noted."""
    refusals: dict[Name, str] = field(default_factory=dict)

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
        return cls(sides, maker, follower_of(sides.store), noted, noted.position)

    def turn(self) -> tuple[int, int]:
        """Write some changes back; give how many records were read, and rows written."""
        try:
            told, self.position = self.follower.read(self.position, CHANGES)
        except ChangesLost as error:
            raise ChangesLost(
                "The old side cannot have all that was written to the new one alone, as the "
                f"stream does not tell all of it: {error}"
            ) from error
        fresh = roots_of(self.sides.migration, (one.record for one in told))
        roots = {
            **self.waiting,
            **{name: one.joined(self.waiting.get(name)) for name, one in fresh.items()},
        }
        rows = self._write(roots)
        if not self.waiting:
            self._note(rows, is_end=len(told) < CHANGES)
        return len(told), rows

    def refuse_what_waits(self, *, live: bool) -> None:
        """Say what the old side refuses, unless that may change."""
        if self.waiting and not live:
            reasons = "; ".join(sorted(set(self.refusals.values()))[:3])
            raise NotWritable(
                f"The old side refuses the rows of {len(self.waiting)} entities, such as "
                f"{next(iter(self.waiting.values())).key!r}: {reasons}"
            )

    def _write(self, roots: Mapping[Name, Root]) -> int:
        """Write what entities become, until they stay as they were read."""
        self.waiting, self.refusals = {}, {}
        rows, left = 0, dict(roots)
        while left:
            seen = dict(zip(left, living(self.sides.store, left.values()), strict=True))
            rows += self._written(seen)
            again = zip(left, living(self.sides.store, left.values()), strict=True)
            left = {
                name: _with(root, seen[name][1])
                for name, (root, now) in again
                if now != seen[name][1]
            }
        return rows

    def _written(self, seen: Mapping[Name, tuple[Root, Entity | None]]) -> int:
        """Write all at once; one by one, where the old side refuses some."""
        works = {name: self.maker.work(root, now) for name, (root, now) in seen.items()}
        together = Work()
        for work in works.values():
            together.add(work)
        try:
            self.maker.do(together)
        except SourceRefused:
            alone = {name: work.keeping(together.puts) for name, work in works.items()}
            self._one_by_one(alone, seen)
        return len(together)

    def _one_by_one(
        self,
        works: Mapping[Name, Work],
        seen: Mapping[Name, tuple[Root, Entity | None]],
    ) -> None:
        """Write what can be, in any order in which it can; the rest waits for what comes."""
        left = dict(works)
        while left:
            refused = {}
            for name, work in left.items():
                try:
                    self.maker.do(work)
                except SourceRefused as error:
                    refused[name] = work
                    self.refusals[name] = str(error)
            if len(refused) == len(left):
                break
            left = refused
        self.waiting |= {name: seen[name][0] for name in left}

    def _note(self, rows: int, *, is_end: bool) -> None:
        """Note how far it came, unless somebody else came further meanwhile."""
        changes = {"position": self.position, "turns": add(int(is_end)), "rows": add(rows)}
        unchanged = F("position") == self.noted.position
        try:
            self.noted = self.sides.books.update(self.noted, changes, only_if=unchanged)
        except ConditionFailed:
            self.noted = self.sides.books.return_of(self.noted.name).one()
            self.position = self.noted.position


def _with(root: Root, passed: Entity | None) -> Root:
    return root if passed is None else Root(root.rule, root.key, (*root.olds, passed))
