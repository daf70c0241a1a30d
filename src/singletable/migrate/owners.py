"""Which row made which item, so that a second one that makes the same is refused, not lost.

It is scratch, in a file beside the rejects: what is lost with it is only that two rows which make
one item may not be told from one row that is copied again; then ``verify`` finds the difference.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

DIGEST_BYTES = 16
_TABLE = "CREATE TABLE IF NOT EXISTS owners (item BLOB PRIMARY KEY, row TEXT) WITHOUT ROWID"
_CLAIM = "INSERT OR IGNORE INTO owners VALUES (?, ?)"
_FIND = "SELECT row FROM owners WHERE item = ?"


class Owners:
    """Remembers who came first, for all processes of a run."""

    def __init__(self, path: Path) -> None:
        self._file = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = NORMAL")
        self._file.execute(_TABLE)

    def claim(self, claims: Sequence[tuple[tuple[str, ...], str]]) -> list[str]:
        """Claim items for rows, in their order; give the row that each item belongs to now."""
        digests = [(_digest(key), row) for key, row in claims]
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany(_CLAIM, digests)
        owners = [self._file.execute(_FIND, (digest,)).fetchone()[0] for digest, _ in digests]
        self._file.execute("COMMIT")
        return owners

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _digest(key: tuple[str, ...]) -> bytes:
    return blake2b("\x00".join(key).encode(), digest_size=DIGEST_BYTES).digest()
