"""What a verification looks at: rows, items that no row seems to make, and both again in doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from singletable.migrate.makes import named_by
from singletable.migrate.running import Sides
from singletable.store.writing.uniqueness import TYPE as UNIQUE

from .comparing import left_out
from .findings import Findings
from .leftovers import Leftovers
from .looking import Look, Looker
from .parts import Part, done
from .reading import Task, check_orphans, confirm_span, read_span, scan_segment
from .results import Checked, Counts, Repaired, Verification
from .scratch import Scratch
from .waiting import Interval

BATCH = 500
LOOKS_MAX = 6
PARTS_A_WORKER = 4
ROWS_A_PART = 5_000

Show = Callable[[Checked], None]


class Verifier:
    """Looks at everything, and again at what does not match."""

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
        self.task = task
        self.sides = sides
        self.scratch = scratch
        self.interval = interval
        self.findings = findings
        self._workers = workers
        self._show = show
        self._counts = Counts()
        self._unsettled = 0
        self._total = sum(sides.source.count(kind) for kind in sides.migration.rules)
        self.looker = Looker(task, sides, scratch)
        self.leftovers = Leftovers(scratch, self.looker)

    def check(self) -> None:
        """Compare the source with the table, both ways."""
        for kind in self.sides.migration.kinds:
            rejects = self.sides.books.rejected(self.task.begun.name, kind)
            self.scratch.refuse(one.row_id for one in rejects)
        self._do("scanning", [(scan_segment, (n, self._workers)) for n in range(self._workers)])
        self._do("reading", [(read_span, part) for part in self._spans()])
        along = self.sides.migration.along
        self._do("reading", [(check_orphans, part) for part in self._spans(along)])
        self.settle_rows(self._stood, self._counts)
        self._settle_unmade()

    def result(self, repaired: Repaired | None) -> Verification:
        """Give what was found, and what came of its repair."""
        findings, schemas = self.findings, self.sides.store.table.entities.values()
        was_done = self.task.begun.was_done
        names = {
            schema.name: tuple(sorted(left_out(schema, versions=not was_done)))
            for schema in schemas
        }
        return Verification(
            name=self.task.begun.name,
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
            repaired=repaired.gone if repaired else 0,
            left=repaired.left if repaired else findings.count,
            file=findings.path if findings.count else None,
        )

    # Rows

    def settle_rows(self, stood: Callable[[Look], None], counts: Counts) -> None:
        """Look at rows in doubt until they match, or differ in the same way twice."""
        for _ in range(LOOKS_MAX):
            for doubts in self.doubts("waiting"):
                for look in self.looker.look(doubts):
                    self._judge(look, stood, counts)
            if not self.scratch.count("waiting"):
                return
            self.tell("looking again")
            if not self.interval.wait():
                break
        self._unsettled += self.scratch.turn("waiting", "unsettled")

    def _judge(self, look: Look, stood: Callable[[Look], None], counts: Counts) -> None:
        state = "waiting" if look.differences else "refused" if look.stays_refused else "clear"
        if look.differences and look.doubt.seen == look.signature:
            state = "stands"
            stood(look)
        if not look.differences:
            self.looker.enter(look, counts)
        self.scratch.judge(look.doubt, state, look.claims, look.signature)

    def _stood(self, look: Look) -> None:
        self.looker.enter(look, self._counts)
        self.findings.add(look.differences)

    def doubts(self, state: str) -> Iterator[list[Any]]:
        """Give the rows of a state, page by page."""
        after = ""
        while doubts := self.scratch.doubts(state, BATCH, after):
            yield doubts
            after = doubts[-1].row

    # Items

    def _settle_unmade(self) -> None:
        """Look at items that no row seems to make; read all rows once more if they stay."""
        migration = self.task.job.migration
        named = (name for rule in migration.rules.values() for name in named_by(migration, rule))
        made = {*self._counts.made(), *named, UNIQUE} - self._apart()
        self._counts.apart.update(self.leftovers.set_apart(made))
        for _ in range(LOOKS_MAX):
            if not self.leftovers.any():
                return
            self.tell("looking again")
            if not self.interval.wait():
                self._unsettled += self.leftovers.drop()
                return
            if not self.leftovers.changed():
                break
        self._do("reading again", [(confirm_span, part) for part in self._spans()])
        self.settle_rows(self._stood, self._counts)
        self._unsettled += self.leftovers.changed(drop=True)
        for page in self.leftovers.pages():
            for one in page:
                self._counts.tallies[one.entity].enter(None, one.found)
            self.findings.add(self.leftovers.differences(page))

    def _apart(self) -> set[str]:
        """Name what is in the table for other reasons: in place, the old layout and its guards."""
        migration = self.task.job.migration
        if not migration.in_place:
            return set()
        entities = migration.store.table.entities
        return {UNIQUE, *(entities[kind].name for kind in migration.rules)}

    # Parts

    def _spans(self, kinds: Iterable[str] | None = None) -> Iterator[tuple[str, Any]]:
        source, most = self.sides.source, self._workers * PARTS_A_WORKER
        for kind in self.sides.migration.rules if kinds is None else kinds:
            parts = min(most, max(1, source.count(kind) // ROWS_A_PART))
            yield from ((kind, span) for span in source.split(kind, parts))

    def _do(self, state: str, parts: Iterable[Part]) -> None:
        """Do parts, side by side where there are workers, and add up what they count."""
        self.tell(state)
        for counts in done(self._workers, self.task, parts):
            self._counts.add(counts)
            self.tell(state)

    def tell(self, state: str) -> None:
        """Show how far it is."""
        if self._show is not None:
            rows = sum(self._counts.rows.values())
            doubtful = self.scratch.count("waiting")
            self._show(Checked(state=state, rows=rows, total=self._total, doubtful=doubtful))
