"""Random tables and requests, the same on the engine and on DynamoDB Local, and all is equal.

Answers, refusals, the final contents of tables and indexes, and the records of streams are
compared. `make test` draws the same scenarios every time and checks that they are 20,000 requests
and more; `make fuzz` draws others, many more. A failure shows the smallest scenario that
hypothesis finds, as Python values.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings

from singletable.engine import Engine

from .run import run
from .scenario import THEMES, Scenario, scenarios
from .sides import Local, Sides, embedded

REQUESTS_MIN = 20_000
EXAMPLES = 135


@pytest.fixture
def sides(dynamodb_local: str) -> Iterator[Sides]:
    """An engine in memory, and DynamoDB Local with tables of this test alone."""
    with (
        closing(Engine(ttl_interval=None)) as engine,
        closing(Local(dynamodb_local, uuid.uuid4().hex)) as local,
    ):
        yield Sides(embedded(engine), local)


@pytest.mark.hypothesis
@pytest.mark.parametrize("theme", THEMES)
def test_engine_and_dynamodb_local_agree(theme: str, sides: Sides) -> None:
    count = 0

    @settings(
        max_examples=max(EXAMPLES, settings().max_examples),
        report_multiple_bugs=False,
        # A scenario is always of the same size; that its bytes may be zeros makes it small.
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
    )
    @given(scenario=scenarios(theme))
    def agree(scenario: Scenario) -> None:
        nonlocal count
        count += run(scenario, sides)

    agree()
    assert count >= REQUESTS_MIN / len(THEMES)
