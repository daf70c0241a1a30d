"""Query: the items of one partition key, in the order of the sort key, page by page."""

from __future__ import annotations

from typing import NamedTuple

from singletable.engine.database import Database
from singletable.engine.key_schemas import KeySchema
from singletable.engine.keys import check_range_sizes
from singletable.engine.ranges import Range, restricted
from singletable.engine.reading import START_INVALID, read_page, read_start_key
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException
from singletable.expressions import Bound, BoundCondition, KeyCondition, KeyRange, bind
from singletable.values import after, key_bytes, normalize_item

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
    source = find_source(db.table(request["TableName"]), request)
    search = _checked(source, bound, bound.key_condition, request)
    start = _start(search, request)
    _check_filter(source.schema, bound.filter, request)
    source.check_coverage(request, bound)
    read = page_request(request, source, bound, search.rows, start)
    page = read_page(db, read)
    if page.last and search.ends_with(source.table.schema.encode(page.last)):
        page.last = None
    return page_answer(request, read, page)


class _Search(NamedTuple):
    """Where a query looks, and in which direction."""

    source: Source
    sought: KeyRange
    rows: Range
    forward: bool

    def ends_with(self, row_key: bytes) -> bool:
        """Tell whether the condition itself says that no row of the table can follow on this one.

        So it is with the end that <=, >= or BETWEEN names, and where the key has no sort key.
        Behind an entry of an index there may be others with the same key. Observed: = says nothing.
        """
        if self.source.index or self.sought.equal:
            return False
        return after(row_key) == self.rows.upper if self.forward else row_key == self.rows.lower


def _checked(source: Source, bound: Bound, condition: KeyCondition, request: Request) -> _Search:
    """Check a query against its table in the order that was observed; give where it looks."""
    condition.check_form()
    source.table.check_paths(bound)
    source.check_consistency(request)
    return _search(source, condition, request)


def _search(source: Source, condition: KeyCondition, request: Request) -> _Search:
    """Give the rows, of the table or the index, that a key condition asks for."""
    schema = source.schema
    types = dict(schema.attributes)
    sought = condition.match(schema.hash_names, schema.range_names, types, request.get("IndexName"))
    check_range_sizes(sought.equal, sought.operands)
    prefix = schema.partition(dict(zip(schema.hash_names, sought.hash, strict=True)))
    prefix += b"".join(map(key_bytes, sought.equal))
    if sought.operator is None:
        rows = Range.beginning(prefix)
    else:
        rows = restricted(prefix, sought.operator, sought.operands)
    return _Search(source, sought, rows, request.get("ScanIndexForward", True))


def _check_filter(schema: KeySchema, condition: BoundCondition | None, request: Request) -> None:
    """Refuse a filter on attributes that the key condition is for."""
    shown = "QueryFilter" if "QueryFilter" in request else "Filter Expression"
    filtered = condition.attributes if condition else ()
    for name in schema.names:
        if name in filtered:
            raise ValidationException(
                f"{shown} can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )


def _start(search: _Search, request: Request) -> bytes | None:
    """Give the row key to go on from, which must lie where the query looks, before its end."""
    if "ExclusiveStartKey" not in request:
        return None
    source, key = search.source, request["ExclusiveStartKey"]
    start = read_start_key(source.table, source.index, key)
    if start is None:
        raise ValidationException(START_INVALID)
    # Observed: where there is but one item, to go on from it is no fault.
    is_end = search.sought.operator and search.ends_with(start)
    if start in search.rows and not is_end:
        return start
    # The hash and the partition key come first in both.
    partition = source.schema.partition(normalize_item(key))
    if not search.rows.lower.startswith(partition):
        raise ValidationException(
            "The provided starting key is outside query boundaries based on provided conditions"
        )
    raise ValidationException("The provided starting key does not match the range key predicate")
