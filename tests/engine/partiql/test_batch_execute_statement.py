"""BatchExecuteStatement, run."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ValidationException
from tests.engine.partiql.running import items


def read(number: int) -> str:
    return f"SELECT score FROM notes WHERE owner = 'ann' AND \"number\" = {number}"


def write(number: int) -> str:
    return f"UPDATE notes SET score = 99 WHERE owner = 'ann' AND \"number\" = {number}"


def batch(engine: Engine, *statements: Any, **members: Any) -> Any:
    listed = [each if isinstance(each, dict) else {"Statement": each} for each in statements]
    return engine.call("BatchExecuteStatement", {"Statements": listed, **members})


def test_each_select_has_its_item_or_none(notes: Engine) -> None:
    assert batch(notes, read(1), read(50), read(2))["Responses"] == [
        {"TableName": "notes", "Item": {"score": {"N": "10"}}},
        {"TableName": "notes"},
        {"TableName": "notes", "Item": {"score": {"N": "20"}}},
    ]


def test_an_error_stands_in_the_place_of_its_statement_and_stops_nothing(notes: Engine) -> None:
    shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    answer = batch(
        notes,
        {"Statement": f"{write(1)} AND kind = 'even'", **shown},
        f"{write(2)} RETURNING MODIFIED OLD *",
        "INSERT INTO notes VALUE {'owner': 'bob', 'number': 1}",
        "DELETE FROM notes WHERE owner = 'bob'",
        "DELETE FROM nowhere WHERE owner = 'bob'",
        {"Statement": "DELETE FROM notes WHERE owner = ?"},
        "garbage",
    )
    failed, done, *others = answer["Responses"]
    assert failed["Error"]["Code"] == "ConditionalCheckFailed"
    assert failed["Error"]["Item"]["kind"] == {"S": "odd"}
    assert done == {"TableName": "notes", "Item": {"score": {"N": "20"}}}
    assert [(each["Error"]["Code"], each["Error"]["Message"]) for each in others] == [
        ("DuplicateItem", "Duplicate primary key exists in table"),
        (
            "ValidationError",
            "Where clause does not contain a mandatory equality on all key attributes",
        ),
        ("ResourceNotFound", "Requested resource not found"),
        ("ValidationError", "Number of parameters in request and statement don't match."),
        ("ValidationError", "Statement wasn't well formed, can't be processed: garbage"),
    ]
    scores = items(notes, "SELECT score FROM notes WHERE owner = 'ann'")
    assert scores == [{"score": 0}, {"score": 10}, {"score": 99}, {"score": 30}]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM notes",
        "SELECT * FROM notes WHERE owner = 'ann'",
        f"{read(1)} AND score = 10",
        "SELECT * FROM notes.by_kind WHERE kind = 'odd' AND \"number\" = 1",
    ],
)
def test_a_select_of_more_than_one_key_is_refused(notes: Engine, statement: str) -> None:
    [answer] = batch(notes, statement)["Responses"]
    error = {"Code": "ValidationError", "Message": "Only single item select is supported"}
    assert answer == {"Error": error}


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            [read(1), write(2)],
            "Read and write requests together in the same batch is not supported.",
        ),
        ([read(1), read(1)], "Provided list of item keys contains duplicates"),
        ([write(1), write(1)], "Provided list of item keys contains duplicates"),
    ],
)
def test_a_batch_is_refused_as_a_whole(notes: Engine, statements: list[str], message: str) -> None:
    with pytest.raises(ValidationException) as caught:
        batch(notes, *statements)
    assert caught.value.message == message
    assert items(notes, read(1)) == [{"score": 10}]


def test_a_batch_has_at_most_25_statements(notes: Engine) -> None:
    batch(notes, *map(read, range(25)))
    with pytest.raises(ValidationException, match="less than or equal to 25"):
        batch(notes, *map(read, range(26)))


def test_capacity_is_summed_up_by_table(notes: Engine) -> None:
    answer = batch(
        notes,
        read(1),
        {"Statement": read(2), "ConsistentRead": True},
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == [{"TableName": "notes", "CapacityUnits": 1.5}]


def test_a_write_that_its_condition_refuses_is_paid_for_by_the_item(notes: Engine) -> None:
    text = "x" * 3000
    items(notes, f"UPDATE notes SET text = '{text}' WHERE owner = 'ann' AND \"number\" = 1")
    answer = batch(
        notes,
        f"{write(1)} AND score = 7",
        f"{write(50)} AND score = 7",
        "INSERT INTO notes VALUE {'owner': 'ann', 'number': 2}",
        ReturnConsumedCapacity="TOTAL",
    )
    assert [each["Error"]["Code"] for each in answer["Responses"]] == [
        "ConditionalCheckFailed",
        "ConditionalCheckFailed",
        "DuplicateItem",
    ]
    assert answer["ConsumedCapacity"] == [{"TableName": "notes", "CapacityUnits": 3.0 + 1.0 + 1.0}]
