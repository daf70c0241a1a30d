"""ExecuteTransaction: up to 100 PartiQL statements that all read or all write, together or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from singletable.engine.database import Database
from singletable.engine.keys import KeyMismatch
from singletable.engine.partiql.binding import BoundStatement, bind, check_parameters, parts
from singletable.engine.partiql.parser import parse
from singletable.engine.partiql.selects import whole_key_of
from singletable.engine.partiql.statements import Delete, Exists, Select, Update
from singletable.engine.partiql.writes import mutation
from singletable.errors import ValidationException

from .cancellation import all_or_cancelled
from .registry import Answer, Request
from .transactions import NamedMutation, Read, read_together, write_together


def execute_transaction(db: Database, request: Request) -> Answer:
    """Run all statements as of one moment, or none; EXISTS checks a condition among writes."""
    statements = request["TransactStatements"]
    reads = {isinstance(parse(each["Statement"]), Select) for each in statements}
    if len(reads) > 1:
        raise ValidationException(
            "ExecuteTransaction API does not support both read and write operations in the same "
            "request."
        )
    check_parameters(statements)
    bound = [_bind(at, each) for at, each in enumerate(statements)]
    if True in reads:
        made = (partial(_read, db, *each) for each in enumerate(bound))
        return read_together(db, request, all_or_cancelled(made, (KeyMismatch,)))
    with db.write() as writing:
        changes = _changes(db, statements, bound)
        return {"Responses": [], **write_together(writing, request, statements, changes)}


def _bind(at: int, request: Request) -> BoundStatement:
    with _located(at):
        bound = bind(request["Statement"], request.get("Parameters", ()))
        statement = bound.statement
        if isinstance(statement, (Update, Delete)) and statement.returning:
            raise ValidationException("RETURNING clause is not supported in ExecuteTransaction.")
        return bound


def _read(db: Database, at: int, bound: BoundStatement) -> Read:
    select = bound.statement
    assert isinstance(select, Select)
    table = db.table(select.source.table)
    with _located(at):
        if select.source.index:
            raise ValidationException("Reads on indices are not supported within transactions.")
        key = whole_key_of(table, bound)
        if key is None:
            raise ValidationException(
                "Select statements within ExecuteTransaction must specify the primary key in the "
                "where clause."
            )
    return Read(table, select.source.table, key, parts(select))


def _changes(
    db: Database, statements: list[Request], bound: list[BoundStatement]
) -> list[NamedMutation]:
    """Make the mutations; a write that cannot be right cancels the transaction."""

    def make(request: Request, each: BoundStatement) -> NamedMutation:
        name = each.statement.source.table
        return NamedMutation(name, mutation(db.table(name), each, request))

    made = [partial(make, *each) for each in zip(statements, bound, strict=True)]
    for at, each in enumerate(bound):
        if isinstance(each.statement, Exists):
            with suppress(KeyMismatch), _located(at):
                made[at]()
    return all_or_cancelled(made, (ValidationException,))


@contextmanager
def _located(at: int) -> Iterator[None]:
    """Say in which statement a fault is, unless it is one to cancel the transaction for."""
    try:
        yield
    except KeyMismatch:
        raise
    except ValidationException as error:
        raise ValidationException(
            f"Validation failed in TransactStatements[{at}]: {error.message}"
        ) from None
