"""SQLite's errors as the library's own, by SQLite's codes, whichever binding raised them."""

from __future__ import annotations

import sqlite3

from singletable.errors import (
    DatabaseCorrupt,
    DatabaseUnusable,
    InternalServerError,
    SingletableError,
)


class TableGone(SingletableError):
    """A SQLite table is missing: another process dropped the table that it belonged to."""


def database_name(path: str | None) -> str:
    """Name a database in a message."""
    return f"the database {path}" if path else "the database in memory"


class failures:  # noqa: N801 # reads as a word in ``with failures(path):``
    """Turns the binding's errors into the library's."""

    def __init__(self, path: str | None, *, opening: bool = False) -> None:
        self._name = database_name(path)
        self._opening = opening

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self.explain(error)

    def explain(self, error: BaseException) -> None:
        """Raise an error of the binding's as one of the library's; leave others alone."""
        if isinstance(error, sqlite3.Error) or type(error).__module__ == "apsw":
            raise self._translated(error) from error
        if self._opening and isinstance(error, UnicodeDecodeError):
            # The binding tried to read SQLite's message, which quotes what is damaged.
            raise self.damage(error) from error

    def damage(self, error: BaseException) -> DatabaseCorrupt:
        """Say that what was stored cannot be read any more."""
        return DatabaseCorrupt(
            f"{self._name} cannot be read ({error}): "
            "restore the file from a backup, or give another path"
        )

    def _translated(self, error: BaseException) -> SingletableError:
        text, code = str(error), primary_code(error)
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return self.damage(error)
        if self._opening:
            fix = _FIXES.get(code, "try again when its disk has room and nobody holds it")
            return DatabaseUnusable(f"{self._name} cannot be opened ({text}): {fix}")
        if "no such table" in text:
            return TableGone(text)
        return InternalServerError(f"the storage failed and nothing was written: {text}")


_FIXES = {
    sqlite3.SQLITE_CANTOPEN: "it must be a file in a folder that exists and can be written to",
    sqlite3.SQLITE_READONLY: "the file and its folder must be writable",
}


def primary_code(error: BaseException) -> int:
    """Give SQLite's code for the kind of an error, without the byte that says more."""
    code: int = getattr(error, "sqlite_errorcode", 0) or getattr(error, "result", 0)
    return code & 0xFF
