"""SQL databases: read in spans of their keys, followed by an outbox, written to for a revert."""

from singletable.errors import UsageError

try:
    import sqlalchemy as _  # noqa: F401 - that it is there, before the modules that need it
except ModuleNotFoundError as error:
    raise UsageError(
        "SQL databases need SQLAlchemy, PostgreSQL psycopg too: pip install 'singletable[sql]'"
    ) from error

from .source import PostgresSource, SqlSource

__all__ = ["PostgresSource", "SqlSource"]
