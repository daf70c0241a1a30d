"""What may be sent again is, what may have been run is not, and what is final never is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import errors
from singletable.errors import ServiceError, Unreachable, service_error
from singletable.store.retries import Retries, kind_of, repeatable

RETRIES = Retries()
ADD = {"UpdateExpression": "ADD #0 :0"}
UNCONDITIONAL = {"TableName": "t", "Item": {"PK": {"S": "1"}}}

TURNED_AWAY = [
    errors.ProvisionedThroughputExceededException("slow down"),
    errors.ThrottlingException("slow down"),
    errors.RequestLimitExceeded("slow down"),
    errors.TransactionConflictException("busy"),
    errors.TransactionInProgressException("busy"),
    service_error("ReplicatedWriteConflictException", "another region"),
    Unreachable("refused", perhaps_done=False),
]
PERHAPS_RUN = [
    errors.InternalServerError("oops"),
    service_error("ServiceUnavailable", "back soon", 503),
    service_error("BadGateway", "a proxy's own words", 502),
    Unreachable("timed out"),
]
FINAL = [
    errors.ValidationException("no"),
    errors.SerializationException("no"),
    errors.ConditionalCheckFailedException("no"),
    errors.AccessDeniedException("no"),
    errors.UnrecognizedClientException("no"),
    errors.ResourceNotFoundException("no"),
    errors.ResourceInUseException("no"),
    errors.ItemCollectionSizeLimitExceededException("no"),
    errors.IdempotentParameterMismatchException("no"),
    errors.UsageError("no"),
    service_error("SomethingNew", "no"),
    ValueError("no"),
]


def _named(error: Exception) -> str:
    return error.code if isinstance(error, ServiceError) else type(error).__name__


@pytest.mark.parametrize("error", TURNED_AWAY, ids=_named)
def test_what_the_service_turned_away_is_sent_again_even_an_addition(error: Exception) -> None:
    assert RETRIES.allows(error, 1, "UpdateItem", ADD)


@pytest.mark.parametrize("error", PERHAPS_RUN, ids=_named)
def test_what_may_have_been_run_is_sent_again_only_if_that_makes_no_difference(
    error: Exception,
) -> None:
    assert RETRIES.allows(error, 1, "GetItem", {"Key": {}})
    assert RETRIES.allows(error, 1, "PutItem", UNCONDITIONAL)
    assert not RETRIES.allows(error, 1, "UpdateItem", ADD)


@pytest.mark.parametrize("error", FINAL, ids=_named)
def test_what_is_final_is_never_sent_again(error: Exception) -> None:
    assert not RETRIES.allows(error, 1, "GetItem", {"Key": {}})
    assert kind_of(error) is None


@pytest.mark.parametrize(
    ("operation", "request_made", "expected"),
    [
        ("Query", {}, True),
        ("Scan", {}, True),
        ("BatchGetItem", {}, True),
        ("BatchWriteItem", {}, True),
        ("TransactGetItems", {}, True),
        ("DescribeTable", {}, True),
        ("PutItem", UNCONDITIONAL, True),
        ("DeleteItem", {"Key": {}}, True),
        ("PutItem", UNCONDITIONAL | {"ConditionExpression": "attribute_not_exists(#0)"}, False),
        ("DeleteItem", {"Key": {}, "ReturnValues": "ALL_OLD"}, False),
        ("DeleteItem", {"Key": {}, "ReturnValues": "NONE"}, True),
        ("PutItem", {}, False),
        ("UpdateItem", ADD, False),
        ("TransactWriteItems", {"TransactItems": []}, False),
        ("TransactWriteItems", {"TransactItems": [], "ClientRequestToken": "t"}, True),
        ("CreateTable", {"TableName": "t"}, False),
        ("UnheardOf", {}, False),
    ],
)
def test_a_request_is_repeatable_if_twice_is_the_same_as_once(
    operation: str, request_made: dict[str, Any], expected: bool
) -> None:
    assert repeatable(operation, request_made) is expected


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (["None", "TransactionConflict"], "conflict"),
        (["ThrottlingError", "None"], "throttled"),
        (["ProvisionedThroughputExceeded", "TransactionConflict"], "throttled"),
        (["TransactionConflict", "ConditionalCheckFailed"], None),
        (["ThrottlingError", "ValidationError"], None),
        (["ItemCollectionSizeLimitExceeded"], None),
        (["None", "None"], None),
        ([], None),
    ],
)
def test_a_cancelled_transaction_is_sent_again_if_all_its_reasons_pass(
    codes: list[str], kind: str | None
) -> None:
    reasons = [{"Code": code} for code in codes]
    error = errors.TransactionCanceledException("cancelled", CancellationReasons=reasons)
    assert kind_of(error) == kind
    assert RETRIES.allows(error, 1, "TransactWriteItems", {}) is (kind is not None)


def test_a_cancelled_transaction_that_gives_no_reasons_is_final() -> None:
    assert kind_of(errors.TransactionCanceledException("cancelled")) is None


def test_a_connection_that_was_never_made_is_no_throttling() -> None:
    assert kind_of(Unreachable("refused", perhaps_done=False)) == "unsent"


def test_the_last_attempt_is_the_last() -> None:
    error = errors.ThrottlingException("slow down")
    allowed = [Retries(attempts=3).allows(error, attempt, "Query") for attempt in (1, 2, 3, 4)]
    assert allowed == [True, True, False, False]
    assert not Retries(attempts=1).allows(error, 1, "Query")


def test_pauses_double_up_to_the_cap() -> None:
    longest = Retries(base_s=0.5, cap_s=3.0, random=lambda: 1.0)
    assert [longest.delay(attempt) for attempt in (1, 2, 3, 4, 5000)] == [0.5, 1.0, 2.0, 3.0, 3.0]


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_a_pause_is_any_part_of_its_bound(attempt: int, drawn: float) -> None:
    retries = Retries(random=lambda: drawn)
    whole = Retries(random=lambda: 1.0)
    assert 0 <= retries.delay(attempt) <= whole.delay(attempt) <= retries.cap_s
    assert retries.delay(attempt) == pytest.approx(drawn * whole.delay(attempt))
