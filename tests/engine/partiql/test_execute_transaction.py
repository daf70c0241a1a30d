"""ExecuteTransaction, run."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import (
    IdempotentParameterMismatchException,
    TransactionCanceledException,
    ValidationException,
)
from tests.engine.partiql.running import items
from tests.engine.support import Clock


def read(number: int) -> str:
    return f"SELECT score FROM notes WHERE owner = 'ann' AND \"number\" = {number}"


def add(number: int) -> str:
    return f"UPDATE notes SET score = score + 1 WHERE owner = 'ann' AND \"number\" = {number}"


def exists(number: int, condition: str) -> str:
    return f"EXISTS({read(number)} AND {condition})"


def transact(engine: Engine, *statements: Any, **members: Any) -> Any:
    listed = [each if isinstance(each, dict) else {"Statement": each} for each in statements]
    return engine.call("ExecuteTransaction", {"TransactStatements": listed, **members})


def score(engine: Engine, number: int) -> int:
    [item] = items(engine, read(number))
    found: int = item["score"]
    return found


def test_reads_answer_in_their_places(notes: Engine) -> None:
    answer = transact(notes, read(1), read(50), ReturnConsumedCapacity="TOTAL")
    assert answer["Responses"] == [{"Item": {"score": {"N": "10"}}}, {}]
    [consumed] = answer["ConsumedCapacity"]
    assert consumed["ReadCapacityUnits"] == 4.0


def test_writes_are_made_together(notes: Engine) -> None:
    insert = "INSERT INTO notes VALUE {'owner': 'cy', 'number': ?}"
    answer = transact(
        notes,
        add(1),
        exists(2, "score = 20"),
        {"Statement": insert, "Parameters": [{"N": "1"}]},
        "DELETE FROM notes WHERE owner = 'bob' AND \"number\" = 0",
    )
    assert answer == {"Responses": []}
    assert score(notes, 1) == 11
    assert len(items(notes, "SELECT * FROM notes WHERE owner IN ['bob', 'cy']")) == 4


def test_one_failure_cancels_all_and_each_has_its_reason(notes: Engine) -> None:
    shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    with pytest.raises(TransactionCanceledException) as caught:
        transact(
            notes,
            add(1),
            {"Statement": exists(2, "score = 21"), **shown},
            "INSERT INTO notes VALUE {'owner': 'bob', 'number': 1}",
        )
    none, failed, duplicate = caught.value.fields["CancellationReasons"]
    assert none == {"Code": "None"}
    assert (failed["Code"], failed["Item"]["score"]) == ("ConditionalCheckFailed", {"N": "20"})
    assert duplicate["Message"] == "Duplicate primary key exists in table"
    assert score(notes, 1) == 10


def test_exists_fails_where_there_is_no_item(notes: Engine) -> None:
    with pytest.raises(TransactionCanceledException):
        transact(notes, add(1), exists(50, "score IS MISSING"))


def test_a_write_without_its_key_cancels_the_transaction(notes: Engine) -> None:
    with pytest.raises(TransactionCanceledException) as caught:
        transact(notes, add(1), "DELETE FROM notes WHERE owner = 'bob'")
    assert caught.value.fields["CancellationReasons"][1] == {
        "Code": "ValidationError",
        "Message": "Where clause does not contain a mandatory equality on all key attributes",
    }


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            [read(1), add(2)],
            (
                "ExecuteTransaction API does not support both read and write operations in the "
                "same request."
            ),
        ),
        ([add(1), add(1)], "Transaction request cannot include multiple operations on one item"),
        ([read(1), read(1)], "Transaction request cannot include multiple operations on one item"),
        ([read(1), "select"], "Statement wasn't well formed, can't be processed: select"),
        (
            [read(1), "SELECT * FROM notes"],
            (
                "Validation failed in TransactStatements[1]: Select statements within "
                "ExecuteTransaction must specify the primary key in the where clause."
            ),
        ),
        (
            ["SELECT * FROM notes.by_kind"],
            (
                "Validation failed in TransactStatements[0]: Reads on indices are not supported "
                "within transactions."
            ),
        ),
        (
            [f"{add(1)} RETURNING ALL NEW *"],
            (
                "Validation failed in TransactStatements[0]: RETURNING clause is not supported "
                "in ExecuteTransaction."
            ),
        ),
        (
            [f"EXISTS({read(1)})"],
            (
                "Validation failed in TransactStatements[0]: EXISTS() must contain a single item "
                "read with additional condition"
            ),
        ),
        (
            ["SELECT a AS b FROM notes"],
            "Validation failed in TransactStatements[0]: Aliasing is not supported",
        ),
    ],
)
def test_a_transaction_is_refused_as_a_whole(
    notes: Engine, statements: list[str], message: str
) -> None:
    with pytest.raises(ValidationException) as caught:
        transact(notes, *statements)
    assert caught.value.message == message


def test_a_token_makes_a_transaction_safe_to_repeat_for_ten_minutes(
    notes: Engine, clock: Clock
) -> None:
    for _ in range(2):
        transact(notes, add(1), ClientRequestToken="once")
    assert score(notes, 1) == 11
    with pytest.raises(IdempotentParameterMismatchException):
        transact(notes, add(2), ClientRequestToken="once")
    clock.now += 601
    transact(notes, add(1), ClientRequestToken="once")
    assert score(notes, 1) == 12


def test_a_transaction_has_at_most_100_statements(notes: Engine) -> None:
    transact(notes, *map(read, range(100)))
    with pytest.raises(ValidationException, match="less than or equal to 100"):
        transact(notes, *map(read, range(101)))


def test_writing_in_a_transaction_costs_twice(notes: Engine) -> None:
    answer = transact(notes, add(1), add(2), ReturnConsumedCapacity="TOTAL")
    [consumed] = answer["ConsumedCapacity"]
    assert consumed["WriteCapacityUnits"] == 4.0
