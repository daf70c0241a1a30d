"""What a store raises when it gives up on a request."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import (
    InternalServerError,
    ProvisionedThroughputExceededException,
    SingletableError,
    Throttled,
    Unreachable,
)
from singletable.store.writing.whole import Putting
from tests.store.bench import Bench, Page, Plain

LOST = Unreachable("no answer")
UNSENT = Unreachable("refused", perhaps_done=False)
SLOWER = ProvisionedThroughputExceededException("too fast")
FAILED = InternalServerError("failed")


def _given_up(bench: Bench, entity: Any, *errors: SingletableError) -> SingletableError:
    """Write while every attempt fails, each with its error; give what is raised."""
    left = [*errors]

    def fail(*_: Any) -> None:
        raise left.pop(0)

    bench.before = fail
    with pytest.raises(SingletableError) as raised:
        bench.do(Putting(entity))
    assert left == []
    return raised.value


@pytest.mark.parametrize("doubtful", [LOST, FAILED])
def test_a_refusal_does_not_hide_that_an_earlier_attempt_may_have_been_run(
    bench: Bench, doubtful: SingletableError
) -> None:
    plain = Plain(name="a")
    assert _given_up(bench, plain, doubtful, UNSENT, UNSENT, SLOWER) is doubtful
    assert _given_up(bench, plain, SLOWER, doubtful, SLOWER, UNSENT) is doubtful


def test_what_was_never_run_is_told_as_the_last_attempt_ended(bench: Bench) -> None:
    plain = Plain(name="a")
    assert _given_up(bench, plain, SLOWER, SLOWER, SLOWER, UNSENT) is UNSENT
    throttled = _given_up(bench, plain, UNSENT, UNSENT, UNSENT, SLOWER)
    assert isinstance(throttled, Throttled)
    assert throttled.__cause__ is SLOWER


def test_what_cannot_be_run_twice_is_given_up_at_once(bench: Bench) -> None:
    assert _given_up(bench, Page(page_id="1"), LOST) is LOST
