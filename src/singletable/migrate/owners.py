"""Which row made which item, so that a second one that makes the same is not lost in silence.

It is scratch, in a file beside the rejects that all processes of a machine share. It has a name of
its own, which is noted with what was copied: so it is known whether a file tells of all rows, or
some were copied elsewhere, or before the file was lost. It is of one destination alone, and so are
the rejects beside it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from uuid import uuid4

import orjson

from singletable.engine.inserting import insert
from singletable.errors import UsageError

from .sources.source import Row

DIGEST_BYTES = 16
# Claims are only added, without an order: to keep a million in one, each in its place, would take
# longer than to write the items. They are put in order once, in the end.
_TABLES = """
CREATE TABLE IF NOT EXISTS claims (item BLOB, row TEXT);
CREATE TABLE IF NOT EXISTS winners (item BLOB PRIMARY KEY, row TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contested (kind TEXT, row TEXT, PRIMARY KEY (kind, row)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS about (one INTEGER PRIMARY KEY, name TEXT);
"""
_CONTESTED = """
SELECT DISTINCT claims.row FROM claims JOIN (
  SELECT item FROM claims GROUP BY item HAVING min(row) <> max(row)
) AS several ON several.item = claims.item
"""
Key = tuple[str, ...]
Claim = tuple[Key, str]
"""The key of an item, and the row that makes it."""


class Owners:
    """Remembers who makes which item, for all processes that share a folder."""

    def __init__(self, path: Path, destination: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._execute = self._file.execute
        self._execute("PRAGMA journal_mode = WAL")
        self._execute("PRAGMA synchronous = NORMAL")
        self._file.executescript(_TABLES)
        about = (uuid4().hex, destination)
        self._execute("INSERT OR IGNORE INTO about VALUES (1, ?), (2, ?)", about)
        self._is_indexed = False
        [self.name], [noted] = self._execute("SELECT name FROM about ORDER BY one")
        if noted != destination:
            self.close()
            raise UsageError(_taken(path, noted, destination))

    def claim(self, claims: Iterable[Claim]) -> None:
        """Take note of which rows make which items; to do so again does no harm."""
        rows = [(_digest(key), row) for key, row in claims]
        with self._together():
            insert(self._execute, "claims", rows)

    def begin_contest(self) -> None:
        """Find the rows that make what others make too, and forget who has won."""
        with self._together():
            self._execute("DELETE FROM winners")
            self._execute("DELETE FROM contested")
            named = [(read(row)[0], row) for (row,) in self._execute(_CONTESTED)]
            self._file.executemany("INSERT INTO contested VALUES (?, ?)", named)
            if named:
                self._execute("CREATE INDEX IF NOT EXISTS claims_of_item ON claims (item)")

    def contested(self, kind: str, after: str, limit: int) -> list[str]:
        """Give rows of a kind that make what others make too, in their order."""
        sql = "SELECT row FROM contested WHERE kind = ? AND row > ? ORDER BY row LIMIT ?"
        return [row for (row,) in self._execute(sql, (kind, after, limit))]

    def claiming(self, key: Key) -> list[str]:
        """Give the rows that were ever found to make an item."""
        if not self._is_indexed:
            self._execute("CREATE INDEX IF NOT EXISTS claims_of_item ON claims (item)")
            self._is_indexed = True
        sql = "SELECT DISTINCT row FROM claims WHERE item = ?"
        return [row for (row,) in self._execute(sql, (_digest(key),))]

    def is_claimed(self, key: Key) -> bool:
        """Tell whether some row makes an item."""
        sql = "SELECT 1 FROM claims WHERE item = ? LIMIT 1"
        return self._execute(sql, (_digest(key),)).fetchone() is not None

    def winner(self, key: Key) -> str | None:
        """Give the row that has won an item, if one has."""
        sql = "SELECT row FROM winners WHERE item = ?"
        found = self._execute(sql, (_digest(key),)).fetchone()
        return found[0] if found else None

    def win(self, keys: Iterable[Key], row: str) -> None:
        """Give items to a row."""
        won = [(_digest(key), row) for key in keys]
        self._file.executemany("INSERT OR IGNORE INTO winners VALUES (?, ?)", won)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @contextmanager
    def _together(self) -> Iterator[None]:
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._execute("ROLLBACK")
            raise
        self._execute("COMMIT")


def written(row: Row) -> str:
    """Give a row's kind and key as a text that can be read again."""
    return orjson.dumps((row.kind, *row.id)).decode()


def read(text: str) -> tuple[str, tuple[object, ...]]:
    """Read the kind and the key of a row."""
    kind, *id_ = orjson.loads(text)
    return kind, tuple(id_)


def _taken(path: Path, noted: str, destination: str) -> str:
    return (
        f"The folder {path.parent.resolve()} has the rejects of {path.stem} into {noted}, which "
        f"would be lost: give another for {destination} (--folder, or Job(folder=…)). If that was "
        f"moved here, delete {path.name}, and its rows are read once more"
    )


def _digest(key: Key) -> bytes:
    return blake2b("\x00".join(key).encode(), digest_size=DIGEST_BYTES).digest()
