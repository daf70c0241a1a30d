"""What is the caller's stays the caller's: requests unchanged, answers not tied to anything."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ConditionalCheckFailedException, ServiceError
from tests.bad_input.samples import ITEM, KEY, TABLE, sample_names, samples
from tests.bad_input.support import contents

SAMPLES = sample_names()


def containers(value: Any) -> Iterator[Any]:
    """List every dict and list in a value, itself too."""
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from containers(each)


def vandalize(value: Any) -> None:
    """Destroy everything in a value."""
    for each in list(containers(value)):
        each.clear()


def described(engine: Engine) -> Any:
    """Ask for all that an engine keeps in Python's memory and all that it stores."""
    tables = engine.call("ListTables", {})["TableNames"]
    descriptions = [engine.call("DescribeTable", {"TableName": name}) for name in tables]
    return deepcopy(descriptions), contents(engine)


@pytest.mark.parametrize("number", range(len(SAMPLES)), ids=SAMPLES)
def test_an_operation_shares_nothing_with_its_caller(
    world: Engine, engine: Engine, number: int
) -> None:
    operation, request = deepcopy(samples(world)[number])
    sent = deepcopy(request)
    try:
        answer = engine.call(operation, request)
    except ServiceError as error:
        answer = error.fields
    assert request == sent
    seen = [id(each) for each in containers(answer)]
    assert len(seen) == len(set(seen)), "one part of the answer is another part too"
    assert not {id(each) for each in containers(request)} & set(seen)
    before = described(engine)
    vandalize(answer)
    vandalize(request)
    assert described(engine) == before


@pytest.mark.parametrize("returned", ["ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_returned_attributes_are_the_callers_own(engine: Engine, returned: str) -> None:
    request: dict[str, Any] = {
        "TableName": TABLE,
        "Key": deepcopy(KEY),
        "UpdateExpression": "SET a = :v, b = :v, facts.inside = :v, steps[0] = :v",
        "ExpressionAttributeValues": {":v": {"L": [{"S": "x"}, {"M": {"k": {"S": "y"}}}]}},
        "ReturnValues": returned,
    }
    answer = engine.call("UpdateItem", request)
    stored = deepcopy(engine.call("GetItem", {"TableName": TABLE, "Key": KEY}))
    vandalize(answer)
    assert request["ExpressionAttributeValues"][":v"]["L"][0] == {"S": "x"}
    assert request["Key"] == KEY
    assert engine.call("GetItem", {"TableName": TABLE, "Key": KEY}) == stored


def test_the_item_of_a_failed_condition_is_the_callers_own(engine: Engine) -> None:
    request = {
        "TableName": TABLE,
        "Item": ITEM,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    for _ in range(2):
        with pytest.raises(ConditionalCheckFailedException) as caught:
            engine.call("PutItem", request)
        assert caught.value.fields["Item"] == ITEM
        vandalize(caught.value.fields["Item"])


def test_what_a_batch_leaves_is_the_callers_own(engine: Engine) -> None:
    keys = [{"pk": {"S": "large"}, "sk": {"N": str(number)}} for number in range(60)]
    for key in keys:
        engine.call("PutItem", {"TableName": TABLE, "Item": key | {"f": {"S": "x" * 400_000}}})
    request = {"RequestItems": {TABLE: {"Keys": keys}}}
    sent = deepcopy(request)
    left = engine.call("BatchGetItem", request)["UnprocessedKeys"]
    assert 0 < len(left[TABLE]["Keys"]) < 60
    vandalize(left)
    assert request == sent
