"""An index in one SQLite file, by FTS5: the default, which needs nothing else.

Documents and the ledger of what was applied are written in one transaction, so that a process may
be stopped at any moment and nothing is lost or done twice. A generation is three tables: documents,
their words, and what they are filtered by. The realm of a document stands among its words too, so
that a search goes through those of its own realm alone; what it may see is decided by the column.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any

from singletable.engine.connections import Connection

from .documents import MARKS, Indexed, Layout
from .facets import AnyOf, Test
from .generations import LedgerKeeper
from .keeping import BATCH_MAX, Clock, Entry, Held, chunks
from .ledger import marks
from .questions import Match, Question, Term

SNIPPET_TOKENS = 32
TOKENIZER = "unicode61 remove_diacritics 2"
PREFIXES = "2 3"
"""How many letters of words are indexed too: without, a short beginning takes FTS5 long to find."""


class Fts5(LedgerKeeper):
    """Keeps an index in a SQLite file, or in memory (``":memory:"``)."""

    def __init__(self, path: str | PathLike[str], *, clock: Clock = time.time) -> None:
        self._path = path
        self._clock = clock

    def open(self, layout: Layout) -> None:
        """Open the file, and make the first generation if there is none."""
        self._layout = layout
        self._open(self._path, layout, self._clock)

    def held(self, ids: Sequence[str]) -> dict[str, Held]:
        """Tell which of these documents are live."""
        with self._ledger.read() as tx:
            number = self._ledger.live(tx)
            found = (
                tx.execute(f"{_held(number)} WHERE id IN ({marks(len(some))})", tuple(some))
                for some in chunks(ids)
            )
            return {row[0]: Held(*row) for answer in found for row in answer}

    def every(self) -> Iterator[Held]:
        """Tell every live document, in lots."""
        last = ""
        while True:
            with self._ledger.read() as tx:
                statement = f"{_held(self._ledger.live(tx))} WHERE id > ? ORDER BY id LIMIT ?"
                lot = [Held(*row) for row in tx.execute(statement, (last, BATCH_MAX))]
            yield from lot
            if len(lot) < BATCH_MAX:
                return
            last = lot[-1].id

    def search(self, question: Question) -> list[Match]:
        """Find documents by bm25, in one snapshot."""
        words = _expression(question)
        with self._ledger.read() as tx:
            number = self._ledger.live(tx)
            statement, values = self._selection(number, question)
            found = tx.execute(statement, (words, *values)).fetchall()
            marked = self._marked(tx, number, [row for row, *_ in found], words, question)
            return [Match(name, key, score, marked[row]) for row, name, key, score in found]

    def _selection(self, number: int, question: Question) -> tuple[str, list[Any]]:
        weights = ", ".join(str(question.weights.get(name, 0.0)) for name in self._layout.columns)
        conditions = [
            f"realm IN ({marks(len(question.realms))})",
            "(expires IS NULL OR expires > ?)",
        ]
        values: list[Any] = [*question.realms, question.now]
        for test in question.tests:
            condition, tested = _tested(number, test)
            conditions.append(condition)
            values += tested
        beyond = "true"
        if question.after is not None:
            beyond = "(score, id) < (?, ?)"
            values += question.after
        return (
            f"SELECT number, id, key, score FROM (SELECT d.number, d.id, d.key, d.realm, d.expires,"
            f" -bm25(words_{number}, 0.0, {weights}) AS score FROM words_{number}"
            f" JOIN documents_{number} d ON d.number = words_{number}.rowid"
            f" WHERE words_{number} MATCH ?) WHERE {' AND '.join(conditions)} AND {beyond}"
            " ORDER BY score DESC, id DESC LIMIT ?"
        ), [*values, question.limit]

    def _marked(
        self,
        tx: Connection,
        number: int,
        found: Sequence[int],
        words: str,
        question: Question,
    ) -> dict[int, dict[str, str]]:
        """Give the parts of documents' texts where words were found."""
        snippets = ", ".join(
            f"snippet(words_{number}, {self._layout.columns.index(name) + 1}, ?, ?, '…', ?)"
            for name in question.weights
        )
        # The plus keeps FTS5 from looking up the words anew for each of the rows.
        statement = (
            f"SELECT rowid, {snippets} FROM words_{number} WHERE words_{number} MATCH ?"
            f" AND +rowid IN ({marks(len(found))})"
        )
        values = (*MARKS, SNIPPET_TOKENS) * len(question.weights)
        return {
            row: {
                name: part
                for name, part in zip(question.weights, parts, strict=True)
                if _is_marked(part)
            }
            for row, *parts in tx.execute(statement, (*values, words, *found))
        }

    def _replace(self, tx: Connection, generation: int, entries: Sequence[Entry]) -> None:
        for name, _, document in entries:
            self._remove(tx, generation, name)
            if document is not None:
                self._insert(tx, generation, document)

    def _remove(self, tx: Connection, number: int, name: str) -> None:
        find = f"SELECT number FROM documents_{number} WHERE id = ?"
        row = tx.execute(find, (name,)).fetchone()
        if row is not None:
            tx.execute(f"DELETE FROM documents_{number} WHERE number = ?", row)
            tx.execute(f"DELETE FROM words_{number} WHERE rowid = ?", row)
            tx.execute(f"DELETE FROM facets_{number} WHERE document = ?", row)

    def _insert(self, tx: Connection, number: int, document: Indexed) -> None:
        name, realm, key, texts, facets, expires = document
        tx.execute(
            f"INSERT INTO documents_{number} (id, realm, key, digest, expires)"
            " VALUES (?, ?, ?, ?, ?)",
            (name, realm, key, document.digest, expires),
        )
        (row,) = tx.execute("SELECT last_insert_rowid()").fetchone()
        columns = ", ".join(column for column, _ in texts)
        tx.execute(
            f"INSERT INTO words_{number} (rowid, realm, {columns})"
            f" VALUES (?, ?, {marks(len(texts))})",
            (row, realm, *(text for _, text in texts)),
        )
        for field, facet in facets:
            tx.execute(
                f"INSERT OR IGNORE INTO facets_{number} VALUES (?, ?, ?, ?)", (row, field, *facet)
            )

    def _create(self, tx: Connection, generation: int) -> None:
        columns = ", ".join(("realm", *self._layout.columns))
        tx.execute(
            f"CREATE TABLE documents_{generation} (number INTEGER PRIMARY KEY, id TEXT UNIQUE,"
            " realm TEXT, key TEXT, digest TEXT, expires REAL)"
        )
        tx.execute(
            f"CREATE TABLE facets_{generation} (document INTEGER, field TEXT, text TEXT,"
            " value REAL, PRIMARY KEY (document, field, text)) WITHOUT ROWID"
        )
        tx.execute(
            f"CREATE VIRTUAL TABLE words_{generation} USING fts5({columns},"
            f" tokenize = '{TOKENIZER}', prefix = '{PREFIXES}')"
        )

    def _drop_all_but(self, tx: Connection, generations: set[int]) -> None:
        there = tx.execute("SELECT name FROM sqlite_master WHERE name GLOB 'documents_[0-9]*'")
        numbers = {int(name.rpartition("_")[2]) for (name,) in there.fetchall()}
        for number in numbers - generations:
            for table in ("documents", "facets", "words"):
                tx.execute(f"DROP TABLE {table}_{number}")


def _is_marked(part: str | None) -> bool:
    return part is not None and MARKS[0] in part


def _held(number: int) -> str:
    return f"SELECT id, key, digest, expires FROM documents_{number}"


def _expression(question: Question) -> str:
    """Write a question for FTS5: realms, and in the columns searched all terms, each in quotes."""
    realms = " OR ".join(f'"{realm}"' for realm in question.realms)
    terms = " AND ".join(map(_quoted, question.terms))
    return f"realm : ({realms}) AND {{{' '.join(question.weights)}}} : ({terms})"


def _quoted(term: Term) -> str:
    quoted = term.words.replace('"', '""')
    return f'"{quoted}"*' if term.prefix else f'"{quoted}"'


def _tested(number: int, test: Test) -> tuple[str, list[Any]]:
    of_document = (
        f"EXISTS (SELECT 1 FROM facets_{number} f WHERE f.document = number AND f.field = ?"
    )
    if isinstance(test, AnyOf):
        return f"{of_document} AND f.text IN ({marks(len(test.texts))}))", [test.field, *test.texts]
    ends = [("value >= ?", test.low), ("value <= ?", test.high)]
    given = [(condition, end) for condition, end in ends if end is not None]
    conditions = "".join(f" AND f.{condition}" for condition, _ in given)
    return f"{of_document}{conditions})", [test.field, *(end for _, end in given)]
