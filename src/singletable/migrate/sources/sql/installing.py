"""The outbox installed and removed, without holding up the applications for long.

Triggers are made under a lock that writers wait for. It is asked for on all tables at once and
given up after a moment, again and again, until no transaction stands in the way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from singletable.migrate.sources.errors import (
    ChangesLost,
    SourceBusy,
    SourceRefused,
    SourceUnusable,
)

from .outbox import Position, check_triggers, generation, is_installed
from .reflecting import Tables
from .triggers import NAME, SCHEMA, TABLES, followed, qualified

T = TypeVar("T")

LOCK_MS = 500
"""For how long an application may wait for us: less than PostgreSQL takes to see a deadlock."""
PATIENCE_S = 60.0
PAUSE_S = 0.5

_BUSY = {"57014", "55P03", "40P01"}  # a timeout of the statement or of a lock, a deadlock
_ALONE = "SELECT pg_advisory_xact_lock(hashtext('singletable.outbox'))"
_TAKEN = f"SELECT to_regnamespace('{SCHEMA}') IS NOT NULL"
_KINDS = f"SELECT kind FROM {SCHEMA}.followed"
_TRIGGERED = f"""
    SELECT DISTINCT t.tgrelid::regclass::text FROM pg_trigger t
    JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.pronamespace = to_regnamespace('{SCHEMA}')
    ORDER BY 1
"""

# Triggers of a table are also those of its partitions, but not of other tables below it.
_UNNOTED = f"""
    WITH RECURSIVE below AS (
        SELECT inhrelid AS child FROM pg_inherits WHERE inhparent = CAST(:name AS regclass)
        UNION ALL SELECT inhrelid FROM pg_inherits JOIN below ON inhparent = child
    )
    SELECT child::regclass::text FROM below WHERE NOT EXISTS (
        SELECT FROM pg_trigger one JOIN pg_trigger other USING (tgname, tgfoid)
        WHERE tgname = '{NAME}' AND one.tgrelid = child
            AND other.tgrelid = CAST(:name AS regclass)
    )
"""


def install(
    engine: Engine, tables: Tables, kinds: Collection[str] | None, patience_s: float
) -> Position:
    """Have tables followed, all that have a key if none are named; once begun, change nothing."""

    def work(connection: Connection) -> Position:
        if is_installed(connection):
            return _resumed(connection, kinds)
        if connection.scalars(text(_TAKEN)).one():
            raise SourceUnusable(
                f"There is a schema {SCHEMA!r} that is no outbox: rename it, or drop it"
            )
        _install(connection, tables, tables.kinds() if kinds is None else kinds)
        return Position(generation(connection))

    return _patiently(engine, "begin", work, patience_s)


def remove(engine: Engine, patience_s: float) -> None:
    """Remove all triggers, functions and notes."""

    def work(connection: Connection) -> None:
        if is_installed(connection):
            _lock(connection, connection.scalars(text(_TRIGGERED)).all(), "ACCESS EXCLUSIVE")
            _execute(connection, f"DROP SCHEMA {SCHEMA} CASCADE")

    _patiently(engine, "end", work, patience_s)


def _install(connection: Connection, tables: Tables, kinds: Collection[str]) -> None:
    chosen = {kind: tables.get(kind) for kind in kinds}
    names = [qualified(connection, table) for table in chosen.values()]
    # Whoever has written to a table has ended when we have it: all later writes are noted.
    _lock(connection, names, "SHARE ROW EXCLUSIVE")
    _execute(connection, TABLES)
    for number, (kind, table) in enumerate(chosen.items()):
        for statement in followed(connection, kind, table, number).installation():
            _execute(connection, statement)
        _must_note_all(connection, kind, qualified(connection, table))


def _must_note_all(connection: Connection, kind: str, name: str) -> None:
    """Refuse a table whose rows are partly in others, which note their changes apart, if at all."""
    child = connection.scalars(text(_UNNOTED), {"name": name}).first()
    if child is not None:
        raise SourceUnusable(
            f"Rows of the table {kind!r} are in {child}, which inherits from it, and cannot be "
            f"followed as its own: make it a partition, or ALTER TABLE {child} NO INHERIT {kind}"
        )


def _resumed(connection: Connection, kinds: Collection[str] | None) -> Position:
    check_triggers(connection)
    known = set(connection.scalars(text(_KINDS)))
    for kind in kinds or ():
        if kind not in known:
            raise ChangesLost(
                f"The table {kind!r} was not followed from the beginning: end following, and "
                "begin again with all tables"
            )
    return Position(generation(connection))


def _patiently(engine: Engine, what: str, work: Callable[[Connection], T], patience_s: float) -> T:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with engine.begin() as connection:
                _execute(connection, f"SET LOCAL lock_timeout = {LOCK_MS}")
                connection.execute(text(_ALONE))
                return work(connection)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _BUSY:
                raise SourceRefused(f"Following cannot {what}: {error.orig}") from error
            if time.monotonic() > deadline:
                raise SourceBusy(
                    f"Following cannot {what}: in {patience_s:.0f} s there was no moment at which "
                    "nobody was writing to the tables; look for a transaction that takes long in "
                    "pg_stat_activity, and try again"
                ) from error
        time.sleep(PAUSE_S)


def _lock(connection: Connection, names: Sequence[str], mode: str) -> None:
    """Lock tables, all within a moment: what waits behind us is held up for no longer."""
    if names:
        _execute(connection, f"SET LOCAL statement_timeout = {LOCK_MS}")
        _execute(connection, f"LOCK TABLE {', '.join(names)} IN {mode} MODE")
        _execute(connection, "SET LOCAL statement_timeout TO DEFAULT")


def _execute(connection: Connection, statement: str) -> None:
    """Run a statement as it is written, whatever characters the names in it have."""
    connection.exec_driver_sql(statement, execution_options={"no_parameters": True})
