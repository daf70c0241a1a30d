"""The first look at everything: at the table once, then at every row once, in several processes.

Whoever does a part opens both sides for itself, and finds the scratch file by its path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable.migrate.bookkeeping import Run
from singletable.migrate.items import fixed
from singletable.migrate.orphans import orphaned
from singletable.migrate.running import Job, Sides
from singletable.migrate.sources.source import Broken, Row, Span
from singletable.migrate.transforming import Made, Reject, Transformer, reference_of
from singletable.model.fields import now
from singletable.store.writing.writes import identity

from .comparing import Comparer, Expected
from .results import Counts
from .scratch import Scratch, reference

BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class Task:
    """Says all that a process needs to know to look at a part."""

    job: Job
    begun: Run
    scratch: Path
    content: bool = False
    """Whether large content is loaded, and not only known by its checksum."""
    is_done: bool = False
    """Whether the new side is the right one, so that nobody brings rows of the old one there."""


def scan_segment(task: Task, number: int, segments: int) -> Counts:
    """Note all items of a segment of the table."""
    counts = Counts()
    with task.job.opened() as sides, closing(Scratch(task.scratch)) as scratch:
        comparer, at = comparer_of(task, sides), now()
        for items in _pages(sides, number, segments):
            found = []
            for item in items:
                entity = comparer.entity(item)
                if entity is None:
                    counts.apart[comparer.type(item)] += 1
                elif not comparer.is_over(item, at):
                    digest = comparer.digest(item)
                    found.append((identity(comparer.key(item)), entity, digest))
            scratch.find(found)
            sides.pace.wait()
    return counts


def _pages(sides: Sides, number: int, segments: int) -> Iterator[list[dict[str, Any]]]:
    request: dict[str, Any] = {
        "TableName": sides.store.table_name,
        "Segment": number,
        "TotalSegments": segments,
        "ConsistentRead": True,
    }
    while True:
        answer = sides.store.send("Scan", request)
        yield answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def read_span(task: Task, kind: str, span: Span) -> Counts:
    """Compare all rows of a span with what was scanned; note those that do not match."""
    counts = Counts()
    with task.job.opened() as sides, closing(Scratch(task.scratch)) as scratch:
        reader = _Reader(task, sides, scratch, counts)
        for rows in _rows(sides, kind, span):
            reader.compare(_transformed(task, sides, rows))
            counts.rows[kind] += len(rows)
    return counts


def check_orphans(task: Task, kind: str, span: Span) -> Counts:
    """See that all rows of a span are among the rejects that come along with none."""
    counts = Counts()
    with task.job.opened() as sides, closing(Scratch(task.scratch)) as scratch:
        reader, parents = _Reader(task, sides, scratch, counts), sides.migration.along[kind]
        rest: Span | None = span
        while rest is not None:
            rows, rest = sides.source.read_orphans(kind, parents, rest, BATCH_ROWS)
            reader.compare([orphaned(row, parents) for row in rows])
            sides.pace.wait()
    return counts


def confirm_span(task: Task, kind: str, span: Span) -> Counts:
    """Have those rows of a span looked at again that make an item which none seemed to make."""
    with task.job.opened() as sides, closing(Scratch(task.scratch)) as scratch:
        comparer = comparer_of(task, sides)
        for rows in _rows(sides, kind, span):
            made = (one for one in _transformed(task, sides, rows) if isinstance(one, Made))
            keyed = [(one.row, [identity(e.key) for e in comparer.expected(one)]) for one in made]
            scratch.doubt(
                (row, ()) for row, keys in keyed if any(scratch.is_unmade(key) for key in keys)
            )
    return Counts()


def _rows(sides: Sides, kind: str, span: Span) -> Iterator[Sequence[Row | Broken]]:
    rest: Span | None = span
    while rest is not None:
        rows, rest = sides.source.read(kind, rest, BATCH_ROWS, sides.migration.rules[kind].related)
        yield rows
        sides.pace.wait()


def _transformed(task: Task, sides: Sides, rows: Sequence[Row | Broken]) -> list[Made | Reject]:
    transformer = transformer_of(task, sides)
    return [transformer.transform(sides.migration.rules[row.kind], row) for row in rows]


def transformer_of(task: Task, sides: Sides) -> Transformer:
    """Give what makes the same of rows as the copy did."""
    context = fixed(sides.store.context, task.begun.began_at)
    return Transformer(sides.migration, context, task.begun.began_at)


def comparer_of(task: Task, sides: Sides) -> Comparer:
    """Give what compares items of the table."""
    return Comparer(sides.store.table, versions=not task.begun.was_done)


class _Reader:
    """Compares rows with what was scanned."""

    def __init__(self, task: Task, sides: Sides, scratch: Scratch, counts: Counts) -> None:
        self._task = task
        self._scratch = scratch
        self._counts = counts
        self._comparer = comparer_of(task, sides)
        self._at = now()

    def compare(self, judged: Sequence[Made | Reject]) -> None:
        """Count what matches, and note the rest."""
        doubts: list[tuple[Row | Broken, list[tuple[str, ...]]]] = []
        made: list[tuple[Made, list[Expected]]] = []
        listed: list[str] = []
        for one in judged:
            name = reference_of(one.row.kind, one.row.id)
            refused = self._scratch.is_refused(name)
            if refused:
                listed.append(name)
            if isinstance(one, Made) and not refused:
                made.append((one, list(self._comparer.expected(one))))
            elif isinstance(one, Reject) and refused:
                self._counts.rejected[one.row.kind] += 1
            else:  # what was refused could be written, or the other way round
                doubts.append((one.row, []))
        self._scratch.meet(listed)
        claims = [
            (identity(each.key), reference(one.row)) for one, expected in made for each in expected
        ]
        found = iter(self._scratch.claim(claims))
        for one, expected in made:
            there = [(each, *next(found)) for each in expected]
            if not self._agrees(one, there):
                doubts.append((one.row, [identity(each.key) for each in expected]))
        self._scratch.doubt(doubts)

    def _agrees(self, made: Made, there: list[tuple[Expected, bytes | None, str]]) -> bool:
        mine = reference(made.row)
        if any(maker != mine for _, _, maker in there):
            return False
        if self._task.content and any(draft.contents for draft in made.drafts):
            return False
        digests = []
        for each, found, _ in there:
            digest = self._comparer.digest(each.item)
            if digest == found:
                digests.append((each.entity, digest))
            elif found is not None or not self._comparer.is_over(each.item, self._at):
                return False
        for entity, digest in digests:
            self._counts.tallies[entity].enter(digest, digest)
        return True
