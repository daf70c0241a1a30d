"""A fresh engine in memory, on a clock that the test turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine import Engine
from tests.engine.api_model import check_answer
from tests.engine.support import Clock


class CheckedEngine(Engine):
    """An engine whose every answer is held against AWS's model of the API."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out an operation and look at the answer's shape."""
        answer = super().call(operation, request)
        check_answer(operation, answer)
        return answer


@pytest.fixture
def clock() -> Clock:
    """Give the clock of the engine."""
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """Give an empty engine."""
    with CheckedEngine(clock=clock) as engine:
        yield engine
