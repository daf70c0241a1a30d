"""ExecuteStatement: one PartiQL statement, a SELECT page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from singletable.engine.capacity import Consumed
from singletable.engine.database import Database
from singletable.engine.mutations import modify
from singletable.engine.partiql.binding import BoundStatement, bind, check_paths, columns
from singletable.engine.partiql.selects import reading
from singletable.engine.partiql.statements import Exists, Select, Statement
from singletable.engine.partiql.tokens import invalid_token, read_token, write_token
from singletable.engine.partiql.writes import mutation, returned
from singletable.engine.ranges import EVERYTHING, Range
from singletable.engine.reading import START_INVALID, Page, PageRequest, read_page, read_start_key
from singletable.errors import ValidationException
from singletable.expressions import Bound
from singletable.values import Item

from .answers import add_capacity
from .registry import Answer, Request
from .selection import Source, check_filter, find_source


def execute_statement(db: Database, request: Request) -> Answer:
    """Run a statement; what it reads or returns stands in Items."""
    bound = bind(request["Statement"], request.get("Parameters", ()))
    if isinstance(bound.statement, Select):
        return _select(db, request, bound, bound.statement)
    refuse_exists(bound.statement)
    item, consumed = write(db, request, bound)
    return add_capacity({"Items": [item] if item else []}, request, consumed)


def refuse_exists(statement: Statement) -> None:
    """Refuse EXISTS where there is no transaction."""
    if isinstance(statement, Exists):
        raise ValidationException("EXISTS can only be used in ExecuteTransaction write requests.")


def write(db: Database, request: Request, bound: BoundStatement) -> tuple[object, Consumed]:
    """Run a statement that writes; give what its RETURNING asks for, and what it consumed."""
    statement = bound.statement
    with db.write() as writing:
        table = db.table(statement.source.table)
        change = mutation(table, bound, request)
        outcome = modify(writing, change)
    consumed = Consumed(table, table.name, "Write")
    outcome.charge(consumed, change.row_key)
    return returned(statement, outcome), consumed


def _select(db: Database, request: Request, bound: BoundStatement, select: Select) -> Answer:
    text, values = request["Statement"], bound.values
    projection = columns(select)
    answered = Bound(projection=projection)
    source = _source(db, select)
    source.check_consistency(request)
    source.check_coverage(request, answered)
    check_paths(source.table, select)
    plan = reading(source.schema, select, values)
    if source.index:
        check_filter(source.index, plan.filter)
    page = PageRequest(
        table=source.table,
        index=source.index,
        range=EVERYTHING,
        forward=plan.forward,
        limit=request.get("Limit"),
        filter=plan.filter,
        projection=projection,
        whole_items=source.fetches(request, answered),
        consistent=request.get("ConsistentRead", False),
    )
    ranges: Sequence[Range] = plan.ranges
    if "NextToken" in request:
        start = _start(source, read_token(text, values, request["NextToken"]))
        page, ranges = replace(page, start=start), _from(start, ranges)
    read, consumed = _read(db, page, ranges)
    answer: Answer = {"Items": read.items}
    if read.last:
        answer["NextToken"] = write_token(text, values, read.last)
        answer["LastEvaluatedKey"] = read.last
    return add_capacity(answer, request, consumed)


def _source(db: Database, select: Select) -> Source:
    index = {"IndexName": select.source.index} if select.source.index else {}
    return find_source(db.table(select.source.table), index)


def _start(source: Source, key: Item) -> bytes:
    start = read_start_key(source.table, source.index, key)
    if start is None:
        raise ValidationException(START_INVALID)
    return start


def _from(start: bytes, ranges: Sequence[Range]) -> Sequence[Range]:
    """Give the ranges from the one on that a page ended in."""
    for at, each in enumerate(ranges):
        if start in each:
            return ranges[at:]
    raise invalid_token()


def _read(db: Database, page: PageRequest, ranges: Sequence[Range]) -> tuple[Page, Consumed]:
    """Read ranges one after the other, up to one page in all."""
    whole, consumed = Page(), Consumed(page.table, page.table.name, "Read")
    for each in ranges:
        part = replace(
            page,
            range=each,
            start=page.start if each is ranges[0] else None,
            limit=page.limit and page.limit - whole.scanned,
            room=whole.room,
        )
        read = read_page(db, part)
        whole.items += read.items
        whole.scanned += read.scanned
        whole.room = read.room
        consumed.charges += read.consumed(part, page.table.name).charges
        if read.last:
            whole.last = read.last
            break
    return whole, consumed
