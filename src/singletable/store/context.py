"""What every program of a store is given, and the one way in which it sends a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any, Protocol

from singletable.errors import (
    IndexMissing,
    ResourceNotFoundException,
    ServiceError,
    SingletableError,
    TableMissing,
    Throttled,
    Unreachable,
    ValidationException,
)
from singletable.model.fields import now
from singletable.model.table import Table

from .large.objects import Objects
from .observing.events import OF_ITEMS, Observers, event_of, metered
from .reading.cursors import Cursors
from .retries import Retries, kind_of
from .steps import Call, Pause, Program

NO_INDEX = "The table does not have the specified index"
"""So DynamoDB says it."""
REMEDY = "store.create_table(), or connect(…, create=True)"


class Guard(Protocol):
    """Refuses requests: a scope."""

    def check(self, operation: str, request: dict[str, Any]) -> None:
        """Raise ``OutOfScope`` unless the request provably stays inside."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Holds what a store was connected with."""

    table: Table
    table_name: str
    where: str = ""
    remedy: str = REMEDY
    """What makes the table where it is missing."""
    clock: Callable[[], datetime] = now
    retries: Retries = field(default_factory=Retries)
    observers: Observers = field(default_factory=Observers)
    cursors: Cursors = field(default_factory=Cursors)
    guard: Guard | None = None
    objects: Objects | None = None

    def send(
        self, operation: str, request: dict[str, Any], pattern: str | None = None
    ) -> Program[dict[str, Any]]:
        """Send one request: within the scope, again where that may help, and observed."""
        if self.guard is not None:
            self.guard.check(operation, request)
        if self.observers:
            return self._observed(operation, metered(operation, request), pattern)
        return self._sent(operation, request, [])

    def _sent(
        self, operation: str, request: dict[str, Any], failures: list[SingletableError]
    ) -> Program[dict[str, Any]]:
        while True:
            try:
                answer: dict[str, Any] = yield Call(operation, request)
            except (ServiceError, Unreachable) as error:
                if isinstance(error, ResourceNotFoundException) and operation in OF_ITEMS:
                    raise self.no_table() from error
                if isinstance(error, ValidationException) and NO_INDEX in str(error):
                    self._refuse_missing_index(request, error)
                failures.append(error)
                if not self.retries.allows(error, len(failures), operation, request):
                    final = _final(failures)
                    raise final from final.__cause__
            else:
                return answer
            yield Pause(self.retries.delay(len(failures)))

    def no_table(self) -> TableMissing:
        """Make the error that tells of the missing table, and of what makes it."""
        return TableMissing(
            f"There is no table {self.table_name!r}{self.where}: create it with {self.remedy}"
        )

    def _refuse_missing_index(self, request: dict[str, Any], error: ServiceError) -> None:
        """Raise that the table lacks an index of the design, and what adds it, if that is so."""
        index = self.table.indexes.get(request.get("IndexName", ""))
        if index is None:
            return
        how = (
            "a local index comes with a new table alone"
            if index.local
            else 'add it with store.send("UpdateTable", …), and fill it with '
            "singletable migrate backfill (A new index, in docs/backfill.md)"
        )
        raise IndexMissing(
            f"The table {self.table_name!r}{self.where} does not have the index {index.name!r} "
            f"of the design, with the keys {', '.join(index.attributes)}: {how}"
        ) from error

    def _observed(
        self, operation: str, request: dict[str, Any], pattern: str | None
    ) -> Program[dict[str, Any]]:
        failures: list[SingletableError] = []
        started = perf_counter()
        answer: dict[str, Any] | None = None
        raised: BaseException | None = None
        try:
            answer = yield from self._sent(operation, request, failures)
        except BaseException as error:
            raised = error
            raise
        else:
            return answer
        finally:
            self.observers(
                event_of(
                    operation,
                    request,
                    answer=answer,
                    error=raised,
                    latency_s=perf_counter() - started,
                    retries=max(0, len(failures) - (raised is not None)),
                    pattern=pattern,
                )
            )


def twice(context: Context, table: Table) -> str:
    """Explain two tables of one name; nothing where the names differ."""
    if table.name != context.table.name:
        return ""
    return (
        ": two objects of one name, as when a module is loaded twice, under two names: import the "
        "entities and the store from the same module"
    )


def perhaps_done(refusal: ServiceError) -> bool:
    """Tell whether a request that was refused was sent before, and may be under way still."""
    cause = refusal.__cause__
    return isinstance(cause, Exception) and kind_of(cause) == "unknown"


def _final(failures: list[SingletableError]) -> SingletableError:
    """Give the error to raise: if an attempt may have been run, the last one's refusal hides it."""
    error = failures[-1]
    doubtful = next((each for each in failures if kind_of(each) == "unknown"), None)
    if kind_of(error) is None:
        error.__cause__ = doubtful or error.__cause__
        return error
    if doubtful is None and len(failures) > 1 and kind_of(error) == "throttled":
        throttled = Throttled(f"Still throttled after {len(failures)} attempts: {error}")
        throttled.__cause__ = error
        return throttled
    return doubtful or error
