"""The tables of a database, their columns and keys, as it tells of them itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, UniqueConstraint, inspect, text
from sqlalchemy.engine import Inspector
from sqlalchemy.exc import SAWarning

from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Kind

from .types import Native, of_sqlite

OWN_SCHEMA = "singletable"
"""Of the outbox in PostgreSQL: no part of the data."""
_NOT_DATA = {"information_schema", OWN_SCHEMA}

# A partition is read through the table it is part of.
_PARTITIONS = """
    SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relispartition
"""
_TYPES = """
    SELECT n.nspname, c.relname, a.attname,
        format_type(a.atttypid, -1),
        format_type(coalesce(nullif(t.typbasetype, 0), t.oid), -1)
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f')
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attnum > 0 AND NOT a.attisdropped AND n.nspname !~ '^pg_'
"""


@dataclass(frozen=True, slots=True)
class Tables:
    """What there is to read, and what cannot be read as it is."""

    by_kind: Mapping[str, Table]
    views: frozenset[str]

    def kinds(self) -> dict[str, Kind]:
        """Describe the tables that have a key; those that others refer to come first."""
        return {name: _kind(name, table) for name, table in self.by_kind.items() if key_of(table)}

    def uniques(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Give the columns in which no two rows of a table are alike, beside the primary keys."""
        for name, table in self.by_kind.items():
            for columns in sorted(set(_unique_columns(table))):
                yield name, columns

    def get(self, kind: str) -> Table:
        """Find a table that can be read; tell why another cannot."""
        table = self.by_kind.get(kind)
        if table is not None and key_of(table):
            return table
        if table is not None:
            raise SourceUnusable(
                f"The table {kind!r} has no primary key, so its rows cannot be told apart: "
                f"ALTER TABLE {kind} ADD PRIMARY KEY (…), in SQLite copy it into a table that has "
                "one, or leave it out"
            )
        if kind in self.views:
            raise SourceUnusable(
                f"{kind!r} is a view, which has no primary key: read the tables behind it, or "
                "make a table of it"
            )
        known = ", ".join(self.by_kind) or "none"
        raise SourceUnusable(f"There is no table {kind!r}; there are: {known}")

    def column(self, kind: str, name: str) -> Column[Any]:
        """Find a column of a table."""
        columns = self.get(kind).c
        if name not in columns:
            known = ", ".join(columns.keys())
            raise SourceUnusable(f"The table {kind!r} has no column {name!r}; it has: {known}")
        return columns[name]


def _unique_columns(table: Table) -> Iterator[tuple[str, ...]]:
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield tuple(column.name for column in constraint.columns)
    for index in table.indexes:
        told = index.dialect_options.values()
        partial = any(options.get("where") is not None for options in told)
        if index.unique and not partial and len(index.columns) == len(index.expressions):
            yield tuple(column.name for column in index.columns)


def key_of(table: Table) -> tuple[Column[Any], ...]:
    """Give the columns of the primary key, in its order; none if there is no key."""
    return tuple(table.primary_key.columns)


def reflected(connection: Connection) -> Tables:
    """Look at all tables of a database."""
    inspector, metadata = inspect(connection), MetaData()
    schemas = _schemas(inspector)
    with warnings.catch_warnings():
        # Types that SQLAlchemy does not know, and tables that refer to each other, are fine.
        warnings.simplefilter("ignore", SAWarning)
        for schema in schemas:
            metadata.reflect(connection, schema=schema, resolve_fks=False)
        ordered = metadata.sorted_tables
    _retype(connection, metadata)
    partitions = _partitions(connection)
    default = inspector.default_schema_name
    tables = {
        _name(table.name, table.schema): table
        for table in ordered
        if (table.schema or default, table.name) not in partitions
    }
    return Tables(tables, _views(inspector, schemas))


def _schemas(inspector: Inspector) -> list[str | None]:
    """Name the schemas of the data; None is the default one."""
    if inspector.dialect.name != "postgresql":
        return [None]
    default = inspector.default_schema_name
    others = [one for one in inspector.get_schema_names() if one not in {default, *_NOT_DATA}]
    return [None, *others]


def _views(inspector: Inspector, schemas: Sequence[str | None]) -> frozenset[str]:
    return frozenset(
        _name(view, schema) for schema in schemas for view in inspector.get_view_names(schema)
    )


def _name(table: str, schema: str | None) -> str:
    return f"{schema}.{table}" if schema else table


def _kind(name: str, table: Table) -> Kind:
    key = tuple(column.name for column in key_of(table))
    return Kind(name, key, tuple(table.c.keys()))


def _retype(connection: Connection, metadata: MetaData) -> None:
    if connection.dialect.name == "postgresql":
        _retype_postgres(connection, metadata)
    elif connection.dialect.name == "sqlite":
        for table in metadata.tables.values():
            for column in table.c:
                column.type = of_sqlite(
                    column.type, in_key=column.primary_key, nullable=bool(column.nullable)
                )


def _retype_postgres(connection: Connection, metadata: MetaData) -> None:
    default = connection.dialect.default_schema_name
    names = {
        (schema, table, column): (type_, base)
        for schema, table, column, type_, base in connection.execute(text(_TYPES))
    }
    for table in metadata.tables.values():
        for column in table.c:
            type_, base = names[table.schema or default, table.name, column.name]
            column.type = Native(type_, base, "NULL" if column.nullable else "null")
            column.autoincrement = False  # of types that SQLAlchemy knows; values are always given


def _partitions(connection: Connection) -> set[tuple[str, str]]:
    if connection.dialect.name != "postgresql":
        return set()
    return {(schema, name) for schema, name in connection.execute(text(_PARTITIONS))}
