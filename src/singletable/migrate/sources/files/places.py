"""Where in files the rows with a value are: an index, made by reading the files once.

It is a temporary file of SQLite, which goes with the source: memory stays as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

Place = tuple[str, int]
"""A file's name, and the byte at which a row begins."""


class Places:
    """Finds the places of rows by a value."""

    def __init__(self, entries: Iterable[tuple[str, Place]]) -> None:
        # A copy reads in other threads than it closes in, one after the other.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        run = self._database.execute
        run("PRAGMA journal_mode = OFF")
        run("CREATE TABLE places (value TEXT, file TEXT, offset INTEGER)")
        run("BEGIN")
        self._database.executemany(
            "INSERT INTO places VALUES (?, ?, ?)",
            ((value, file, offset) for value, (file, offset) in entries),
        )
        run("CREATE INDEX by_value ON places (value)")
        run("COMMIT")

    def __del__(self) -> None:
        self.close()

    def find(self, values: Sequence[str]) -> dict[str, list[Place]]:
        """Give the places of rows with each of some values, in the order of the files."""
        find = "SELECT file, offset FROM places WHERE value = ? ORDER BY file, offset"
        return {value: self._database.execute(find, (value,)).fetchall() for value in values}

    def close(self) -> None:
        """Close and remove the index."""
        self._database.close()
