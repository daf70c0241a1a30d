"""UpdateTimeToLive, DescribeTimeToLive: which attribute says when an item expires."""

from __future__ import annotations

from singletable.engine.backfill import fill_expiry
from singletable.engine.database import Database
from singletable.engine.definitions import check_names
from singletable.engine.schema import Table
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import ValidationException

from .control import change, find_table
from .registry import Answer, Request, operation


@operation(
    "UpdateTimeToLive",
    TableName=m.TABLE_NAME.required,
    TimeToLiveSpecification=t.TIME_TO_LIVE.required,
)
def update_time_to_live(db: Database, request: Request) -> Answer:
    """Turn the deletion of expired items on or off, for the items that are there as well."""
    specification = request["TimeToLiveSpecification"]
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        _check_change(table, specification)
        kept = specification if specification["Enabled"] else None
        fill_expiry(tx, change(db, tx, table, TimeToLive=kept))
    return {"TimeToLiveSpecification": specification}


def _check_change(table: Table, specification: Request) -> None:
    current = table.ttl_attribute
    if current is None:
        if not specification["Enabled"]:
            raise ValidationException("TimeToLive is already disabled")
        check_names([specification["AttributeName"]])
    elif current != specification["AttributeName"]:
        raise ValidationException(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    elif specification["Enabled"]:
        raise ValidationException("TimeToLive is already enabled")


@operation("DescribeTimeToLive", TableName=m.TABLE_NAME.required)
def describe_time_to_live(db: Database, request: Request) -> Answer:
    """Say whether expired items are deleted, and by which attribute."""
    with db.storage.read() as tx:
        table = find_table(db, tx, request["TableName"])
    return {"TimeToLiveDescription": time_to_live(table)}


def time_to_live(table: Table) -> Answer:
    """Describe a table's time to live."""
    if table.ttl_attribute is None:
        return {"TimeToLiveStatus": "DISABLED"}
    return {"TimeToLiveStatus": "ENABLED", "AttributeName": table.ttl_attribute}
