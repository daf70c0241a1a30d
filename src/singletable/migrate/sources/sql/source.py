"""A database as a source of a migration."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

from sqlalchemy import Engine

from singletable.migrate.sources.source import Changed, Id, Kind, Parents, Related, Row, Span

from .installing import PATIENCE_S, install, remove
from .opening import opened, reading, writing
from .outbox import Outbox, Position
from .reading import Reader
from .reflecting import Tables, reflected
from .writing import Writer


class SqlSource:
    """Reads and writes any database that SQLAlchemy knows; one of PostgreSQL can be followed.

    A kind is a table, named with its schema where that is not the default one. The tables are
    looked at once: after a change of the schema, open another source. An engine given is not
    closed, and its new connections give what Python cannot hold as text.
    """

    def __new__(cls, address: str | Engine, **_: Any) -> Self:
        """Make a source that can be followed where the database can."""
        made = PostgresSource if _is_postgres(address) and cls is SqlSource else cls
        return super().__new__(made)  # type: ignore[return-value]  # it is a subclass

    def __init__(self, address: str | Engine) -> None:
        self._engine = opened(address)
        self._owned = not isinstance(address, Engine)
        self._tables: Tables | None = None

    @property
    def address(self) -> str:
        """Tell how to open the same database in another process, with the password."""
        return self._engine.url.render_as_string(hide_password=False)

    @property
    def tables(self) -> Tables:
        """Give the tables as SQLAlchemy sees them, with their foreign keys."""
        if self._tables is None:
            with reading(self._engine) as connection:
                self._tables = reflected(connection)
        return self._tables

    def kinds(self) -> Mapping[str, Kind]:
        """Name the tables that have a primary key; those that others refer to come first."""
        return self.tables.kinds()

    def count(self, kind: str) -> int:
        """Count rows, exactly."""
        tables = self.tables
        with reading(self._engine) as connection:
            return Reader(connection, tables).count(kind)

    def split(self, kind: str, parts: int) -> list[Span]:
        """Divide the rows of a table into spans of about the same length, at most so many."""
        tables = self.tables
        with reading(self._engine) as connection:
            return Reader(connection, tables).split(kind, parts)

    def read(
        self, kind: str, span: Span, limit: int, related: Related | None = None
    ) -> tuple[list[Row], Span | None]:
        """Read the first rows of a span, in order; give what is left of it, or None."""
        tables = self.tables
        with reading(self._engine) as connection:
            return Reader(connection, tables).page(kind, span, limit, related or {})

    def fetch(
        self, kind: str, ids: Sequence[Id], related: Related | None = None
    ) -> list[Row | None]:
        """Read rows by their keys, as they are now; None for one that is not there."""
        tables = self.tables
        with reading(self._engine) as connection:
            return Reader(connection, tables).fetch(kind, ids, related or {})

    def read_orphans(
        self, kind: str, parents: Parents, span: Span, limit: int
    ) -> tuple[list[Row], Span | None]:
        """Read the first rows of a span that no parent has, which the database finds."""
        tables = self.tables
        with reading(self._engine) as connection:
            return Reader(connection, tables).orphans(kind, parents, span, limit)

    def fetch_orphans(self, kind: str, parents: Parents, ids: Sequence[Id]) -> list[Row | None]:
        """Read rows by their keys; None for one that is not there, or that a parent has."""
        tables = self.tables
        with reading(self._engine) as connection:
            return Reader(connection, tables).fetch_orphans(kind, parents, ids)

    def put(self, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows in the place of those with their keys, all or none."""
        tables = self.tables
        with writing(self._engine) as connection:
            Writer(connection, tables).put(kind, rows)

    def delete(self, kind: str, ids: Sequence[Id]) -> None:
        """Delete rows, all or none; those that are not there are no error."""
        tables = self.tables
        with writing(self._engine) as connection:
            Writer(connection, tables).delete(kind, ids)

    def close(self) -> None:
        """Close the connections that were opened."""
        if self._owned:
            self._engine.dispose()


class PostgresSource(SqlSource):
    """A PostgreSQL database, whose changes are noted by triggers that it installs and removes.

    Installing takes the rights to create a schema and triggers, and PostgreSQL 13 or later.
    """

    def __init__(self, address: str | Engine, *, patience_s: float = PATIENCE_S) -> None:
        super().__init__(address)
        self._patience_s = patience_s

    def begin(self, kinds: Collection[str] | None = None) -> str:
        """Have changes noted from now on, of these tables or of all that have a key.

        Once begun, it gives the same position again. It waits for transactions that write to the
        tables up to ``patience_s`` in all, and makes others wait for no longer than a moment.
        """
        return str(install(self._engine, self.tables, kinds, self._patience_s))

    @property
    def lag_s(self) -> float:
        """Tell that what was committed is in the outbox."""
        return 0.0

    def changes(self, position: str, limit: int) -> tuple[list[Changed], str]:
        """Give changes after a position, and the position after them; none if there are none yet.

        A change of a key is two changes. Raises ``ChangesLost`` where some may be missing.
        """
        after, tables = Position.parse(position), self.tables
        with reading(self._engine) as connection:
            found, end = Outbox(connection, tables).changes(after, limit)
        return found, str(end)

    def backlog(self, position: str) -> int:
        """Count the changes after a position."""
        after, tables = Position.parse(position), self.tables
        with reading(self._engine) as connection:
            return Outbox(connection, tables).backlog(after)

    def end(self) -> None:
        """Have no more changes noted, and leave no trace."""
        remove(self._engine, self._patience_s)


def _is_postgres(address: str | Engine) -> bool:
    if isinstance(address, Engine):
        return address.dialect.name == "postgresql"
    return address.startswith(("postgresql:", "postgresql+", "postgres:"))
