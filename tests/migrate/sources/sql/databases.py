"""What the tests of SQL sources do to databases."""

from collections.abc import Callable
from pathlib import Path

from singletable.migrate.sources.source import Related, Row, Span
from singletable.migrate.sources.sql import SqlSource

Prepare = Callable[[str], SqlSource]

PARTITIONED = """
    CREATE TABLE events (id int, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
    CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
    CREATE TABLE events_2 PARTITION OF events FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
    INSERT INTO events SELECT n, date '2024-01-01' + (n % 2) * 31 FROM generate_series(1, 20) n
"""


def empty_sqlite(folder: Path) -> str:
    """Make an empty database of SQLite; give its address."""
    file = folder / "source.db"
    file.touch()
    return f"sqlite:///{file}"


def run(source: SqlSource, statements: str) -> None:
    """Run statements, divided by semicolons, in one transaction."""
    with source._engine.begin() as connection:
        for statement in statements.split(";"):
            if statement.strip():
                connection.exec_driver_sql(statement.replace("%", "%%"))


def read_all(
    source: SqlSource, kind: str, span: Span, limit: int = 7, related: Related | None = None
) -> list[Row]:
    """Read a span to its end, page by page."""
    rows: list[Row] = []
    rest: Span | None = span
    while rest is not None:
        page, rest = source.read(kind, rest, limit, related)
        assert len(page) <= limit
        rows += page
    return rows
