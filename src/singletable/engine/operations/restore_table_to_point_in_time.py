"""RestoreTableToPointInTime: a new table with the rows that another had at a moment."""

from __future__ import annotations

from singletable.engine import history
from singletable.engine.database import Database
from singletable.engine.schema import Table
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import (
    InvalidRestoreTimeException,
    PointInTimeRecoveryUnavailableException,
    ValidationException,
    invalid,
)

from .continuous_backups import earliest
from .control import find_backed_up
from .registry import Answer, Request, operation
from .restoring import OVERRIDES, create_target, finish


@operation(
    "RestoreTableToPointInTime",
    SourceTableArn=m.TABLE_NAME,
    SourceTableName=t.PLAIN_TABLE_NAME,
    TargetTableName=t.PLAIN_TABLE_NAME.required,
    UseLatestRestorableTime=m.BOOLEAN,
    RestoreDateTime=t.TIMESTAMP,
    **OVERRIDES,
)
def restore_table_to_point_in_time(db: Database, request: Request) -> Answer:
    """Restore a table, as it was at a moment of the last days, into a new one."""
    source_name = request.get("SourceTableArn") or request.get("SourceTableName")
    if source_name is None:
        raise ValidationException("One of SourceTableArn or SourceTableName must be specified")
    for index in request.get("GlobalSecondaryIndexOverride", ()):
        if "WarmThroughput" in index:
            name = index["IndexName"]
            raise invalid(f"WarmThroughput is not supported by this restore for index: {name}")
    with db.change() as tx:
        source = find_backed_up(db, tx, source_name)
        moment = _moment(source, request, db.clock())
        origin = {"SourceTableArn": db.arn(source), "RestoreDateTime": moment}
        table = create_target(db, tx, source.document, request, origin)
        history.copy_rows(tx, source, table, moment)
        return finish(db, tx, table)


def _moment(source: Table, request: Request, now: float) -> float:
    """Give the moment to restore, if it is one that can be."""
    if not source.keeps_history:
        raise PointInTimeRecoveryUnavailableException(
            f"Point in time recovery is not enabled for table '{source.name}'"
        )
    if request.get("UseLatestRestorableTime"):
        if "RestoreDateTime" in request:
            raise ValidationException(
                "UseLatestRestorableTime and RestoreDateTime cannot both be specified"
            )
        return now
    if "RestoreDateTime" not in request:
        raise ValidationException(
            "One of UseLatestRestorableTime or RestoreDateTime must be specified"
        )
    moment: float = request["RestoreDateTime"]
    if not earliest(source, now) <= moment <= now:
        raise InvalidRestoreTimeException(
            "RestoreDateTime must be between EarliestRestorableDateTime "
            "and LatestRestorableDateTime"
        )
    return moment
