"""Both drivers: answers, errors and pauses reach the program; one failure ends all beside it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

import pytest

from singletable.errors import ThrottlingException, ValidationException
from singletable.store.drivers import THREADS_MAX, arun, run
from singletable.store.steps import Call, Pause, Program, Together

R = TypeVar("R")
WHO: ContextVar[str] = ContextVar("WHO", default="nobody")


class Echo:
    """Answers with the request; fails or hangs where it is told to."""

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.heard: list[str] = []
        self.two_hang = asyncio.Event()

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer with the request, or fail."""
        self.started.append(operation)
        self.heard.append(WHO.get())
        self.threads.add(threading.get_ident())
        if operation == "Throttle":
            raise ThrottlingException("slow down")
        if operation == "Break":
            raise KeyError("a fault of the backend's")
        return request

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer with the request, or fail, or hang."""
        if operation != "Hang":
            return self.call(operation, request)
        self.started.append(operation)
        if len(self.started) == 2:
            self.two_hang.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled.append(operation)
            raise
        return request

    def close(self) -> None:
        """Close nothing."""

    async def aclose(self) -> None:
        """Close nothing."""


def drive_async(program: Program[R], backend: Echo) -> R:
    return asyncio.run(_whole(arun(program, backend)))


async def _whole(work: Coroutine[Any, Any, R]) -> R:
    return await asyncio.wait_for(work, 10)


Driver = Callable[[Program[Any], Echo], Any]
both = pytest.mark.parametrize("drive", [run, drive_async], ids=["sync", "async"])


def asking(operation: str, seen: list[str] | None = None) -> Program[Any]:
    try:
        answer = yield Call(operation, {"asked": operation})
    except BaseException as error:
        if seen is not None:
            seen.append(type(error).__name__)
        raise
    return answer


@both
def test_answers_and_pauses_reach_the_program(drive: Driver) -> None:
    def program() -> Program[Any]:
        first = yield Call("One", {"a": 1})
        yield Pause(0)
        second = yield from asking("Two")
        return first, second

    assert drive(program(), Echo()) == ({"a": 1}, {"asked": "Two"})


@both
def test_a_program_can_handle_an_error_and_go_on(drive: Driver) -> None:
    def program() -> Program[Any]:
        try:
            yield Call("Throttle", {})
        except ThrottlingException:
            return (yield from asking("Other"))

    assert drive(program(), Echo()) == {"asked": "Other"}


@both
def test_an_error_of_any_kind_is_raised_where_the_program_waits(drive: Driver) -> None:
    seen: list[str] = []
    with pytest.raises(KeyError):
        drive(asking("Break", seen), Echo())
    with pytest.raises(ThrottlingException):
        drive(asking("Throttle", seen), Echo())
    assert seen == ["KeyError", "ThrottlingException"]


@both
def test_an_error_of_the_program_itself_is_raised(drive: Driver) -> None:
    def program() -> Program[None]:
        yield Call("One", {})
        raise ValidationException("no")

    with pytest.raises(ValidationException):
        drive(program(), Echo())


@both
def test_results_of_programs_side_by_side_are_in_order(drive: Driver) -> None:
    def program() -> Program[Any]:
        return (yield Together(tuple(asking(str(at)) for at in range(40))))

    backend = Echo()
    assert drive(program(), backend) == [{"asked": str(at)} for at in range(40)]
    assert len(backend.threads) <= THREADS_MAX


@both
def test_one_failure_side_by_side_is_raised_and_can_be_handled(drive: Driver) -> None:
    def program() -> Program[Any]:
        try:
            yield Together((asking("One"), asking("Throttle"), asking("Two")))
        except ThrottlingException as error:
            return str(error)

    assert drive(program(), Echo()) == "slow down"


def test_a_failure_stops_the_tasks_beside_it_first() -> None:
    def program() -> Program[Any]:
        yield Together((asking("Hang", seen), asking("Throttle"), asking("Hang", seen)))

    seen: list[str] = []
    backend = Echo()
    with pytest.raises(ThrottlingException):
        drive_async(program(), backend)
    assert backend.cancelled == ["Hang", "Hang"]
    assert seen == ["CancelledError", "CancelledError"]


def test_cancelling_reaches_every_program() -> None:
    seen: list[str] = []

    def program() -> Program[Any]:
        yield Together((asking("Hang", seen), asking("Hang", seen)))

    async def cancel() -> None:
        task = asyncio.ensure_future(arun(program(), backend))
        await backend.two_hang.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    backend = Echo()
    asyncio.run(cancel())
    assert seen == ["CancelledError", "CancelledError"]
    assert len(backend.cancelled) == 2


@both
def test_what_is_side_by_side_sees_the_context_of_the_call(drive: Driver) -> None:
    token = WHO.set("caller")
    try:
        backend = Echo()
        drive(iter_together(), backend)
    finally:
        WHO.reset(token)
    assert backend.heard == ["caller", "caller"]


def iter_together() -> Program[Any]:
    return (yield Together((asking("One"), asking("Two"))))
