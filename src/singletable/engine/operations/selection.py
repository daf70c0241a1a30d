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

    @property
    def schema(self) -> KeySchema:
        """Give the key that is searched."""
        return self.index.schema if self.index else self.table.schema

    def check_consistency(self, request: Request) -> None:
        """Refuse a consistent read of a global index."""
        if self.index and self.index.scope == "GSI" and request.get("ConsistentRead"):
            raise ValidationException(
                "Consistent reads are not supported on global secondary indexes"
            )

    def check_coverage(self, request: Request, bound: Bound) -> None:
        """See that an index has the attributes of the filter, and a global one all to answer."""
        if self.index is None:
            return
        check_filter(self.index, bound.filter)
        if self.index.scope == "GSI":
            _check_global(self.index, request, bound)

    def fetches(self, request: Request, bound: Bound) -> bool:
        """Tell whether attributes come from the table that the local index lacks."""
        if self.index is None or self.index.scope == "GSI":
            return False
        return _wants_all(self.index, request) or bool(_lacking(self.index, bound))


def find_source(table: Table, request: Request) -> Source:
    """Find the table, or the index of it that a request names."""
    name = request.get("IndexName")
    if name is None:
        return Source(table, None)
    index = table.indexes.get(name)
    if index is None:
        raise ValidationException(f"The table does not have the specified index: {name}")
    return Source(table, index)


def _check_global(index: Index, request: Request, bound: Bound) -> None:
    if _wants_all(index, request):
        raise invalid(
            f"Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
            "because its projection type is not ALL"
        )
    missing = _lacking(index, bound)
    if missing:
        raise invalid(
            f"Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )


def _wants_all(index: Index, request: Request) -> bool:
    return request.get("Select") == "ALL_ATTRIBUTES" and index.projected is not None


def _lacking(index: Index, bound: Bound) -> list[str]:
    return index.lacking(bound.projection.attributes) if bound.projection else []


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
        whole_items=source.fetches(request, bound),
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
