"""The Kinesis destinations of a table: kept and described as the service does, never written to."""

from __future__ import annotations

from collections.abc import Callable

from singletable.engine.database import Database
from singletable.engine.schema import Document, Table
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import ValidationException

from .control import change, find_table
from .registry import Answer, Request, operation

_PRECISION = "ApproximateCreationDateTimePrecision"
_DESTINATION = {
    "TableName": m.TABLE_NAME.required,
    "StreamArn": t.KINESIS_STREAM_ARN.required,
}
_ENABLE = "EnableKinesisStreamingConfiguration"
_UPDATE = "UpdateKinesisStreamingConfiguration"


@operation(
    "EnableKinesisStreamingDestination", **_DESTINATION, **{_ENABLE: t.KINESIS_CONFIGURATION}
)
def enable_kinesis_streaming_destination(db: Database, request: Request) -> Answer:
    """Have a table stream to a Kinesis stream, which is one at a time."""

    def enabled(table: Table, _arn: str) -> Document:
        if any(_status(table, each) == "ACTIVE" for each in _destinations(table)):
            raise _wrong_state(
                "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED "
                "to perform ENABLE operation."
            )
        configuration = request.get(_ENABLE, {})
        return {_PRECISION: "MICROSECOND", **configuration, "DestinationStatus": "ACTIVE"}

    return _put(db, request, enabled, "ENABLING", _ENABLE)


@operation(
    "DisableKinesisStreamingDestination", **_DESTINATION, **{_ENABLE: t.KINESIS_CONFIGURATION}
)
def disable_kinesis_streaming_destination(db: Database, request: Request) -> Answer:
    """Stop a table's streaming to a Kinesis stream."""

    def disabled(table: Table, arn: str) -> Document:
        return {**_active(table, arn, "DISABLE"), "DestinationStatus": "DISABLED"}

    return _put(db, request, disabled, "DISABLING", _ENABLE)


@operation(
    "UpdateKinesisStreamingDestination", **_DESTINATION, **{_UPDATE: t.KINESIS_CONFIGURATION}
)
def update_kinesis_streaming_destination(db: Database, request: Request) -> Answer:
    """Change the precision of the times that a Kinesis stream is sent."""

    def updated(table: Table, arn: str) -> Document:
        return {**_active(table, arn, "UPDATE"), **request.get(_UPDATE, {})}

    return _put(db, request, updated, "UPDATING", _UPDATE)


@operation("DescribeKinesisStreamingDestination", TableName=m.TABLE_NAME.required)
def describe_kinesis_streaming_destination(db: Database, request: Request) -> Answer:
    """List the Kinesis streams that a table streams to, or did."""
    with db.storage.read() as tx:
        table = find_table(db, tx, request["TableName"])
    destinations = [{"StreamArn": arn, **entry} for arn, entry in _destinations(table).items()]
    return {"TableName": table.name, "KinesisDataStreamDestinations": destinations}


def _destinations(table: Table) -> Document:
    destinations: Document = table.document.get("KinesisDestinations", {})
    return destinations


def _status(table: Table, arn: str) -> str:
    status: str = _destinations(table).get(arn, {}).get("DestinationStatus", "DISABLED")
    return status


def _active(table: Table, arn: str, operation: str) -> Document:
    if _status(table, arn) != "ACTIVE":
        raise _wrong_state(
            f"KinesisStreamingDestination must be ACTIVE to perform {operation} operation."
        )
    entry: Document = _destinations(table)[arn]
    return entry


def _wrong_state(problem: str) -> ValidationException:
    # The service says "to enable" whatever it was asked for.
    return ValidationException(
        f"Table is not in a valid state to enable Kinesis Streaming Destination: {problem}"
    )


def _put(
    db: Database,
    request: Request,
    entry_for: Callable[[Table, str], Document],
    status: str,
    configuration: str,
) -> Answer:
    """Keep what becomes of a destination, and answer what the service says of it meanwhile."""
    arn = request["StreamArn"]
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        entries = {**_destinations(table), arn: entry_for(table, arn)}
        change(db, tx, table, KinesisDestinations=entries)
    answer = {"TableName": table.name, "StreamArn": arn, "DestinationStatus": status}
    if configuration in request:
        answer[configuration] = request[configuration]
    return answer
