"""Push: the mutations of clients, each in a transaction with the note that it was made.

A mutation is made if it is the next of its client, and else left: what came before is done, what
comes too early is sent again. One that can never be made is noted alone, and reported. Whatever
stops a push in between, the client sends again what was not noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from singletable.errors import (
    ConditionFailed,
    Contended,
    DatabaseCorrupt,
    DatabaseUnusable,
    NotFound,
    ObjectStoreFailed,
    ServiceError,
    TableMissing,
    Throttled,
    TransactionCancelled,
    Unreachable,
    UsageError,
    ValidationException,
)
from singletable.store.reading.programs import program
from singletable.store.steps import Pause, Program
from singletable.store.writing.committing import write
from singletable.store.writing.marking import AlreadyApplied, marked
from singletable.store.writing.transactions import Transaction

from .bookkeeping import Client, advancing, marks_of
from .protocol import CLIENT_STATE_NOT_FOUND, Answer, Mutation
from .sessions import Session

PASSING = (
    Contended,
    DatabaseCorrupt,
    DatabaseUnusable,
    MemoryError,
    ObjectStoreFailed,
    TableMissing,
    Throttled,
    Unreachable,
)
"""What is no mutation's fault: the client sends it again, later."""
RACES = (ConditionFailed, NotFound, TransactionCancelled)
"""What another writer may have caused: made again, the mutation may succeed."""
ATTEMPTS = 3


@dataclass(slots=True)
class Pushing:
    """One push: who pushes, and how far the clients are that it has met."""

    session: Session
    group: str
    lasts: dict[str, int] = field(default_factory=dict)

    def run(self, mutations: Sequence[Mutation]) -> Program[Answer]:
        """Make the mutations, in their order."""
        known = yield from self.session.find(self.group)
        for mutation in mutations:
            last = yield from self._last(mutation.client_id)
            if mutation.id > last + 1:
                return {} if last else CLIENT_STATE_NOT_FOUND
            if mutation.id <= last:
                continue
            known = known or (yield from self.session.found(self.group))
            yield from self._make(mutation)
        return {}

    def _last(self, client: str) -> Program[int]:
        if client not in self.lasts:
            books = self.session.books
            read = books.client(self.group, client)
            found: Client | None = yield from program(books.context, "first", read, None)
            self.lasts[client] = found.last if found else 0
        return self.lasts[client]

    def _make(self, mutation: Mutation) -> Program[None]:
        """Make a mutation, or note that it cannot be made."""
        try:
            failure = yield from self._attempted(mutation)
        except AlreadyApplied:
            del self.lasts[mutation.client_id]  # somebody else pushes for this client
            return
        self.lasts[mutation.client_id] = mutation.id
        if failure is not None:
            self.session.sync.failed(self.session.user, mutation, failure)

    def _attempted(self, mutation: Mutation) -> Program[Exception | None]:
        """Make a mutation; or take note of it alone, and give the reason why it never can be."""
        for attempt in range(ATTEMPTS):
            if attempt:
                yield Pause(self.session.context.retries.delay(attempt))
            try:
                yield from self._made(mutation)
            except Exception as error:
                if _passes(error):
                    raise
                failure = error
                if not isinstance(error, RACES):
                    break
            else:
                return None
        yield from self._noted(mutation)
        return failure

    def _made(self, mutation: Mutation) -> Program[None]:
        """Run the mutator, and send what it asks for together with the note."""
        session, works, token = self.session, list[Program[Any]](), uuid4().hex
        mutator = session.sync.mutators.get(mutation.name)
        if mutator is None:
            raise UsageError(f"{type(session.sync).__name__} has no mutator {mutation.name!r}")
        args = mutator.checked(mutation.args)
        with Transaction(session.context, works.append, _never, token) as tx:
            yield from mutator.call(session.sync, tx, args, session.user, session.context)
        advance = advancing(self.group, mutation.client_id, mutation.id)
        marks = marks_of(session.books, advance, session.space)
        for work in works:
            if (yield from marked(work, token, marks)):
                return
        yield from self._noted(mutation)

    def _noted(self, mutation: Mutation) -> Program[None]:
        """Take note of a mutation that writes nothing."""
        advance = advancing(self.group, mutation.client_id, mutation.id)
        try:
            yield from write(self.session.books.context, advance)
        except ConditionFailed as error:
            raise AlreadyApplied(str(error)) from error


def _passes(error: Exception) -> bool:
    """Tell whether an error is of the moment, or of the place, and not of the mutation."""
    if isinstance(error, ServiceError):
        return not isinstance(error, ValidationException)
    return isinstance(error, (AlreadyApplied, *PASSING))


async def _never(_: Program[Any]) -> None:
    """Run nothing: the transaction of a mutator is sent by the push."""
