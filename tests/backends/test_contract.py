"""The contract between whoever runs requests and what runs them, over every backend."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from singletable.backends import Backend
from singletable.errors import (
    ConditionalCheckFailedException,
    ResourceNotFoundException,
    TransactionCanceledException,
    UnknownOperationException,
    ValidationException,
)

from .conftest import Call

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}
ITEM: dict[str, Any] = KEY | {
    "data": {"B": b"\x00\xff"},
    "deep": {"M": {"list": {"L": [{"BOOL": True}, {"NULL": True}]}}},
}
ONLY_NEW = {
    "TableName": "Music",
    "Item": KEY,
    "ConditionExpression": "attribute_not_exists(pk)",
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}


def test_every_backend_keeps_the_contract(backend: Backend) -> None:
    try:
        assert isinstance(backend, Backend)
    finally:
        backend.close()


def test_what_is_written_is_read(call: Call) -> None:
    call("PutItem", {"TableName": "Music", "Item": ITEM})
    assert call("GetItem", {"TableName": "Music", "Key": KEY}) == {"Item": ITEM}


def test_an_answer_has_no_metadata(call: Call) -> None:
    assert call("PutItem", {"TableName": "Music", "Item": ITEM}) == {}
    assert call("ListTables", {}) == {"TableNames": ["Music"]}


def test_a_request_is_left_as_it_is(call: Call) -> None:
    request = {"TableName": "Music", "Item": copy.deepcopy(ITEM)}
    call("PutItem", request)
    assert request == {"TableName": "Music", "Item": ITEM}


def test_what_the_service_refuses_is_a_service_error(call: Call) -> None:
    with pytest.raises(ResourceNotFoundException) as caught:
        call("DescribeTable", {"TableName": "Nope"})
    assert (caught.value.status, caught.value.operation_name) == (400, "DescribeTable")
    with pytest.raises(ValidationException):
        call("GetItem", {"TableName": "Music", "Key": {"pk": {"S": "a"}}})


def test_an_error_brings_the_members_beside_its_message(call: Call) -> None:
    call("PutItem", {"TableName": "Music", "Item": ITEM})
    with pytest.raises(ConditionalCheckFailedException) as caught:
        call("PutItem", ONLY_NEW)
    assert caught.value.message == "The conditional request failed"
    assert caught.value.fields == {"Item": ITEM}


def test_a_cancelled_transaction_brings_its_reasons(call: Call) -> None:
    check = {"TableName": "Music", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
    put = {"TableName": "Music", "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}}}
    with pytest.raises(TransactionCanceledException) as caught:
        call("TransactWriteItems", {"TransactItems": [{"Put": put}, {"ConditionCheck": check}]})
    [fine, failed] = caught.value.fields["CancellationReasons"]
    assert (fine["Code"], failed["Code"]) == ("None", "ConditionalCheckFailed")


def test_an_operation_that_is_none_is_refused(call: Call) -> None:
    with pytest.raises(UnknownOperationException):
        call("MakeCoffee", {})
