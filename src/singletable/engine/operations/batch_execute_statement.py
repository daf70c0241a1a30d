"""BatchExecuteStatement: up to 25 PartiQL statements on one item each, every one on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from singletable.engine.capacity import Access, Bill, Consumed, read_units, write_units
from singletable.engine.database import Database
from singletable.engine.partiql.binding import BoundStatement, bind, check_parameters, parts
from singletable.engine.partiql.parser import parse
from singletable.engine.partiql.selects import whole_key_of
from singletable.engine.partiql.statements import Select
from singletable.engine.partiql.writes import mutation
from singletable.engine.schema import Table
from singletable.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ServiceError,
    ValidationException,
)

from .answers import add_capacity, project
from .execute_statement import refuse_exists, write
from .registry import Answer, Request


def batch_execute_statement(db: Database, request: Request) -> Answer:
    """Run each statement; what goes wrong with one stands in its place in Responses."""
    db.catalog.look()  # a refusal stands in the answer: it is not looked into by the caller
    entries = [_Entry(db, each) for each in request["Statements"]]
    for entry in entries:
        entry.attempt(entry.parse)
    if len({entry.reads for entry in entries if entry.is_sound}) > 1:
        raise ValidationException(
            "Read and write requests together in the same batch is not supported."
        )
    check_parameters(entry.request for entry in entries if entry.is_sound)
    for entry in entries:
        entry.attempt(entry.find)
    sound = [entry for entry in entries if entry.is_sound]
    if len({(entry.table.id, entry.key) for entry in sound}) != len(sound):
        raise ValidationException("Provided list of item keys contains duplicates")
    for entry in sound:
        entry.attempt(entry.run)
    answer = {"Responses": [entry.answer for entry in entries]}
    return add_capacity(answer, request, _bill([entry.consumed for entry in sound]))


class _Entry:
    """One statement of a batch, taken step by step: parse, find its item, run, until an error."""

    reads: bool
    bound: BoundStatement
    table: Table
    key: bytes
    consumed: Consumed

    def __init__(self, db: Database, request: Request) -> None:
        self.db, self.request = db, request
        self.answer: Answer = {}

    @property
    def is_sound(self) -> bool:
        """Tell whether nothing went wrong so far."""
        return "Error" not in self.answer

    def attempt(self, step: Callable[[], None]) -> None:
        """Take the next step, unless there was an error; keep the one there is now."""
        if self.is_sound:
            try:
                step()
            except ServiceError as error:
                self.answer["Error"] = _described(error)

    def parse(self) -> None:
        statement = parse(self.request["Statement"])
        refuse_exists(statement)
        self.reads = isinstance(statement, Select)

    def find(self) -> None:
        self.bound = bind(self.request["Statement"], self.request.get("Parameters", ()))
        self.table = self.db.table(self.bound.statement.source.table)
        if self.reads:
            key = whole_key_of(self.table, self.bound)
            if key is None:
                raise ValidationException("Only single item select is supported")
        else:
            key = mutation(self.table, self.bound, self.request).key
        self.key = self.table.schema.encode(key)
        access: Access = "Read" if self.reads else "Write"
        self.consumed = Consumed(self.table, self.table.name, access)
        self.answer["TableName"] = self.table.name

    def run(self) -> None:
        item = self._read() if self.reads else self._write()
        if item is not None:
            self.answer["Item"] = item

    def _read(self) -> object:
        select = self.bound.statement
        assert isinstance(select, Select)
        row = self.db.find(self.table, self.key)
        consistent = self.request.get("ConsistentRead", False)
        self.consumed.add(self.key, read_units(row.size if row else 0, consistent=consistent))
        return project(self.db, row, parts(select)) if row else None

    def _write(self) -> object:
        try:
            item, self.consumed = write(self.db, self.request, self.bound)
        except (ConditionalCheckFailedException, DuplicateItemException):
            # A write that its condition refuses is paid for, by the item that there is.
            row = self.db.find(self.table, self.key)
            self.consumed.add(self.key, write_units(row.size if row else 0))
            raise
        return item


def _described(error: ServiceError) -> Answer:
    """Give an error as batches do: its name cut short."""
    code = error.code.removesuffix("Exception")
    if isinstance(error, ValidationException):
        code = "ValidationError"
    return {"Code": code, "Message": error.message, **error.fields}


def _bill(consumed: Sequence[Consumed]) -> Bill:
    """Put together by table what statements consumed that all read, or all write."""
    bill = Bill(consumed[0].access if consumed else "Read")
    for each in consumed:
        bill.of(each.table, each.name).charges += each.charges
    return bill
