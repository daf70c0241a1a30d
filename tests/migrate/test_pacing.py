"""A migration is held to a pace, and says when it is, or when the table turns it away."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import cycle
from threading import Condition
from typing import Any
from unittest.mock import create_autospec

import pytest

from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import ProvisionedThroughputExceededException
from singletable.migrate import Job, running
from singletable.migrate.pacing import Pace
from singletable.migrate.progress import Progress
from singletable.migrate.sources.sql import SqlSource
from singletable.store.drivers import run as drive
from singletable.store.observing.events import RequestEvent
from singletable.store.steps import Call, Pause, Program

from .conftest import Old
from .test_running import contents, run


class Clock:
    """A time that passes while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Watched(list[Progress]):
    """What was shown of a run, of which no batch is read before it was looked at again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._shown = Condition()
        self.read = create_autospec(SqlSource.read, side_effect=self._read)
        monkeypatch.setattr(running, "LOOK_S", 0.01)
        monkeypatch.setattr(SqlSource, "read", self.read)

    def show(self, progress: Progress) -> None:
        with self._shown:
            self.append(progress)
            self._shown.notify_all()

    def _read(self, *given: Any, real: Any = SqlSource.read) -> Any:
        with self._shown:
            enough = len(self) + 2  # the next one may have been looked up before
            assert self._shown.wait_for(lambda: len(self) >= enough, timeout=60)
        return real(*given)


def consumed(units: float) -> RequestEvent:
    return RequestEvent(operation="BatchWriteItem", table="app", consumed=units, latency_s=0)


def test_who_consumes_more_than_allowed_waits_for_the_rest_of_the_time(clock: Clock) -> None:
    pace = Pace(100, clock=clock, sleep=clock.sleep)
    pace.wait()
    pace.observe(consumed(300))
    clock.now += 1
    assert pace.due_s == pytest.approx(2)
    assert pace.used_per_s == pytest.approx(100)
    pace.wait()
    assert clock.now == 103
    assert pace.due_s == 0


def test_who_consumes_less_does_not_wait(clock: Clock) -> None:
    pace = Pace(100, clock=clock, sleep=clock.sleep)
    pace.wait()
    pace.observe(consumed(30))
    clock.now += 1
    assert pace.due_s == 0
    assert pace.used_per_s == pytest.approx(30)
    pace.wait()
    assert clock.now == 101


def test_a_batch_is_of_no_more_rows_than_a_second_may_have(clock: Clock) -> None:
    pace = Pace(100, clock=clock, sleep=clock.sleep)
    pace.observe(consumed(400))
    assert pace.rows_a_second(40) == 10
    assert pace.rows_a_second(2) == 1
    pace.wait()
    assert pace.rows_a_second(40) > 1_000_000
    assert Pace().rows_a_second(40) > 1_000_000


def test_pauses_between_attempts_are_counted_and_errors_reach_the_program(clock: Clock) -> None:
    def program() -> Program[str]:
        yield Pause(0.01)
        try:
            yield Call("GetItem", {})
        except KeyError as error:
            yield Pause(0.02)
            return f"raised {error}"
        return "answered"

    class Failing:
        def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            raise KeyError(operation)

    pace = Pace(clock=clock, sleep=clock.sleep)
    backend: Any = Failing()
    assert drive(pace.watched(program()), backend) == "raised 'GetItem'"
    assert pace.backed_off_s == pytest.approx(0.03)
    pace.wait()
    assert pace.backed_off_s == 0


def test_a_run_is_held_to_its_pace_and_says_so(
    old: Old, job: Job, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.fill(users=2, sessions=110)
    seen = Watched(monkeypatch)
    # A machine that writes fewer units a second than this would not be held.
    monkeypatch.setattr(running, "Pace", partial(Pace, clock=clock, sleep=clock.sleep))
    run(replace(job, units_per_s=400), show=seen.show)
    assert clock.now > 100.5
    assert len(contents(job.destination)) > 330
    assert max(call.args[3] for call in seen.read.call_args_list) < 200
    held = [one for one in seen if one.state.startswith("throttled: ")]
    assert held, seen
    assert held[0].state.endswith(" of 400 units/s")
    assert f"State {held[0].state}" in str(held[0])
    assert held[0].as_data()["state"] == held[0].state
    assert seen[0].state == "copying"


def test_a_table_that_turns_requests_away_is_told(
    old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.fill(users=2, sessions=200)
    seen = Watched(monkeypatch)
    turns = cycle([True, *[False] * 9])
    real = EmbeddedBackend.call

    def call(self: EmbeddedBackend, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation == "BatchWriteItem" and next(turns):
            raise ProvisionedThroughputExceededException("too fast")
        return real(self, operation, request)

    monkeypatch.setattr(EmbeddedBackend, "call", call)
    # At a pace, however high, batches are sent as to any table.
    run(replace(job, units_per_s=1_000_000), show=seen.show)
    assert any("the table has turned requests away for" in one.state for one in seen)
    assert len(contents(job.destination)) > 600
