"""Writers on one table, moved on request by request in any order, with faults between any two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from singletable import Engine
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import (
    InternalServerError,
    ProvisionedThroughputExceededException,
    ServiceError,
    StoreError,
    TransactionCanceledException,
    Unreachable,
    UsageError,
)
from singletable.store.context import Context
from singletable.store.creation import create_request
from singletable.store.drivers import run
from singletable.store.large.sweeping import sweep
from singletable.store.retries import Retries
from singletable.store.steps import Call, ObjectCall, Pause, Program, Together
from singletable.store.writing.committing import write
from singletable.store.writing.whole import Creating

from .audit import Ledger, State
from .design import table
from .jobs import FIRST, NOW, Job, work

FAULTS = ("unsent", "throttled", "conflict", "lost", "failed", "late", "killed")
EVENTS = ("time", "reaped")
Turn = tuple[int, str]
"""Which writer is next, and what befalls its request; or what happens to the table meanwhile."""


def flat(program: Program[Any]) -> Generator[Call | ObjectCall | Pause, Any, Any]:
    """Give the steps of a program one by one, those that it wants side by side as well."""
    try:
        step = next(program)
        while True:
            try:
                answer = (
                    (yield from _together(step)) if isinstance(step, Together) else (yield step)
                )
            except Exception as error:  # noqa: BLE001 - the program raises what it does not handle
                step = program.throw(error)
            else:
                step = program.send(answer)
    except StopIteration as end:
        return end.value


def _together(step: Together) -> Generator[Call | ObjectCall | Pause, Any, list[Any]]:
    answers: list[Any] = []
    for program in step.programs:
        answers += [(yield from flat(program))]
    return answers


@dataclass
class Running:
    """A job on its way."""

    job: Job
    stamp: str
    steps: Generator[Call | ObjectCall | Pause, Any, Any]
    step: Call | ObjectCall | Pause | None = None
    doubtful: bool = False
    """A request of it may yet arrive, or arrived unheard: nobody knows what became of it."""


@dataclass
class Table:
    """An engine in memory whose every change is checked."""

    engine: Engine = field(default_factory=Engine)
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        self.now = NOW
        self.engine.call("CreateTable", create_request(table, table.name))
        self.context = Context(
            table=table,
            table_name=table.name,
            clock=lambda: self.now,
            retries=Retries(attempts=4, random=lambda: 0.0),
        )
        for entity in FIRST:
            run(write(self.context, Creating(entity)), EmbeddedBackend(self.engine))
        self.look()

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run a request, and check the table after it."""
        answer = self.engine.call(operation, request)
        if operation != "GetItem":
            self.look()
        return answer

    def look(self) -> None:
        """Check the table as it is."""
        items = self.engine.call("Scan", {"TableName": table.name})["Items"]
        self.ledger.enter(State(items, self.now))

    def sweep(self) -> None:
        """Delete the contents that nothing points at; then there is none but what is pointed at."""
        run(sweep(self.context, timedelta(0)), EmbeddedBackend(self.engine))
        self.look()
        state = self.ledger.state
        assert state.parts() == state.pointed_at()

    def happen(self, event: str) -> None:
        """Let time pass, or the service delete an item whose time is over."""
        if event == "time":
            self.now += timedelta(minutes=20)
            self.look()
            return
        state = self.ledger.state
        for (pk, sk), item in state.items.items():
            if not state.live(item):
                key = {"PK": {"S": pk}, "SK": {"S": sk}}
                self.call("DeleteItem", {"TableName": table.name, "Key": key})
                return


class Scheduler:
    """Moves writers on, one step a turn."""

    def __init__(self, jobs: Sequence[Sequence[Job]]) -> None:
        self.table = Table()
        self.waiting = [list(queue) for queue in jobs]
        self.running: list[Running | None] = [None] * len(jobs)
        self.late: list[Call] = []
        self.outcomes: dict[str, tuple[Job, str]] = {}
        self.faults: dict[str, Callable[[Call, Running], dict[str, Any]]] = {
            "unsent": self._unsent,
            "throttled": self._throttled,
            "conflict": self._conflict,
            "lost": self._lost,
            "failed": self._failed,
            "late": self._late,
        }

    def run(self, turns: Sequence[Turn]) -> None:
        """Take these turns, and then as many more as are needed, without faults."""
        for writer, what in turns:
            if what in EVENTS:
                self.table.happen(what)
            else:
                self._move(writer, what)
        while self.late or any(self.running) or any(self.waiting):
            self._arrive()
            for writer in range(len(self.waiting)):
                self._move(writer, "")
        self._check_outcomes()
        self.table.sweep()

    def _move(self, writer: int, fault: str) -> None:
        """Move a writer on by one step: begin its next job, or carry out the step it is at."""
        running = self.running[writer]
        if running is None:
            if self.waiting[writer]:
                self._begin(writer, self.waiting[writer].pop(0))
        elif fault == "killed":
            running.steps.close()
            self._end(writer, running, "killed")
        else:
            self._step(writer, running, fault)

    def _begin(self, writer: int, job: Job) -> None:
        stamp = f"{writer}.{len(self.waiting[writer])}"
        running = Running(job, stamp, flat(work(self.table.context, job, stamp)))
        self.running[writer] = running
        self._resume(writer, running, lambda: next(running.steps))

    def _step(self, writer: int, running: Running, fault: str) -> None:
        step = running.step
        try:
            answer = None
            if isinstance(step, Call):
                answer = self.faults.get(fault, self._answered)(step, running)
        except (ServiceError, Unreachable) as error:
            problem = error
            self._resume(writer, running, lambda: running.steps.throw(problem))
        else:
            self._resume(writer, running, lambda: running.steps.send(answer))

    def _resume(self, writer: int, running: Running, resume: Callable[[], Any]) -> None:
        try:
            running.step = resume()
        except StopIteration:
            self._end(writer, running, "done")
        except (StoreError, UsageError):
            self._end(writer, running, "refused")
        except Unreachable as error:
            self._end(writer, running, "unknown" if error.perhaps_done else "refused")
        except ServiceError as error:
            self._end(writer, running, RAISED[error.code])

    def _end(self, writer: int, running: Running, outcome: str) -> None:
        self.running[writer] = None
        self.outcomes[running.stamp] = running.job, "unknown" if running.doubtful else outcome

    def _answered(self, call: Call, _: Running) -> dict[str, Any]:
        return self.table.call(call.operation, call.request)

    def _unsent(self, _: Call, __: Running) -> dict[str, Any]:
        raise Unreachable("refused", perhaps_done=False)

    def _throttled(self, _: Call, __: Running) -> dict[str, Any]:
        raise ProvisionedThroughputExceededException("too fast")

    def _conflict(self, call: Call, running: Running) -> dict[str, Any]:
        if call.operation != "TransactWriteItems":
            return self._answered(call, running)
        reasons = [{"Code": "None"} for _ in call.request["TransactItems"]]
        reasons[-1] = {"Code": "TransactionConflict", "Message": "ongoing"}
        raise TransactionCanceledException("conflict", CancellationReasons=reasons)

    def _lost(self, call: Call, running: Running) -> dict[str, Any]:
        self._answered(call, running)
        raise Unreachable("no answer")

    def _failed(self, call: Call, running: Running) -> dict[str, Any]:
        self._answered(call, running)
        raise InternalServerError("failed after it was run")

    def _late(self, call: Call, running: Running) -> dict[str, Any]:
        self.late.append(call)
        running.doubtful = True
        raise Unreachable("no answer yet")

    def _arrive(self) -> None:
        """Run the requests that were under way when their senders gave up."""
        while self.late:
            call = self.late.pop()
            try:
                self.table.call(call.operation, call.request)
            except ServiceError as error:
                if error.code not in REFUSED:
                    raise

    def _check_outcomes(self) -> None:
        """Check that what was done was done once and whole, and what was refused not at all."""
        for stamp, (job, outcome) in self.outcomes.items():
            applied = self.table.ledger.applied.get(stamp, Counter())
            whole = sum(ask.stamps for ask in job)
            times = sorted(set(applied.values()))
            told = f"{stamp} {job} was {outcome}, and done to {applied}"
            if outcome == "done":
                assert (len(applied), times) == (whole, [1] * bool(whole)), told
            elif outcome == "refused":
                assert not applied, told
            else:
                assert len(applied) in {0, whole}, told
                assert len(job) == 1 or times in ([], [1]), told  # for transactions have tokens


RAISED = {
    "InternalServerError": "unknown",
    "ProvisionedThroughputExceededException": "refused",
    "TransactionCanceledException": "refused",
}
"""What a store may raise as the service did, and what that says of the job."""
REFUSED = {
    "ConditionalCheckFailedException",
    "IdempotentParameterMismatchException",
    "TransactionCanceledException",
}
