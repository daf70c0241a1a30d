"""The Kinesis destinations of a table: kept and described as the service does, never written to."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.schema import Document, Table
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.engine.storage import Connection
from singletable.errors import ResourceInUseException, ResourceNotFoundException

from .control import change, find_table
from .registry import Answer, Request, operation

_PRECISION = "ApproximateCreationDateTimePrecision"


@operation(
    "EnableKinesisStreamingDestination",
    TableName=m.TABLE_NAME.required,
    StreamArn=t.KINESIS_STREAM_ARN.required,
    EnableKinesisStreamingConfiguration=t.KINESIS_CONFIGURATION,
)
def enable_kinesis_streaming_destination(db: Database, request: Request) -> Answer:
    """Add a Kinesis stream to a table's destinations."""
    configuration = request.get("EnableKinesisStreamingConfiguration", {})
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        if _status(table, request["StreamArn"]) == "ACTIVE":
            raise ResourceInUseException(
                f"Table is already enabled for streaming to Kinesis: {request['StreamArn']}"
            )
        entry = {_PRECISION: "MILLISECOND", **configuration, "DestinationStatus": "ACTIVE"}
        _keep(db, tx, table, request["StreamArn"], entry)
    return _answer(table, request, "ENABLING", "EnableKinesisStreamingConfiguration")


@operation(
    "DisableKinesisStreamingDestination",
    TableName=m.TABLE_NAME.required,
    StreamArn=t.KINESIS_STREAM_ARN.required,
    EnableKinesisStreamingConfiguration=t.KINESIS_CONFIGURATION,
)
def disable_kinesis_streaming_destination(db: Database, request: Request) -> Answer:
    """Stop a table's streaming to a Kinesis stream."""
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        entry = {**_active(table, request["StreamArn"]), "DestinationStatus": "DISABLED"}
        _keep(db, tx, table, request["StreamArn"], entry)
    return _answer(table, request, "DISABLING", "EnableKinesisStreamingConfiguration")


@operation(
    "UpdateKinesisStreamingDestination",
    TableName=m.TABLE_NAME.required,
    StreamArn=t.KINESIS_STREAM_ARN.required,
    UpdateKinesisStreamingConfiguration=t.KINESIS_CONFIGURATION,
)
def update_kinesis_streaming_destination(db: Database, request: Request) -> Answer:
    """Change the precision of the times that a Kinesis stream is sent."""
    configuration = request.get("UpdateKinesisStreamingConfiguration", {})
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        entry = {**_active(table, request["StreamArn"]), **configuration}
        _keep(db, tx, table, request["StreamArn"], entry)
    return _answer(table, request, "UPDATING", "UpdateKinesisStreamingConfiguration")


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


def _active(table: Table, arn: str) -> Document:
    if _status(table, arn) != "ACTIVE":
        raise ResourceNotFoundException(
            f"Requested resource not found: Table: {table.name} does not stream to {arn}"
        )
    entry: Document = _destinations(table)[arn]
    return entry


def _keep(db: Database, tx: Connection, table: Table, arn: str, entry: Document) -> None:
    change(db, tx, table, KinesisDestinations={**_destinations(table), arn: entry})


def _answer(table: Table, request: Request, status: str, configuration: str) -> Answer:
    answer = {
        "TableName": table.name,
        "StreamArn": request["StreamArn"],
        "DestinationStatus": status,
    }
    if configuration in request:
        answer[configuration] = request[configuration]
    return answer
