"""The comparison itself: two engines agree, and one that is tampered with is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from singletable.engine import Engine

from .dice import Dice
from .outcome import Outcome, Request, Step
from .run import run
from .scenario import Scenario
from .sides import Side, Sides, embedded
from .steps import plain_put
from .tables import Index, Table

TABLE = Table(
    name="first",
    keys=("pk", "sk"),
    kinds={"pk": "S", "sk": "N", "i": "S"},
    indexes=(Index("index0", "Local", ("pk",), ("i",), {"ProjectionType": "KEYS_ONLY"}),),
    view="NEW_AND_OLD_IMAGES",
)
READS = (
    Step("Scan", {"TableName": "first", "TotalSegments": 2, "Limit": 3}),
    Step(
        "Query",
        {
            "TableName": "first",
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": "a"}},
        },
    ),
    Step("GetItem", {"TableName": "first", "Key": {"pk": {"S": "a"}}}),
    Step(
        "BatchExecuteStatement",
        {"Statements": [{"Statement": 'SELECT * FROM "first" WHERE pk = ?'}]},
    ),
)
Tamper = Callable[[str, Outcome], None]


@pytest.fixture
def engines() -> Iterator[tuple[Engine, Engine]]:
    """Two empty engines."""
    with closing(Engine(ttl_interval=None)) as one, closing(Engine(ttl_interval=None)) as other:
        yield one, other


@pytest.fixture
def scenario() -> Scenario:
    """Twenty items and some requests that read them; the last two are refused."""
    dice = Dice(bytes(number * number // 7 % 256 for number in range(2000)))
    return Scenario((TABLE,), (*(plain_put(dice, (TABLE,)) for _ in range(20)), *READS))


def test_two_engines_agree(engines: tuple[Engine, Engine], scenario: Scenario) -> None:
    one, other = engines
    assert run(scenario, Sides(embedded(one), embedded(other))) == len(scenario.steps)


def _lose_an_item(operation: str, outcome: Outcome) -> None:
    if operation == "Scan" and outcome.answer["Items"]:
        outcome.answer["Items"].pop()


def _turn_around(operation: str, outcome: Outcome) -> None:
    if operation == "Query":
        outcome.answer["Items"].reverse()


def _change_a_record(operation: str, outcome: Outcome) -> None:
    if operation == "GetRecords":
        outcome.answer["Records"][0]["eventName"] = "MODIFY"


def _change_a_response(operation: str, outcome: Outcome) -> None:
    if operation == "BatchExecuteStatement":
        outcome.answer["Responses"][0]["Error"]["Message"] = "no"


def _say_it_otherwise(operation: str, outcome: Outcome) -> None:
    if outcome.failed:
        object.__setattr__(outcome, "message", "no")


@pytest.mark.parametrize(
    "tamper",
    [_lose_an_item, _turn_around, _change_a_record, _change_a_response, _say_it_otherwise],
)
def test_a_difference_is_found(
    engines: tuple[Engine, Engine], scenario: Scenario, tamper: Tamper
) -> None:
    one, other = engines
    with pytest.raises(AssertionError):
        run(scenario, Sides(embedded(one), _tampered(embedded(other), tamper)))


def _tampered(side: Side, tamper: Tamper) -> Side:
    def call(operation: str, request: Request) -> Outcome:
        outcome = side(operation, request)
        tamper(operation, outcome)
        return outcome

    return call
