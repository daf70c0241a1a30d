"""Requests under hardships: refused, failed, cut short, and each time alike."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import Hardships
from singletable.engine import Engine
from singletable.errors import (
    InternalServerError,
    ProvisionedThroughputExceededException,
    ServiceError,
    ThrottlingException,
    TransactionCanceledException,
    TransactionConflictException,
    ValidationException,
)
from tests.engine.api_model import check_answer
from tests.engine.support import create, describe, keys, put, request

TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/things"
PROVISIONED = {"ReadCapacityUnits": 10, "WriteCapacityUnits": 10}


@pytest.fixture
def things(engine: Engine) -> Engine:
    """Give an engine with a table on demand."""
    create(engine)
    return engine


def _key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}}


def _puts(count: int) -> list[dict[str, Any]]:
    return [{"PutRequest": {"Item": _key(str(number))}} for number in range(count)]


def _outcome(engine: Engine, operation: str, request: dict[str, Any]) -> str:
    try:
        engine.call(operation, request)
    except ServiceError as error:
        return str(error)
    return "done"


def _day(engine: Engine, seed: int) -> list[str]:
    hard = engine.under(Hardships(seed=seed, throttled=0.2, failing=0.2, conflicting=0.2))
    return [
        outcome
        for number in range(40)
        for outcome in (
            _outcome(hard, "PutItem", {"TableName": "things", "Item": _key(str(number))}),
            _outcome(hard, "GetItem", {"TableName": "things", "Key": _key("1")}),
        )
    ]


def test_a_seed_has_the_same_happen_to_the_same_calls(things: Engine) -> None:
    assert _day(things, seed=1) == _day(things, seed=1) != _day(things, seed=2)


def test_a_share_is_met(things: Engine) -> None:
    day = _day(things, seed=1)
    assert 5 < sum("Throttling" in outcome for outcome in day) < 30
    assert 5 < sum("InternalServerError" in outcome for outcome in day) < 30
    assert sum("TransactionConflict" in outcome for outcome in day[1::2]) == 0


def test_a_throttled_request_is_not_carried_out(things: Engine) -> None:
    hard = things.under(Hardships(throttled=1))
    with pytest.raises(ThrottlingException, match="if you have a hot key") as caught:
        put(hard, "things", "a")
    reason = {"reason": "TableWriteKeyRangeThroughputExceeded", "resource": TABLE}
    assert caught.value.response["throttlingReasons"] == [reason]
    assert not keys(things, "things")


def test_a_provisioned_table_is_throttled_in_words_of_its_own(engine: Engine) -> None:
    create(engine, BillingMode="PROVISIONED", ProvisionedThroughput=PROVISIONED)
    hard = engine.under(Hardships(throttled=1))
    with pytest.raises(ProvisionedThroughputExceededException, match="level of configured") as it:
        keys(hard, "things")
    reason = {"reason": "TableReadKeyRangeThroughputExceeded", "resource": TABLE}
    assert it.value.response["ThrottlingReasons"] == [reason]


def test_half_of_the_failures_were_carried_out(things: Engine) -> None:
    hard = things.under(Hardships(failing=1))
    for number in range(40):
        with pytest.raises(InternalServerError) as caught:
            put(hard, "things", str(number))
        assert caught.value.status == 500
    assert 10 < len(keys(things, "things")) < 30


def test_a_write_meets_a_transaction(things: Engine) -> None:
    hard = things.under(Hardships(conflicting=1))
    with pytest.raises(TransactionConflictException, match="Transaction is ongoing for the item"):
        put(hard, "things", "a")
    assert not keys(hard, "things")


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "things", "Item": _key(n)}} for n in "abc"]},
        ),
        (
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": "things", "Key": _key(n)}} for n in "abc"]},
        ),
        (
            "ExecuteTransaction",
            {
                "TransactStatements": [
                    {"Statement": f"INSERT INTO things VALUE {{'pk': '{n}'}}"} for n in "abc"
                ]
            },
        ),
    ],
)
def test_a_transaction_is_cancelled_for_one_of_its_parts(
    operation: str, body: dict[str, Any], things: Engine
) -> None:
    with pytest.raises(TransactionCanceledException, match="specific reasons") as caught:
        things.under(Hardships(conflicting=1)).call(operation, body)
    reasons = caught.value.response["CancellationReasons"]
    conflict = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
    assert sorted(reason["Code"] for reason in reasons) == ["None", "None", "TransactionConflict"]
    assert conflict in reasons
    assert not keys(things, "things")


def test_a_batch_of_writes_is_carried_out_in_parts(things: Engine) -> None:
    hard = things.under(Hardships(unprocessed=0.5))
    left: dict[str, Any] = {"things": _puts(25)}
    rounds = 0
    while left:
        request = {"RequestItems": left, "ReturnConsumedCapacity": "TOTAL"}
        answer = hard.call("BatchWriteItem", request)
        check_answer("BatchWriteItem", answer)
        [consumed] = answer["ConsumedCapacity"]
        done = len(left["things"]) - len(answer["UnprocessedItems"].get("things", []))
        assert consumed["CapacityUnits"] == done >= 1
        left = answer["UnprocessedItems"]
        rounds += 1
    assert rounds > 2
    assert len(keys(things, "things")) == 25


def test_a_batch_of_reads_is_carried_out_in_parts(things: Engine) -> None:
    put(things, "things", *map(str, range(50)))
    hard = things.under(Hardships(unprocessed=0.5))
    left: dict[str, Any] = {"things": {"Keys": [_key(str(n)) for n in range(100)]}}
    found: list[str] = []
    rounds = 0
    while left:
        answer = hard.call("BatchGetItem", {"RequestItems": left})
        check_answer("BatchGetItem", answer)
        found += [item["pk"]["S"] for item in answer["Responses"]["things"]]
        left = answer["UnprocessedKeys"]
        rounds += 1
    assert rounds > 2
    assert sorted(found, key=int) == [str(n) for n in range(50)]


def test_a_batch_is_checked_whole(things: Engine) -> None:
    hard = things.under(Hardships(unprocessed=1))
    twice = {"RequestItems": {"things": [*_puts(3), *_puts(1)]}}
    with pytest.raises(ValidationException, match="contains duplicates"):
        hard.call("BatchWriteItem", twice)


def test_what_is_wrong_is_told_before_luck_is_tried(things: Engine) -> None:
    hard = things.under(Hardships.of_all_kinds())
    for _ in range(20):
        said = _outcome(hard, "GetItem", {"TableName": "nothing", "Key": _key("a")})
        assert "ResourceNotFoundException" in said
        said = _outcome(hard, "TransactWriteItems", {"TransactItems": [{}]})
        assert "can only contain one of" in said or "should contain" in said
        said = _outcome(hard, "BatchExecuteStatement", {"Statements": [{"Statement": "SELECT"}]})
        assert said == "done"


def test_tables_and_settings_are_left_alone(engine: Engine) -> None:
    hard = engine.under(Hardships(throttled=1, failing=1))
    hard.call("CreateTable", request())
    assert describe(hard)["TableStatus"] == "ACTIVE"


def test_the_engine_itself_has_no_hardships(things: Engine) -> None:
    with things.under(Hardships(throttled=1)):
        put(things, "things", "a")
    assert keys(things, "things") == {"a"}  # and closing the view has left it open


def test_a_role_may_have_hardships_and_hardships_a_role(things: Engine) -> None:
    allowed = {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": TABLE}
    policy = {"Version": "2012-10-17", "Statement": [allowed]}
    day = Hardships(throttled=1)
    for hard in (things.as_role(policy).under(day), things.under(day).as_role(policy)):
        assert "AccessDenied" in _outcome(hard, "Scan", {"TableName": "things"})
        said = _outcome(hard, "GetItem", {"TableName": "things", "Key": _key("a")})
        assert "ThrottlingException" in said
