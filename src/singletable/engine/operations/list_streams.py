"""ListStreams: the streams of a table, or of all, the closed ones of the last day among them."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.engine.shards import Stream, list_streams, parse_arn
from singletable.errors import invalid

from .registry import Answer, Request, operation

LIMIT_MAX = 100


@operation(
    "ListStreams",
    "DynamoDBStreams",
    TableName=t.PLAIN_TABLE_NAME,
    Limit=m.POSITIVE,
    ExclusiveStartStreamArn=m.STREAM_ARN,
)
def list_all(db: Database, request: Request) -> Answer:
    """List streams, page by page."""
    limit = request.get("Limit", LIMIT_MAX)
    if limit > LIMIT_MAX:
        raise invalid(f"Limit cannot be greater than the maximum allowed size: {LIMIT_MAX}")
    start = ("", "")
    if "ExclusiveStartStreamArn" in request:
        names = parse_arn(request["ExclusiveStartStreamArn"])
        if names is None:
            return {"Streams": []}
        start = names
    with db.storage.read() as tx:
        found = list_streams(tx, db.clock(), request.get("TableName"), start, limit + 1)
    streams = [_summary(db, stream) for stream in found[:limit]]
    answer: Answer = {"Streams": streams}
    if len(found) > limit:
        answer["LastEvaluatedStreamArn"] = streams[-1]["StreamArn"]
    return answer


def _summary(db: Database, stream: Stream) -> Answer:
    return {
        "StreamArn": db.arn_of(stream.table_name, "stream", stream.label),
        "TableName": stream.table_name,
        "StreamLabel": stream.label,
    }
