"""SQLite databases that tests fill and look into themselves."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def sqlite_database(path: Path | str, **options: Any) -> Iterator[sqlite3.Connection]:
    """Open one, commit what the block does to it, and close it."""
    with closing(sqlite3.connect(path, **options)) as database, database:
        yield database
