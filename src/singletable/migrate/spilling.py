"""Dictionaries that take no more memory however much is in them: the rest is in a file.

For what is counted over a whole table. Keys are texts, or tuples of such; values are anything.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterator, MutableMapping
from io import BytesIO
from typing import Any, TypeVar

import orjson

from singletable.model.schema import Schema

K = TypeVar("K")
V = TypeVar("V")

IN_MEMORY = 10_000


class Scratch:
    """A file for some dictionaries, without a name: it is gone when it is closed."""

    def __init__(self) -> None:
        self.file = sqlite3.connect("", isolation_level=None)
        self._schemas: dict[int, Schema] = {}
        self._count = 0

    def mapping(self) -> Spilled[Any, Any]:
        """Make a dictionary."""
        self._count += 1
        return Spilled(self, f"mapping_{self._count}")

    def dumps(self, value: Any) -> bytes:
        """Write a value; of a schema, only which it is."""
        out = BytesIO()
        _Pickler(out, self._schemas).dump(value)
        return out.getvalue()

    def loads(self, data: bytes) -> Any:
        """Read a value that was written here."""
        return _Unpickler(BytesIO(data), self._schemas).load()

    def close(self) -> None:
        """Close the file, and be rid of it."""
        self.file.close()


class _Pickler(pickle.Pickler):
    def __init__(self, out: BytesIO, schemas: dict[int, Schema]) -> None:
        super().__init__(out, pickle.HIGHEST_PROTOCOL)
        self._schemas = schemas

    def persistent_id(self, value: Any) -> int | None:
        if not isinstance(value, Schema):
            return None
        self._schemas[id(value)] = value
        return id(value)


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: BytesIO, schemas: dict[int, Schema]) -> None:
        super().__init__(data)
        self._schemas = schemas

    def persistent_load(self, number: int) -> Schema:
        return self._schemas[number]


class Spilled(MutableMapping[K, V]):
    """A dictionary that keeps in memory what was set last."""

    def __init__(self, scratch: Scratch, table: str) -> None:
        self._scratch = scratch
        self._execute = scratch.file.execute
        self._table = table
        self._recent: dict[K, V] = {}
        self._execute(f"CREATE TABLE {table} (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

    def __getitem__(self, key: K) -> V:
        if key in self._recent:
            return self._recent[key]
        sql = f"SELECT value FROM {self._table} WHERE key = ?"
        found = self._execute(sql, (orjson.dumps(key),)).fetchone()
        if found is None:
            raise KeyError(key)
        value: V = self._scratch.loads(found[0])
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._recent[key] = value
        if len(self._recent) > IN_MEMORY:
            self._spill()

    def __delitem__(self, key: K) -> None:
        self[key]
        self._recent.pop(key, None)
        self._execute(f"DELETE FROM {self._table} WHERE key = ?", (orjson.dumps(key),))

    def __iter__(self) -> Iterator[K]:
        self._spill()
        for (key,) in self._execute(f"SELECT key FROM {self._table} ORDER BY key"):
            yield _tuples(orjson.loads(key))

    def __len__(self) -> int:
        self._spill()
        count: int = self._execute(f"SELECT count(*) FROM {self._table}").fetchone()[0]
        return count

    def _spill(self) -> None:
        rows = ((orjson.dumps(key), self._scratch.dumps(one)) for key, one in self._recent.items())
        self._execute("BEGIN")
        self._scratch.file.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", rows)
        self._execute("COMMIT")
        self._recent.clear()


def _tuples(key: Any) -> Any:
    return tuple(map(_tuples, key)) if isinstance(key, list) else key
