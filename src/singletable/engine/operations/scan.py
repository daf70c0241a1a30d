"""Scan: every item of a table or index, page by page, in any number of segments."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.key_schemas import HASHES
from singletable.engine.keys import no_match
from singletable.engine.ranges import EVERYTHING, Range
from singletable.engine.reading import START_INVALID, read_page, read_start_key
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException
from singletable.expressions import bind

from .registry import Answer, Request, operation
from .selection import Source, check_select, find_source, page_answer, page_request


@operation(
    "Scan",
    TableName=m.TABLE_NAME.required,
    IndexName=m.INDEX_NAME,
    AttributesToGet=m.ATTRIBUTES_TO_GET,
    Limit=m.LIMIT,
    Select=m.SELECT,
    ScanFilter=m.CONDITIONS,
    ConditionalOperator=m.CONDITIONAL_OPERATOR,
    ExclusiveStartKey=m.KEY,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    TotalSegments=m.TOTAL_SEGMENTS,
    Segment=m.SEGMENT,
    ProjectionExpression=m.STRING,
    FilterExpression=m.STRING,
    ExpressionAttributeNames=m.EXPRESSION_NAMES,
    ExpressionAttributeValues=m.EXPRESSION_VALUES,
    ConsistentRead=m.BOOLEAN,
)
def scan(db: Database, request: Request) -> Answer:
    """Read a page of all items; segments split them by the hash of the partition key."""
    bound = bind(request, "ProjectionExpression", "FilterExpression")
    check_select(request)
    segment = _segment(request)
    source = find_source(db.table(request["TableName"]), request)
    source.check_consistency(request)
    start = _start(source, segment, request)
    source.table.check_paths(bound)
    source.check_coverage(request, bound)
    read = page_request(request, source, bound, segment, start)
    return page_answer(request, read, read_page(db, read))


def _start(source: Source, segment: Range, request: Request) -> bytes | None:
    """Give the row key to go on from, which must lie in the segment."""
    if "ExclusiveStartKey" not in request:
        return None
    start = read_start_key(source.table, source.index, request["ExclusiveStartKey"])
    if start is None:
        raise ValidationException(f"{START_INVALID}: {no_match().message}")
    if start not in segment:
        raise ValidationException(
            f"{START_INVALID}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
            "correct Segment. "
            f"TotalSegments: {request['TotalSegments']} Segment: {request['Segment']}"
        )
    return start


def _segment(request: Request) -> Range:
    """Give the range of row keys that belong to the segment asked for."""
    segment, total = request.get("Segment"), request.get("TotalSegments")
    if segment is None and total is None:
        return EVERYTHING
    if total is None:
        raise ValidationException(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"
        )
    if segment is None:
        raise ValidationException(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"
        )
    if segment >= total:
        raise ValidationException(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )
    return Range(_bound(segment, total), _bound(segment + 1, total))


def _bound(segment: int, total: int) -> bytes:
    return (-(-HASHES * segment // total)).to_bytes(4, "big")
