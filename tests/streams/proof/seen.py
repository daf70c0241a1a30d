"""What a consumer was given, in the order in which it was given it, in a file of its own."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from singletable.streams import Change

from .design import Parcel, number_of

_TABLE = (
    "CREATE TABLE IF NOT EXISTS seen (id INTEGER PRIMARY KEY AUTOINCREMENT, worker TEXT,"
    " tenure INTEGER, shard TEXT, position TEXT, name TEXT, number INTEGER)"
)


class Sight(NamedTuple):
    """A change of a parcel that was given to a consumer by a worker."""

    worker: str
    tenure: int
    """How often the worker had taken the shard."""
    shard: str
    position: str
    name: str
    number: int

    @classmethod
    def of(cls, change: Change[Parcel], shard: str, worker: str = "", tenure: int = 0) -> Sight:
        """Tell of a change what is compared."""
        name = change.key.fields["name"]
        return cls(worker, tenure, shard, change.position, name, number_of(change))


_COLUMNS = ", ".join(Sight._fields)


class Seen:
    """The file; several processes may add to it."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, timeout=60)
        # What was written outlives a killed process without any waiting for the disk.
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(_TABLE)

    def __del__(self) -> None:
        self._connection.close()

    def add(self, sight: Sight) -> None:
        """Add what was seen."""
        self._connection.execute(f"INSERT INTO seen ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", sight)

    def has(self, count: int) -> bool:
        """Tell whether so much was seen, repeats among it."""
        (last,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM seen").fetchone()
        return bool(last >= count)

    def all(self) -> list[Sight]:
        """Give all that was seen, in order."""
        select = f"SELECT {_COLUMNS} FROM seen ORDER BY id"
        return [Sight(*row) for row in self._connection.execute(select)]
