"""UpdateContinuousBackups, DescribeContinuousBackups: point-in-time recovery on and off.

While it is on, every change leaves behind what it replaced. The latest moment that can be restored
is now, not five minutes ago as on AWS.
"""

from __future__ import annotations

from math import ceil, floor

from singletable.engine import history
from singletable.engine.database import Database
from singletable.engine.descriptions import moment
from singletable.engine.schema import Table
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import invalid

from .control import change, find_backed_up
from .registry import Answer, Request, operation

DAYS_MAX = 35
_DAY = 86400


@operation(
    "UpdateContinuousBackups",
    TableName=m.TABLE_NAME.required,
    PointInTimeRecoverySpecification=t.POINT_IN_TIME_RECOVERY.required,
)
def update_continuous_backups(db: Database, request: Request) -> Answer:
    """Turn point-in-time recovery on or off, or change how far back it reaches."""
    specification = request["PointInTimeRecoverySpecification"]
    enabled = specification["PointInTimeRecoveryEnabled"]
    days = specification.get("RecoveryPeriodInDays")
    if days is not None and not enabled:
        raise invalid(
            "RecoveryPeriodInDays can only be specified when PointInTimeRecoveryEnabled is true"
        )
    with db.change() as tx:
        table = find_backed_up(db, tx, request["TableName"])
        kept = _reaching(table, days or DAYS_MAX, db.clock()) if enabled else None
        table = change(db, tx, table, PointInTimeRecovery=kept)
        # Without recovery nothing is kept; with it, what the period no longer reaches goes.
        history.forget(tx, table, kept["Since"] if kept else float("inf"))
    return _description(table, db.clock())


@operation("DescribeContinuousBackups", TableName=m.TABLE_NAME.required)
def describe_continuous_backups(db: Database, request: Request) -> Answer:
    """Say whether a table can be restored, and between which moments."""
    with db.storage.read() as tx:
        table = find_backed_up(db, tx, request["TableName"])
    return _description(table, db.clock())


def earliest(table: Table, now: float) -> float:
    """Give the earliest moment that the table can be restored to.

    It is a whole second, since not every client sends parts of one: that in which recovery began,
    or the first in the period.
    """
    since: float = _kept(table)["Since"]
    days: int = _kept(table)["Days"]
    return max(floor(since), ceil(now - days * _DAY))


def _reaching(table: Table, days: int, now: float) -> Answer:
    """Give the settings of a period, which a longer one later does not reach behind."""
    since = max(_kept(table).get("Since", now), now - days * _DAY)
    return {"Enabled": True, "Since": since, "Days": days}


def _kept(table: Table) -> Answer:
    settings: Answer = table.document.get("PointInTimeRecovery", {})
    return settings


def _description(table: Table, now: float) -> Answer:
    recovery: Answer = {"PointInTimeRecoveryStatus": "DISABLED"}
    if table.keeps_history:
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": _kept(table)["Days"],
            "EarliestRestorableDateTime": moment(earliest(table, now)),
            "LatestRestorableDateTime": moment(now),
        }
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": recovery,
        }
    }
