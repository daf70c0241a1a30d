"""Both sides of a migration: a SQL database with rows in it, and where they go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.migrate import Job
from tests.databases import sqlite_database

from . import postgres
from .campaigns import TABLES, ToOneTable

WHEN = "2026-01-01T00:00:00Z"
LATER = "2026-02-01T00:00:00Z"


class Old:
    """The database that is left: SQLite, so that a test has one at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with sqlite_database(path) as database:
            database.executescript(TABLES)

    def execute(self, sql: str, *values: Any) -> None:
        with sqlite_database(self.path) as database:
            database.execute(sql, values)

    def fill(self, users: int, sessions: int) -> None:
        """Write users with a campaign each, and sessions with a transcript and two summaries."""
        with sqlite_database(self.path) as database:
            for table, made in rows_of(users, sessions).items():
                marks = ", ".join("?" * len(made[0]))
                database.executemany(f"INSERT INTO {table} VALUES ({marks})", made)


def rows_of(users: int, sessions: int) -> dict[str, list[tuple[Any, ...]]]:
    """Give the rows of each table."""
    numbers = range(sessions)
    return {
        "users": [
            (f"u{n}", f"u{n}@example.com", f"User {n}", WHEN, LATER) for n in range(users)
        ],
        "campaigns": [(f"c{n}", f"u{n}", f"Campaign {n}", None, WHEN, LATER) for n in range(users)],
        "sessions": [
            (f"s{n}", f"c{n % users}", f"u{n % users}", f"Session {n}",
             f"Once upon a time, {n}. " * (1 + n % 3 * 5000 // 100),
             None, "COMPLETED", WHEN, LATER)
            for n in numbers
        ],
        "summaries": [
            (f"m{n}-{kind}", f"s{n}", f"Recap {n}", kind, WHEN, LATER)
            for n in numbers
            for kind in ("GM", "PLAYER")
        ],
    }  # fmt: skip


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    with postgres.server() as address:
        yield address


@pytest.fixture
def old(tmp_path: Path) -> Old:
    return Old(tmp_path / "old.db")


@pytest.fixture
def job(old: Old, tmp_path: Path) -> Job:
    return Job(
        migration=ToOneTable,
        source=f"sqlite:///{old.path}",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )
