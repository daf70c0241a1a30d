"""A verification from its beginning to its end: the first look, the doubts, what no row makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import as_completed
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from singletable.errors import UsageError
from singletable.migrate.bookkeeping import Run
from singletable.migrate.guarding import Guard
from singletable.migrate.makes import named_by
from singletable.migrate.owning import NO_FILE
from singletable.migrate.phases import Cutover
from singletable.migrate.processes import Pool
from singletable.migrate.renewing import begun_anew
from singletable.migrate.running import Job, Sides
from singletable.migrate.settling import settle
from singletable.migrate.underway import Underway
from singletable.store.writing.uniqueness import TYPE as UNIQUE

from .comparing import left_out
from .findings import Findings
from .leftovers import Leftovers
from .looking import Look, Looker
from .mending import Mender
from .reading import Task, confirm_span, read_span, scan_segment
from .results import Checked, Counts, Verification
from .scratch import Scratch, remove
from .waiting import Interval

BATCH = 500
LOOKS_MAX = 6
PARTS_A_WORKER = 4
ROWS_A_PART = 5_000
SETTLE_S = 1.0
PATIENCE_S = 60.0

Show = Callable[[Checked], None]
Part = tuple[Callable[..., Counts], tuple[Any, ...]]


def verify(
    job: Job,
    *,
    repair: bool = False,
    content: bool = False,
    workers: int = 1,
    settle_s: float = SETTLE_S,
    patience_s: float = PATIENCE_S,
    show: Show | None = None,
) -> Verification:
    """Compare the source with the table, both ways; writes may go on.

    With ``repair`` the table is made to be as the source is. ``content`` loads all large content,
    which is otherwise known by its checksum. Between two looks at what differs it waits for
    ``settle_s``, and where changes are followed until those were applied, up to ``patience_s``.
    Where changes were lost, and nothing is left to repair, they are followed anew from its
    beginning on.
    """
    job.folder.mkdir(parents=True, exist_ok=True)
    path = job.folder / f"{job.name}.verify"
    with job.opened() as sides, closing(Scratch.new(path)) as scratch:
        begun, is_done = _begun(job, sides), _is_done(job, sides, repair=repair)
        anew = begun_anew(sides, begun) if repair else None
        task = Task(job, begun, path, content, is_done)
        underway = Underway(sides.books, job.name, sides.store.context.clock)
        left = underway.left()
        interval = Interval(sides, job.name, settle_s, patience_s)
        findings = Findings(job.folder / f"{job.name}.differences.jsonl")
        with closing(findings):
            verifier = _Verifier(task, sides, scratch, interval, findings, workers, show)
            verifier.check()
            repaired = verifier.repair(underway, anew) if repair else 0
        result = verifier.result(repaired)
        if repair and result.agrees:  # what others died over is made good
            for one in left:
                underway.forget(one)
        if anew is not None and result.agrees:
            # What the lost changes told was never heard by the file of owners either.
            sides.books.update(begun, position=anew, applied=None, owners=NO_FILE)
            result = replace(result, followed_anew=True)
    remove(path)
    return result


def _begun(job: Job, sides: Sides) -> Run:
    begun = sides.books.run_of(job.name).first()
    if begun is None or begun.state == "copying":
        raise UsageError(f"{job.name} is not copied yet: run it, then verify it")
    return begun


def _is_done(job: Job, sides: Sides, *, repair: bool) -> bool:
    phase = sides.books.phase_of(job.name).first()
    is_done = phase is not None and phase.phase == "done"
    if is_done and repair:
        raise UsageError(
            f"{job.name} is done, and the table is written to: to repair it from the source would "
            "undo that; verify it without repair"
        )
    return is_done


class _Verifier:
    def __init__(
        self,
        task: Task,
        sides: Sides,
        scratch: Scratch,
        interval: Interval,
        findings: Findings,
        workers: int,
        show: Show | None,
    ) -> None:
        self._task = task
        self._sides = sides
        self._scratch = scratch
        self._interval = interval
        self._findings = findings
        self._workers = workers
        self._show = show
        self._counts = Counts()
        self._unsettled = 0
        self._left: int | None = None
        self._total = sum(sides.source.count(kind) for kind in sides.migration.rules)
        self._looker = Looker(task, sides, scratch)
        self._leftovers = Leftovers(scratch, self._looker)
        self._guard = Guard(Cutover(sides.store, task.begun.name))

    def check(self) -> None:
        """Look at everything, and again at what does not match."""
        for kind in self._sides.migration.rules:
            rejects = self._sides.books.rejected(self._task.begun.name, kind)
            self._scratch.refuse(one.row_id for one in rejects)
        self._do("scanning", [(scan_segment, (n, self._workers)) for n in range(self._workers)])
        self._do("reading", [(read_span, part) for part in self._spans()])
        self._settle_rows(self._stood, self._counts)
        self._settle_unmade()

    def repair(self, underway: Underway, anew: str | None) -> int:
        """Repair what differs; count the differences that are gone.

        A change that comes meanwhile may be put by another before it is undone here: whoever
        follows does it again, if this dies. One that died before may have left wrong counts.
        """
        others, mended = underway.others(), 0
        if self._findings.count:
            begun = self._sides.books.run_of(self._task.begun.name).one()
            underway.begin(anew or begun.applied or begun.position or "")
            mended = self._mend(partial(self._asked, underway))
        if (self._findings.count or others) and not self._task.job.migration.in_place:
            settle(self._sides.store, wait_s=self._interval.settle_s)
        if not self._left:
            underway.end()
        return mended

    def _asked(self, underway: Underway) -> None:
        """Be asked before each row whether it may be put."""
        if self._guard.wait():
            underway.tell()  # who held the writes may have done this again
        else:
            underway.go_on()

    def _mend(self, ask: Callable[[], None]) -> int:
        self._tell("repairing")
        mender, before = Mender(self._task, self._sides, self._looker), self._findings.count
        gone = [mender.delete(page) for page in self._leftovers.pages()]
        for page in gone:
            self._scratch.forget(page)
        for state in ("stands", "refused"):  # what rows were refused for may be free now
            for doubts in self._doubts(state):
                for look in self._looker.look(doubts):
                    if look.differences:
                        ask()
                        mender.mend(look)
            self._scratch.turn(state, "waiting")
        left: list[int] = []
        self._settle_rows(lambda look: left.append(len(look.differences)), Counts())
        self._left = sum(left) + sum(map(len, self._leftovers.pages()))
        return max(0, before - self._left)

    def result(self, repaired: int) -> Verification:
        """Give what was found."""
        findings, schemas = self._findings, self._sides.store.table.entities.values()
        was_done = self._task.begun.was_done
        names = {
            schema.name: tuple(sorted(left_out(schema, versions=not was_done)))
            for schema in schemas
        }
        return Verification(
            name=self._task.begun.name,
            entities=tuple(
                tally.as_compared(entity, names.get(entity, ()))
                for entity, tally in sorted(self._counts.tallies.items())
            ),
            rows=dict(self._counts.rows),
            rejected=dict(+self._counts.rejected),
            differences=tuple(findings.first),
            differing=findings.count,
            unsettled=self._unsettled,
            apart=dict(self._counts.apart),
            repaired=repaired,
            left=findings.count if self._left is None else self._left,
            file=findings.path if findings.count else None,
        )

    # Rows

    def _settle_rows(self, stood: Callable[[Look], None], counts: Counts) -> None:
        """Look at rows in doubt until they match, or differ in the same way twice."""
        for _ in range(LOOKS_MAX):
            for doubts in self._doubts("waiting"):
                for look in self._looker.look(doubts):
                    self._judge(look, stood, counts)
            if not self._scratch.count("waiting"):
                return
            self._tell("looking again")
            if not self._interval.wait():
                break
        self._unsettled += self._scratch.turn("waiting", "unsettled")

    def _judge(self, look: Look, stood: Callable[[Look], None], counts: Counts) -> None:
        state = "waiting" if look.differences else "refused" if look.stays_refused else "clear"
        if look.differences and look.doubt.seen == look.signature:
            state = "stands"
            stood(look)
        if not look.differences:
            self._looker.enter(look, counts)
        self._scratch.judge(look.doubt, state, look.claims, look.signature)

    def _stood(self, look: Look) -> None:
        self._looker.enter(look, self._counts)
        self._findings.add(look.differences)

    def _doubts(self, state: str) -> Iterator[list[Any]]:
        after = ""
        while doubts := self._scratch.doubts(state, BATCH, after):
            yield doubts
            after = doubts[-1].row

    # Items

    def _settle_unmade(self) -> None:
        """Look at items that no row seems to make; read all rows once more if they stay."""
        migration = self._task.job.migration
        named = (name for rule in migration.rules.values() for name in named_by(migration, rule))
        made = {*self._counts.made(), *named, UNIQUE} - self._apart()
        self._counts.apart.update(self._leftovers.set_apart(made))
        for _ in range(LOOKS_MAX):
            if not self._leftovers.any():
                return
            self._tell("looking again")
            if not self._interval.wait():
                self._unsettled += self._leftovers.drop()
                return
            if not self._leftovers.changed():
                break
        self._do("reading again", [(confirm_span, part) for part in self._spans()])
        self._settle_rows(self._stood, self._counts)
        self._unsettled += self._leftovers.changed(drop=True)
        for page in self._leftovers.pages():
            for one in page:
                self._counts.tallies[one.entity].enter(None, one.found)
            self._findings.add(self._leftovers.differences(page))

    def _apart(self) -> set[str]:
        """Name what is in the table for other reasons: in place, the old layout and its guards."""
        migration = self._task.job.migration
        if not migration.in_place:
            return set()
        entities = migration.store.table.entities
        return {UNIQUE, *(entities[kind].name for kind in migration.rules)}

    # Parts

    def _spans(self) -> Iterator[tuple[str, Any]]:
        source, most = self._sides.source, self._workers * PARTS_A_WORKER
        for kind in self._sides.migration.rules:
            parts = min(most, max(1, source.count(kind) // ROWS_A_PART))
            yield from ((kind, span) for span in source.split(kind, parts))

    def _do(self, state: str, parts: Iterable[Part]) -> None:
        """Do parts, side by side where there are workers, and add up what they count."""
        self._tell(state)
        for counts in _done(self._workers, self._task, parts):
            self._counts.add(counts)
            self._tell(state)

    def _tell(self, state: str) -> None:
        if self._show is not None:
            rows = sum(self._counts.rows.values())
            doubtful = self._scratch.count("waiting")
            self._show(Checked(state=state, rows=rows, total=self._total, doubtful=doubtful))


def _done(workers: int, task: Task, parts: Iterable[Part]) -> Iterator[Counts]:
    if workers == 1:
        yield from (function(task, *arguments) for function, arguments in parts)
        return
    with _pool(workers) as pool:
        futures = [pool.submit(function, task, *arguments) for function, arguments in parts]
        yield from (future.result() for future in as_completed(futures))


@contextmanager
def _pool(workers: int) -> Iterator[Pool]:
    with Pool(workers) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
