"""What a verification has seen, in a file: so that memory stays small, and processes can share it.

It is made anew by each verification, and of no use afterwards.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import orjson

from singletable.migrate.sources.source import Broken, Id, Row
from singletable.store.writing.writes import Identity

DIGEST_BYTES = 16
TIMEOUT_S = 60
SCHEMA = """
CREATE TABLE items (
    key BLOB PRIMARY KEY,
    texts TEXT NOT NULL,
    entity TEXT,
    found BLOB,  -- the digest of what is in the table; NULL where nothing is
    maker TEXT  -- the row that makes it; NULL where none does
) WITHOUT ROWID;
CREATE TABLE doubts (
    row TEXT PRIMARY KEY,
    broken INTEGER NOT NULL,
    claims TEXT NOT NULL,
    seen BLOB,
    state TEXT NOT NULL DEFAULT 'waiting'
) WITHOUT ROWID;
CREATE TABLE rejects (
    name TEXT PRIMARY KEY,
    is_met INTEGER NOT NULL DEFAULT 0  -- whether the row is still there
) WITHOUT ROWID;
"""
_FOUND = "INSERT OR REPLACE INTO items (key, texts, entity, found) VALUES (?, ?, ?, ?)"
_CLAIM = """
INSERT INTO items (key, texts, maker) VALUES (?, ?, ?)
ON CONFLICT (key) DO UPDATE SET maker = coalesce(maker, excluded.maker) RETURNING found, maker
"""
_DOUBT = """
INSERT INTO doubts (row, broken, claims) VALUES (?, ?, ?)
ON CONFLICT (row) DO UPDATE SET state = 'waiting', seen = NULL
"""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A row that has to be looked at again."""

    row: str
    """Its reference."""
    broken: bool
    claims: tuple[Identity, ...]
    """The keys that it made when it was looked at last."""
    seen: bytes | None
    """A digest of how both sides were then."""


@dataclass(frozen=True, slots=True)
class Unmade:
    """An item of the table that no row makes."""

    key: Identity
    entity: str
    found: bytes


class Scratch:
    """Keeps what was seen; a file of its own for each connection, shared by processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = sqlite3.connect(path, timeout=TIMEOUT_S, isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = OFF")  # who comes after a crash begins anew

    @classmethod
    def new(cls, path: Path) -> Scratch:
        """Make the file, in place of one that a verification left which was stopped."""
        remove(path)
        made = cls(path)
        made._file.executescript(SCHEMA)
        return made

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # Items

    def find(self, found: Iterable[tuple[Identity, str, bytes]]) -> None:
        """Note items of the table: their keys, entities and digests."""
        rows = [(_digest(key), _text(key), entity, digest) for key, entity, digest in found]
        with self._writing():
            self._file.executemany(_FOUND, rows)

    def claim(self, claims: Sequence[tuple[Identity, str]]) -> list[tuple[bytes | None, str]]:
        """Note which rows make items, in their order; give what was found, and who makes it."""
        with self._writing():
            return [
                self._file.execute(_CLAIM, (_digest(key), _text(key), row)).fetchone()
                for key, row in claims
            ]

    def release(self, claims: Iterable[tuple[Identity, str]]) -> None:
        """Note that rows do not make items any more."""
        rows = [(_digest(key), row) for key, row in claims]
        with self._writing():
            self._file.executemany(
                "UPDATE items SET maker = NULL WHERE key = ? AND maker = ?", rows
            )

    def is_unmade(self, key: Identity) -> bool:
        """Tell whether an item was found that no row is known to make."""
        query = "SELECT 1 FROM items WHERE key = ? AND maker IS NULL AND found IS NOT NULL"
        return self._file.execute(query, (_digest(key),)).fetchone() is not None

    def unmade(self, limit: int, after: Unmade | None = None) -> list[Unmade]:
        """Give items that no row makes, in the order of their digests."""
        query = (
            "SELECT texts, entity, found FROM items WHERE maker IS NULL AND found IS NOT NULL "
            "AND key > ? ORDER BY key LIMIT ?"
        )
        first = b"" if after is None else _digest(after.key)
        rows = self._file.execute(query, (first, limit)).fetchall()
        return [Unmade(_identity(texts), entity, found) for texts, entity, found in rows]

    def forget(self, items: Iterable[Unmade]) -> None:
        """Take items for gone."""
        with self._writing():
            self._file.executemany(
                "UPDATE items SET found = NULL WHERE key = ?",
                [(_digest(one.key),) for one in items],
            )

    def set_apart(self, made: Collection[str]) -> dict[str, int]:
        """Forget items of other entities than these that no row makes; count them by entity."""
        where = (
            "WHERE maker IS NULL AND found IS NOT NULL AND entity NOT IN "
            f"({', '.join('?' * len(made))})"
        )
        names = tuple(made)
        with self._writing():
            query = f"SELECT entity, count(*) FROM items {where} GROUP BY entity"
            found = dict(self._file.execute(query, names).fetchall())
            self._file.execute(f"UPDATE items SET found = NULL {where}", names)
        return found

    # Rows

    def doubt(self, doubts: Iterable[tuple[Row | Broken, Iterable[Identity]]]) -> None:
        """Note rows that have to be looked at again, with the keys that they claim."""
        rows = [
            (reference(row), isinstance(row, Broken), orjson.dumps(list(claims)).decode())
            for row, claims in doubts
        ]
        with self._writing():
            self._file.executemany(_DOUBT, rows)

    def doubts(self, state: str, limit: int, after: str = "") -> list[Doubt]:
        """Give rows that are in doubt, in the order of their references."""
        query = (
            "SELECT row, broken, claims, seen FROM doubts WHERE state = ? AND row > ? "
            "ORDER BY row LIMIT ?"
        )
        rows = self._file.execute(query, (state, after, limit)).fetchall()
        return [
            Doubt(row, bool(broken), tuple(map(tuple, orjson.loads(claims))), seen)
            for row, broken, claims, seen in rows
        ]

    def judge(self, doubt: Doubt, state: str, claims: Iterable[Identity], seen: bytes) -> None:
        """Note what came of looking at a row again."""
        with self._writing():
            self._file.execute(
                "UPDATE doubts SET state = ?, claims = ?, seen = ? WHERE row = ?",
                (state, orjson.dumps(list(claims)).decode(), seen, doubt.row),
            )

    def turn(self, old: str, new: str) -> int:
        """Put all rows in one state into another; count them."""
        with self._writing():
            query = "UPDATE doubts SET state = ?, seen = NULL WHERE state = ?"
            return self._file.execute(query, (new, old)).rowcount

    def count(self, state: str) -> int:
        """Count the rows in a state."""
        query = "SELECT count(*) FROM doubts WHERE state = ?"
        return int(self._file.execute(query, (state,)).fetchone()[0])

    # Rejects

    def refuse(self, names: Iterable[str]) -> None:
        """Note the names of rows that are among the rejects."""
        with self._writing():
            self._file.executemany(
                "INSERT OR IGNORE INTO rejects (name) VALUES (?)", ((name,) for name in names)
            )

    def is_refused(self, name: str) -> bool:
        """Tell whether a row is among the rejects."""
        query = "SELECT 1 FROM rejects WHERE name = ?"
        return self._file.execute(query, (name,)).fetchone() is not None

    def meet(self, names: Sequence[str]) -> None:
        """Note rows among the rejects that are still there to be refused."""
        if names:
            with self._writing():
                query = "UPDATE rejects SET is_met = 1 WHERE name = ?"
                self._file.executemany(query, [(name,) for name in names])

    def is_gone(self, name: str) -> bool:
        """Tell whether a row among the rejects was not met."""
        query = "SELECT 1 FROM rejects WHERE name = ? AND NOT is_met"
        return self._file.execute(query, (name,)).fetchone() is not None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")


def remove(path: Path) -> None:
    """Delete the file of a scratch."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def reference(row: Row | Broken) -> str:
    """Give the text by which a row can be fetched again."""
    return orjson.dumps([row.kind, *row.id]).decode()


def referred(reference: str) -> tuple[str, Id]:
    """Read a reference: the kind, and the id."""
    kind, *id_ = orjson.loads(reference)
    return kind, tuple(id_)


def named(reference: str) -> str:
    """Name the row of a reference for a person."""
    kind, id_ = referred(reference)
    return "/".join((kind, *map(str, id_)))


def _digest(key: Identity) -> bytes:
    return blake2b("\x00".join(key).encode(), digest_size=DIGEST_BYTES).digest()


def _text(key: Identity) -> str:
    return orjson.dumps(key).decode()


def _identity(texts: str) -> Identity:
    return tuple(orjson.loads(texts))
