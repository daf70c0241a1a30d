"""What a Query or Scan answers of the items it reads: Select, projections, and index coverage."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.engine.key_schemas import KeySchema
from singletable.engine.ranges import Range
from singletable.engine.reading import Page, PageRequest
from singletable.engine.schema import Index, Table
from singletable.errors import ValidationException, invalid
from singletable.expressions import Bound, BoundCondition

from .answers import add_capacity
from .registry import Answer, Request

_COUNT_PHRASE = {"COUNT": "only the Count"}


def check_select(request: Request) -> None:
    """Refuse a Select that contradicts the other parameters."""
    select = request.get("Select")
    given = [name for name in ("AttributesToGet", "ProjectionExpression") if name in request]
    if select == "SPECIFIC_ATTRIBUTES" and not given:
        raise ValidationException(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES"
        )
    if select and select != "SPECIFIC_ATTRIBUTES" and given:
        raise ValidationException(
            f"Cannot specify the {given[0]} when choosing to get "
            f"{_COUNT_PHRASE.get(select, select)}"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and "IndexName" not in request:
        raise ValidationException(
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


@dataclass(frozen=True, slots=True)
class Source:
    """What a Query or Scan reads: a table, or one of its indexes."""

    table: Table
    index: Index | None
    whole_items: bool
    """Whether attributes come from the table that the local index lacks."""

    @property
    def schema(self) -> KeySchema:
        """Give the key that is searched."""
        return self.index.schema if self.index else self.table.schema


def find_source(table: Table, request: Request, bound: Bound) -> Source:
    """Find the index that a request names and see that it can answer the request."""
    name = request.get("IndexName")
    if name is None:
        return Source(table, None, whole_items=False)
    index = table.indexes.get(name)
    if index is None:
        raise ValidationException(f"The table does not have the specified index: {name}")
    missing = index.lacking(bound.projection.attributes) if bound.projection else []
    wants_all = request.get("Select") == "ALL_ATTRIBUTES" and index.projected is not None
    if index.scope == "GSI":
        _check_global(index, request, missing, wants_all=wants_all)
    check_filter(index, bound.filter)
    from_table = index.scope == "LSI" and (wants_all or bool(missing))
    return Source(table, index, whole_items=from_table)


def _check_global(index: Index, request: Request, missing: list[str], *, wants_all: bool) -> None:
    if request.get("ConsistentRead"):
        raise ValidationException("Consistent reads are not supported on global secondary indexes")
    if wants_all:
        raise invalid(
            f"Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
            "because its projection type is not ALL"
        )
    if missing:
        raise invalid(
            f"Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )


def check_filter(index: Index, condition: BoundCondition | None) -> None:
    """Refuse a filter by attributes that the index does not have."""
    missing = index.lacking(condition.attributes) if condition else []
    if missing:
        raise invalid(
            f"Secondary index {index.name} does not project one or more filter attributes: "
            f"[{', '.join(missing)}]"
        )


def page_request(
    request: Request, source: Source, bound: Bound, rows: Range, start: bytes | None
) -> PageRequest:
    """Put together what a Query or Scan reads and answers."""
    return PageRequest(
        table=source.table,
        index=source.index,
        range=rows,
        start=start,
        forward=request.get("ScanIndexForward", True),
        limit=request.get("Limit"),
        filter=bound.filter,
        projection=bound.projection,
        whole_items=source.whole_items,
        count_only=request.get("Select") == "COUNT",
        consistent=request.get("ConsistentRead", False),
    )


def page_answer(request: Request, read: PageRequest, page: Page) -> Answer:
    """Give the answer of a Query or Scan."""
    answer: Answer = {"Count": page.count, "ScannedCount": page.scanned}
    if not read.count_only:
        answer["Items"] = page.items
    if page.last:
        answer["LastEvaluatedKey"] = page.last
    if "ReturnConsumedCapacity" in request:
        add_capacity(answer, request, page.consumed(read, request["TableName"]))
    return answer
