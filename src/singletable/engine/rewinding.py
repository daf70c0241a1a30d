"""Time travel: the tables of a copy, put back to what they held at a moment.

Point-in-time recovery keeps what that takes, so it reaches as far back. Items and the records of
streams are put back; definitions, settings and backups stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from singletable.errors import UsageError
from singletable.values import loads

from . import history, streams
from .database import Database
from .images import Image
from .operations.continuous_backups import earliest
from .schema import Table
from .writing import Writing

TRACES = ("StreamSpecification", "PointInTimeRecovery")
"""Settings by which a change leaves a trace: to put an item back is no change."""


def rewind(db: Database, moment: float, now: float) -> None:
    """Put tables back to what they held at a moment; one that keeps no past, or had none, goes."""
    if moment > now:
        raise UsageError(f"{_told(moment)} is yet to come: give a moment that has passed")
    with db.write() as writing:
        tables = [db.table(name) for name in db.catalog.names(writing.tx)]
        if tables and not any(table.keeps_history for table in tables):
            raise UsageError(
                f"the table {tables[0].name} keeps no past: turn on its point-in-time recovery "
                "(update_continuous_backups), and it does from then on"
            )
        for table in tables:
            if table.keeps_history and table.document["CreationDateTime"] <= moment:
                _check_reach(table, moment, now)
                _rewind_table(writing, table, moment)
            else:
                db.catalog.delete(writing.tx, table)
                streams.follow(writing.tx, table, None, moment)
        streams.forget_later(writing.tx, moment)


def _check_reach(table: Table, moment: float, now: float) -> None:
    if moment < (first := earliest(table, now)):
        raise UsageError(
            f"the past of the table {table.name} reaches back to {_told(first)}, "
            f"and not to {_told(moment)}"
        )


def _rewind_table(writing: Writing, table: Table, moment: float) -> None:
    document = {name: value for name, value in table.document.items() if name not in TRACES}
    quiet = replace(table, document=document)
    for key, size, data in history.changes_since(writing.tx, table, moment):
        then = Image(loads(data), size) if data else None
        writing.replace(quiet, key, writing.find(quiet, key), then)
    history.forget_later(writing.tx, table, moment)


def _told(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()
