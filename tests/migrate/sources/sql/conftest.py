"""The databases that tests read: PostgreSQL, and SQLite for what any database does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.migrate.sources.sql import PostgresSource, SqlSource
from tests.migrate import postgres
from tests.migrate.sources.sql import databases


@pytest.fixture
def database(postgres_server: str) -> str:
    """The address of an empty database of PostgreSQL."""
    postgres.empty(postgres_server)
    return postgres_server


@pytest.fixture
def source(database: str) -> Iterator[PostgresSource]:
    """An empty database of PostgreSQL."""
    opened = PostgresSource(database)
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[databases.Prepare]:
    """A function that runs SQL on an empty database and opens it; once for each kind of them."""
    address = databases.empty_sqlite(tmp_path)
    if request.param == "postgresql":
        address = request.getfixturevalue("database")
    opened: list[SqlSource] = []

    def prepare(statements: str) -> SqlSource:
        source = SqlSource(address)
        databases.run(source, statements)
        opened.append(source)
        return source

    yield prepare
    for one in opened:
        one.close()
