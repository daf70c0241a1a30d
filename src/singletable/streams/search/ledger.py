"""The ledger of an index in SQLite: which change was applied last to each document.

Beside it stand the generations of documents, so that what is live, what is being built and what
was applied change in one transaction. A document that is gone leaves a mark for two days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike, fspath
from typing import Any

from singletable.engine.connections import Connection
from singletable.engine.storage import Storage

from .documents import Layout
from .keeping import FORGET_S, Clock, Entry, NotRebuilt, chunks, is_newer, made_otherwise

MARK = int.from_bytes(b"sngs", "big")
"""Marks a file as that of an index."""
LIVE, BUILDING = "live", "building"

TABLES = """
CREATE TABLE IF NOT EXISTS ledger (id TEXT PRIMARY KEY, place TEXT, generation INTEGER, gone REAL)
  WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS gone ON ledger (gone) WHERE gone IS NOT NULL;
CREATE TABLE IF NOT EXISTS generations (number INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT,
  layout TEXT)
"""
_NOTE = (
    "INSERT INTO ledger VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET place = excluded.place,"
    " generation = excluded.generation, gone = excluded.gone"
)


class Ledger:
    """Keeps, in a file or in memory, what was applied and which generations there are."""

    def __init__(self, path: str | PathLike[str], layout: Layout, clock: Clock) -> None:
        name = fspath(path)
        self.storage = Storage(None if name == ":memory:" else name, mark=MARK)
        self._name = name
        self._layout = layout
        self._clock = clock
        with self.write() as tx:
            for table in TABLES.split(";"):
                tx.execute(table)

    def write(self) -> AbstractContextManager[Connection]:
        """Give a transaction that is committed whole, or not at all."""
        return self.storage.write()

    def read(self) -> AbstractContextManager[Connection]:
        """Give a snapshot."""
        return self.storage.read()

    def found(self, tx: Connection) -> int | None:
        """Make the first generation live, and give its number; None where there is one."""
        if tx.execute("SELECT 1 FROM generations").fetchone():
            return None
        return self._add(tx, LIVE)

    def live(self, tx: Connection) -> int:
        """Give the generation that is searched; refuse one that is made for other documents."""
        numbers = self._numbers(tx, LIVE)
        if not numbers:
            raise made_otherwise(self._name)
        return numbers[0]

    def current(self, tx: Connection) -> list[int]:
        """Give the generations that changes are applied to.

        Where one is made for other documents, changes wait: who made it could not know of them.
        """
        found = tx.execute("SELECT number, layout FROM generations").fetchall()
        if any(layout != self._layout.signature for _, layout in found):
            raise made_otherwise(self._name)
        return [number for number, _ in found]

    def newer(self, tx: Connection, entries: Sequence[Entry]) -> list[Entry]:
        """Leave out what was applied already, or came too late."""
        places = self.places(tx, [entry.id for entry in entries])
        return [entry for entry in entries if is_newer(entry.place, places.get(entry.id))]

    def note(self, tx: Connection, entries: Sequence[Entry]) -> None:
        """Remember what was applied, and forget what has been gone for long."""
        (latest,) = tx.execute("SELECT max(number) FROM generations").fetchone()
        now = self._clock()
        for entry in entries:
            gone = None if entry.document else now
            tx.execute(_NOTE, (entry.id, entry.place, latest, gone))
        tx.execute("DELETE FROM ledger WHERE gone < ?", (now - FORGET_S,))

    def places(self, tx: Connection, ids: Sequence[str]) -> Mapping[str, str]:
        """Tell for documents the place of the last change that was applied."""
        return dict(self._look_up(tx, "id, place", ids))

    def touched(self, tx: Connection, ids: Sequence[str], generation: int) -> set[str]:
        """Name the documents to which a change was applied since a generation began."""
        found = self._look_up(tx, "id, generation", ids)
        return {name for name, latest in found if latest >= generation}

    def begin(self, tx: Connection) -> int:
        """Begin a generation, in place of one that was left half made; give its number."""
        tx.execute("DELETE FROM generations WHERE state = ?", (BUILDING,))
        return self._add(tx, BUILDING)

    def check(self, tx: Connection, generation: int) -> None:
        """Raise unless a generation is the one that is being built."""
        if generation not in self._numbers(tx, BUILDING):
            raise NotRebuilt("Another rebuild of the index has begun: this one ends here")

    def finish(self, tx: Connection, generation: int) -> None:
        """Make a generation the live one."""
        self.check(tx, generation)
        tx.execute("DELETE FROM generations WHERE state = ?", (LIVE,))
        tx.execute("UPDATE generations SET state = ? WHERE number = ?", (LIVE, generation))

    def generations(self, tx: Connection) -> set[int]:
        """Name all generations there are, for whatever documents."""
        return {number for (number,) in tx.execute("SELECT number FROM generations")}

    def close(self) -> None:
        """Close the file."""
        self.storage.close()

    def _add(self, tx: Connection, state: str) -> int:
        values = (state, self._layout.signature)
        tx.execute("INSERT INTO generations (state, layout) VALUES (?, ?)", values)
        return int(tx.execute("SELECT last_insert_rowid()").fetchone()[0])

    def _numbers(self, tx: Connection, state: str) -> list[int]:
        found = tx.execute(
            "SELECT number FROM generations WHERE state = ? AND layout = ?",
            (state, self._layout.signature),
        )
        return [number for (number,) in found]

    def _look_up(self, tx: Connection, columns: str, ids: Sequence[str]) -> list[tuple[str, Any]]:
        return [
            row
            for some in chunks(ids)
            for row in tx.execute(
                f"SELECT {columns} FROM ledger WHERE id IN ({marks(len(some))})", tuple(some)
            )
        ]


def marks(count: int) -> str:
    """Give as many placeholders."""
    return ", ".join("?" * count)
