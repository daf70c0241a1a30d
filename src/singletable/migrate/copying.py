"""The copy: spans of rows, each noted batch by batch.

What is written follows from the rows alone, and is noted after it was written, or with it. So a
copy that is stopped at any moment goes on from its notes, writes some of it again, and ends with
the same. Whoever goes on with it takes it over: a worker of before, which may be anywhere, looks
before it writes a batch, so that it brings no row as it was over what was followed since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from singletable.backends import Backend
from singletable.backends.embedded import EmbeddedBackend
from singletable.engine.loading import Load
from singletable.errors import (
    ConditionFailed,
    ResourceNotFoundException,
    TransactionCancelled,
)
from singletable.model.conditions import Condition, F
from singletable.model.large import Stored
from singletable.store.context import Context
from singletable.store.drivers import run
from singletable.store.large.contents import store_content
from singletable.store.store import Store
from singletable.store.writing.writes import identity

from .bookkeeping import Books, Part, Run
from .items import fixed
from .migration import Migration, Rule
from .orphans import orphaned
from .owners import Claim, Key, Owners, written
from .pacing import Pace
from .rejects import rejected
from .sources.source import Broken, Row, Source, Span
from .transforming import Made, Reject, Transformer
from .turns import Turn
from .writing import is_plain, objects_of, write

BATCH_ROWS = 1_000
BATCH_BYTES = 4_000_000
"""About so much is in a batch, and up to three are in memory, however long the rows are."""
OBJECTS_AT_ONCE = 8
SEVERAL = "several"
"""In place of the name of a file of owners: not all rows of a part are in one."""


class TakenOver(ConditionFailed):
    """Another process goes on with a run, or has ended it, and this one has to stop."""

    @classmethod
    def of(cls, begun: Run) -> TakenOver:
        """Say it of a run."""
        return cls(f"{begun.name} was gone on with elsewhere: this run of it writes nothing more")


@dataclass(frozen=True, slots=True)
class _Batch:
    """What comes of some rows, and is not written yet."""

    rows: int
    rest: Span | None
    """What is to be read after them."""
    rejects: list[Reject]
    made: list[Made]
    load: Load | None
    """The items of all other rows, ready to be put into a file."""
    stored: dict[Stored, Future[None]]
    """The content that is being put into the object store."""


@dataclass(frozen=True, slots=True)
class Copier:
    """Copies parts of a migration from a source into the table of a store."""

    begun: Run
    migration: Migration[Any]
    source: Source
    store: Store
    books: Books
    owners: Owners
    pace: Pace
    turn: Turn

    @property
    def context(self) -> Context:
        """Give the store's context, in which it is always when the run began."""
        return fixed(self.store.context, self.begun.began_at)

    @property
    def transformer(self) -> Transformer:
        """Give what makes drafts of rows."""
        return Transformer(self.migration, self.context, self.begun.began_at)

    def copy(self, part: Part) -> Part:
        """Copy what is left of a part; note each batch."""
        if part.kind in self.migration.along:
            return self._refuse_orphans(part)
        threads = ThreadPoolExecutor(OBJECTS_AT_ONCE)
        batches = self._batches(part, threads)
        try:
            batch = next(batches, None)
            while batch is not None:
                ahead = None
                try:  # one is made before the other is written: meanwhile its objects are stored
                    ahead = None if self.pace.units_per_s else next(batches, None)
                finally:  # also where the next one cannot be made
                    part = self._write(part, batch)
                batch = ahead or next(batches, None)
        finally:
            threads.shutdown(cancel_futures=True)
        return part

    def _refuse_orphans(self, part: Part) -> Part:
        """List rows of a part among the rejects that come along with none; the others did."""
        parents = self.migration.along[part.kind]
        while part.rest is not None:
            span = to_span(part.rest)
            rows, rest = self.source.read_orphans(part.kind, parents, span, BATCH_ROWS)
            with self._writing():
                part = self._note(part, 0, 0, [orphaned(row, parents) for row in rows], rest)
            self.pace.wait()
        return part

    def _batches(self, part: Part, threads: ThreadPoolExecutor) -> Iterator[_Batch]:
        """Make what comes of the rows of a part, some of them at a time."""
        rule, transformer, limit = self.migration.rules[part.kind], self.transformer, _first()
        self.pace.wait()
        read = partial(self._read, threads, rule)
        page = read(to_span(part.rest), limit) if part.rest else None
        while page is not None:
            rows, rest = page.result()
            judged = [transformer.transform(rule, row) for row in rows]
            made = [one for one in judged if isinstance(one, Made)]
            limit, page = _limit(limit, len(rows), made), None
            if rest and not self.pace.units_per_s:
                page = read(rest, limit)  # while these are written
            rejects = [one for one in judged if isinstance(one, Reject)]
            self._claim(made)
            stored = self._store_objects(made, threads)
            yield _Batch(len(rows), rest, rejects, *self._prepared(made), stored)
            limit = min(limit, self.pace.rows_a_second(len(rows)))
            self.pace.wait()
            if rest and not page:
                page = read(rest, limit)

    def _read(
        self, threads: ThreadPoolExecutor, rule: Rule, span: Span, limit: int
    ) -> Future[tuple[Sequence[Row | Broken], Span | None]]:
        """Begin to read the first rows of a span."""
        return threads.submit(self.source.read, rule.kind, span, limit, rule.related)

    def _store_objects(
        self, made: Sequence[Made], threads: ThreadPoolExecutor
    ) -> dict[Stored, Future[None]]:
        """Begin to store large content side by side, before anybody has to wait for the table."""
        context, backend = self.context, self.store.backend
        return {
            place: threads.submit(run, store_content(context, place, content), backend)
            for place, content in dict(objects_of(made)).items()
        }

    def _prepared(self, made: list[Made]) -> tuple[list[Made], Load | None]:
        """Make ready for a file what can be, so that it is held for as short as can be."""
        backend = self.store.backend
        if not isinstance(backend, EmbeddedBackend) or self.pace.units_per_s:
            return made, None
        others = [one for one in made if not is_plain(one)]
        plain = (one for one in made if is_plain(one)) if others else made
        items = [item for one in plain for draft in one.drafts for item in draft.items]
        with self._table_there():
            return others, backend.engine.prepare(self.store.table_name, items)

    def _write(self, part: Part, batch: _Batch) -> Part:
        """Write what comes of some rows, when all that it points at is there, and note it."""
        for one in batch.stored.values():
            one.result()
        with self._writing():
            work = self.pace.watched(write(self.context, batch.made, batch.stored.keys()))
            items, refused = run(work, self.store.backend)
            if batch.load is not None:
                with self._table_there():
                    batch.load.write()
                items += len(batch.load)
            return self._note(part, batch.rows, items, [*batch.rejects, *refused], batch.rest)

    def check(self) -> None:
        """Refuse to write what another process has taken over, or has ended."""
        now = self.books.run_of(self.begun.name).first()
        if now is None or (now.state, now.token) != ("copying", self.begun.token):
            raise TakenOver.of(self.begun)

    def claim(self, part: Part, rule: Rule) -> None:
        """Claim the items of a part's rows again; writes nothing to the table."""
        transformer, span = self.transformer, to_span(part.span) if part.span else Span()
        rest: Span | None = span
        while rest is not None:
            rows, rest = self.source.read(part.kind, rest, _first(), rule.related)
            judged = (transformer.transform(rule, row) for row in rows)
            self._claim([one for one in judged if isinstance(one, Made)])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Have a batch written at once, unless another process has taken the run over."""
        with together(self.store.backend, self.turn):
            self.check()  # in a file nobody takes it over from here on
            yield

    @contextmanager
    def _table_there(self) -> Iterator[None]:
        """Say of a missing table what all of the store's requests say."""
        try:
            yield
        except ResourceNotFoundException as error:
            raise self.store.context.no_table() from error

    def _claim(self, made: Iterable[Made]) -> None:
        self.owners.claim(claim for one in made for claim in _claims(one))

    def _note(
        self,
        part: Part,
        rows: int,
        items: int,
        rejects: Iterable[Reject],
        rest: Span | None,
    ) -> Part:
        letters = [rejected(part.name, reject) for reject in rejects]
        self.books.put_many(letters)
        known = not part.rows or part.owners == self.owners.name
        pace = self.pace
        return self._put(
            Part(
                name=part.name,
                kind=part.kind,
                number=part.number,
                span=part.span,
                rest=None if rest is None else from_span(rest),
                rows=part.rows + rows,
                items=part.items + items,
                rejected=part.rejected + len(letters),
                owners=self.owners.name if known else SEVERAL,
                used_per_s=pace.used_per_s if rest else 0.0,
                held_per_s=pace.units_per_s if rest and pace.due_s else None,
                backed_off_s=pace.backed_off_s if rest else 0.0,
            )
        )

    def _put(self, part: Part) -> Part:
        """Note a part, unless the run was taken over."""
        try:
            with self.books.transaction() as transaction:
                transaction.check(self.begun, is_of(self.begun))
                transaction.put(part)
        except (ConditionFailed, TransactionCancelled) as error:
            raise TakenOver.of(self.begun) from error
        return part


def is_of(begun: Run) -> Condition:
    """Require that a run is copied, and by who has begun it so."""
    return (F("state") == "copying") & (F("token") == begun.token)


def keys_of(made: Made) -> Iterator[Key]:
    """Give the keys of all that a row takes for itself: items, and guards of unique values."""
    for draft in made.drafts:
        yield draft.key
        for guard in draft.guards:
            yield identity(guard.write.key)


def _claims(made: Made) -> list[Claim]:
    row = written(made.row)
    return [(key, row) for key in keys_of(made)]


def _first() -> int:
    """Say how many rows to read at first, while nobody knows how long they are."""
    return max(1, BATCH_ROWS // 10)


def _limit(limit: int, rows: int, made: Iterable[Made]) -> int:
    """Say how many rows to read next, so that a batch is not larger than it should be."""
    size = sum(draft.size_bytes for one in made for draft in one.drafts)
    fitting = rows * BATCH_BYTES // max(size, 1)
    return max(1, min(2 * limit, fitting, BATCH_ROWS))


def to_span(rest: dict[str, Any]) -> Span:
    """Read a span from its JSON."""
    after, upto = rest["after"], rest["upto"]
    return Span(None if after is None else tuple(after), None if upto is None else tuple(upto))


def from_span(span: Span) -> dict[str, Any]:
    """Write a span as JSON."""
    return {
        "after": None if span.after is None else list(span.after),
        "upto": None if span.upto is None else list(span.upto),
    }


@contextmanager
def together(backend: Backend, turn: Turn | None = None) -> Iterator[None]:
    """Have a batch reach the disk at once, where that is known how: a file, in one's turn."""
    if not isinstance(backend, EmbeddedBackend):
        yield
        return
    with turn or nullcontext(), backend.engine.together():
        yield
