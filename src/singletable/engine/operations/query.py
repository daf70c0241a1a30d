"""Query: the items of one partition key, in the order of the sort key, page by page."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.key_schemas import KeySchema
from singletable.engine.keys import check_range_sizes
from singletable.engine.ranges import Range, restricted
from singletable.engine.reading import START_INVALID, read_page, read_start_key
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException
from singletable.expressions import BoundCondition, KeyCondition, bind
from singletable.values import key_bytes, normalize_item

from .registry import Answer, Request, operation
from .selection import Source, check_select, find_source, page_answer, page_request


@operation(
    "Query",
    TableName=m.TABLE_NAME.required,
    IndexName=m.INDEX_NAME,
    Select=m.SELECT,
    AttributesToGet=m.ATTRIBUTES_TO_GET,
    Limit=m.LIMIT,
    ConsistentRead=m.BOOLEAN,
    KeyConditions=m.CONDITIONS,
    QueryFilter=m.CONDITIONS,
    ConditionalOperator=m.CONDITIONAL_OPERATOR,
    ScanIndexForward=m.BOOLEAN,
    ExclusiveStartKey=m.KEY,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    ProjectionExpression=m.STRING,
    FilterExpression=m.STRING,
    KeyConditionExpression=m.STRING,
    ExpressionAttributeNames=m.EXPRESSION_NAMES,
    ExpressionAttributeValues=m.EXPRESSION_VALUES,
)
def query(db: Database, request: Request) -> Answer:
    """Read a page of an item collection, of the table or of an index."""
    bound = bind(request, "ProjectionExpression", "FilterExpression", "KeyConditionExpression")
    check_select(request)
    if bound.key_condition is None:
        raise ValidationException(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    source = find_source(db.table(request["TableName"]), request, bound)
    wanted = key_range(source.schema, bound.key_condition, request.get("IndexName"))
    source.table.check_paths(bound)
    _check_filter(source.schema, bound.filter, request)
    start = _start(source, wanted, request)
    read = page_request(request, source, bound, wanted, start)
    return page_answer(request, read, read_page(db, read))


def key_range(schema: KeySchema, condition: KeyCondition, index: str | None = None) -> Range:
    """Give the range of rows, of the table or the index, that a key condition asks for."""
    types = dict(schema.attributes)
    wanted = condition.match(schema.hash_names, schema.range_names, types, index)
    check_range_sizes(wanted.equal, wanted.operands)
    prefix = schema.partition(dict(zip(schema.hash_names, wanted.hash, strict=True)))
    prefix += b"".join(map(key_bytes, wanted.equal))
    if wanted.operator is None:
        return Range.beginning(prefix)
    return restricted(prefix, wanted.operator, wanted.operands)


def _check_filter(schema: KeySchema, condition: BoundCondition | None, request: Request) -> None:
    """Refuse a filter on attributes that the key condition is for."""
    shown = "QueryFilter" if "QueryFilter" in request else "Filter Expression"
    for name in condition.attributes if condition else ():
        if name in schema.names:
            raise ValidationException(
                f"{shown} can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )


def _start(source: Source, wanted: Range, request: Request) -> bytes | None:
    """Give the row key to go on from, which must lie where the query looks."""
    if "ExclusiveStartKey" not in request:
        return None
    key = request["ExclusiveStartKey"]
    start = read_start_key(source.table, source.index, key)
    if start is None:
        raise ValidationException(START_INVALID)
    if start in wanted:
        return start
    # The hash and the partition key come first in both.
    partition = source.schema.partition(normalize_item(key))
    if not wanted.lower.startswith(partition):
        raise ValidationException(
            "The provided starting key is outside query boundaries based on provided conditions"
        )
    raise ValidationException("The provided starting key does not match the range key predicate")
