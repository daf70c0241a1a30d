"""An index by tantivy, in a folder: faster to search than FTS5, and slower to commit.

A generation is a folder of its own. Beside them stands a ledger in SQLite, whose transaction lets
one process write at a time. Words are committed before the ledger: a process that is stopped in
between leaves changes that are applied but not noted, and when they are delivered again, they are
applied again, which changes nothing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.engine.connections import Connection
from singletable.errors import UsageError

from .documents import Layout
from .generations import LedgerKeeper
from .keeping import BATCH_MAX, Clock, Entry, Held
from .questions import Match, Question

if TYPE_CHECKING:
    import tantivy

    from .tantivy_words import Words

HEAP_BYTES = 15_000_000
"""The least that tantivy takes for a thread that writes."""


class Tantivy(LedgerKeeper):
    """Keeps an index in a folder; needs the extra ``tantivy``."""

    def __init__(self, folder: str | PathLike[str], *, clock: Clock = time.time) -> None:
        self._folder = Path(folder)
        self._clock = clock
        self._opened: dict[int, tantivy.Index] = {}

    def open(self, layout: Layout) -> None:
        """Open the folder, and make the first generation if there is none."""
        self._words = _words(layout)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._open(self._folder / "ledger.db", layout, self._clock)

    def held(self, ids: Sequence[str]) -> dict[str, Held]:
        """Tell which of these documents are live."""
        if not ids:
            return {}
        with self._ledger.read() as tx:
            searcher = self._searcher(tx)
        found = searcher.search(self._words.named(ids), limit=len(ids), count=False)
        told = (self._words.held(searcher.doc(address)) for _, address in found.hits)
        return {one.id: one for one in told}

    def every(self) -> Iterator[Held]:
        """Tell every live document, of one snapshot."""
        with self._ledger.read() as tx:
            searcher = self._searcher(tx)
        for offset in range(0, searcher.num_docs, BATCH_MAX):
            found = searcher.search(self._words.all, limit=BATCH_MAX, count=False, offset=offset)
            yield from (self._words.held(searcher.doc(address)) for _, address in found.hits)

    def search(self, question: Question) -> list[Match]:
        """Find documents by bm25; those of equal score, by their ids."""
        query = self._words.query(question)
        with self._ledger.read() as tx:
            searcher = self._searcher(tx)
        size = question.limit + 1
        while True:
            hits = searcher.search(query, limit=size, count=False).hits
            beyond = _ordered(searcher, hits, question, whole=len(hits) < size)
            if len(beyond) >= question.limit or len(hits) < size:
                return [self._words.match(question, *one[::2]) for one in beyond[: question.limit]]
            size *= 2

    def _searcher(self, tx: Connection) -> tantivy.Searcher:
        index = self._index(self._ledger.live(tx))
        index.reload()
        return index.searcher()

    def _index(self, generation: int) -> tantivy.Index:
        index = self._opened.get(generation)
        if index is None:
            folder = self._folder / f"{generation:08d}"
            folder.mkdir(exist_ok=True)
            index = self._opened[generation] = self._words.index(str(folder))
        return index

    def _create(self, tx: Connection, generation: int) -> None:
        self._index(generation)

    def _drop_all_but(self, tx: Connection, generations: set[int]) -> None:
        for folder in self._folder.glob("[0-9]*"):
            if int(folder.name) not in generations:
                self._opened.pop(int(folder.name), None)
                shutil.rmtree(folder, ignore_errors=True)

    def _replace(self, tx: Connection, generation: int, entries: Sequence[Entry]) -> None:
        writer = self._index(generation).writer(HEAP_BYTES, 1)
        for name, _, document in entries:
            writer.delete_documents_by_term("id", name)
            if document is not None:
                writer.add_document(self._words.document(document))
        writer.commit()
        writer.wait_merging_threads()  # and so gives up its lock


def _ordered(
    searcher: tantivy.Searcher, hits: Sequence[Any], question: Question, *, whole: bool
) -> list[tuple[float, str, tantivy.Document]]:
    """Give what comes after the cursor, in order; leave out scores of which there may be more."""
    stored = ((float(score), searcher.doc(address)) for score, address in hits)
    found = [(score, str(one["id"][0]), one) for score, one in stored]
    found.sort(key=lambda one: one[:2], reverse=True)
    if not whole:
        found = [one for one in found if one[0] > found[-1][0]]
    after = question.after
    return [one for one in found if after is None or one[:2] < after]


def _words(layout: Layout) -> Words:
    try:
        from .tantivy_words import Words
    except ImportError:
        raise UsageError("Tantivy(…) needs an extra: pip install 'singletable[tantivy]'") from None
    return Words(layout)
