"""What a cancelled transaction tells is asked of the writes themselves."""

from __future__ import annotations

import pytest

from singletable.errors import (
    ConditionalCheckFailedException,
    NotFound,
    SingletableError,
    TransactionCanceledException,
    TransactionCancelled,
    ValidationException,
)
from singletable.store.writing.failures import Failure, cancelled, judged
from singletable.store.writing.writes import Delete, Part
from singletable.values import Item

KEY: Item = {"PK": {"S": "a"}}
MISSING = NotFound("there is none")


def part(error: SingletableError | None = MISSING, *, optional: bool = False) -> Part:
    return Part(Delete(key=KEY), ("a",), lambda _: error, optional)


def cancelled_by(*codes: str | None) -> TransactionCanceledException:
    reasons = [{"Code": code or "None", "Message": "no"} for code in codes]
    return TransactionCanceledException("cancelled", CancellationReasons=reasons)


def test_a_write_is_asked_what_its_failure_means() -> None:
    failed, fine = part(), part()
    verdict = judged(cancelled_by("ConditionalCheckFailed", None), [failed, fine])

    assert verdict.errors == ((failed, MISSING),)
    assert not verdict.again


def test_it_is_told_what_was_found() -> None:
    told: list[Item | None] = []
    asked = Part(Delete(key=KEY), ("a",), told.append)
    judged(ConditionalCheckFailedException("no", Item={"x": {"N": "1"}}), [asked])
    judged(ConditionalCheckFailedException("no"), [asked])

    assert told == [{"x": {"N": "1"}}, None]


def test_what_is_out_of_date_is_done_again_even_if_something_else_failed() -> None:
    parts = [part(None), part(), part(optional=True)]
    verdict = judged(cancelled_by(*["ConditionalCheckFailed"] * 3), parts)

    assert verdict.outdated
    assert verdict.again
    assert verdict.left_out == {}


def test_what_is_optional_is_left_out_unless_something_else_failed() -> None:
    optional = part(optional=True)
    alone = judged(cancelled_by("ConditionalCheckFailed", None), [optional, part()])
    not_alone = judged(cancelled_by(*["ConditionalCheckFailed"] * 2), [optional, part()])

    assert alone.left_out == {("a",): None}
    assert alone.again
    assert not not_alone.again


def test_other_reasons_keep_their_names() -> None:
    verdict = judged(cancelled_by("ValidationError"), [part()])

    [(_, error)] = verdict.errors
    assert isinstance(error, ValidationException)
    assert error.message == "no"


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError"])
def test_what_is_nobodys_fault_is_no_error_of_an_action(code: str) -> None:
    assert judged(cancelled_by(code), [part()]).errors == ()


def test_one_failure_is_its_own_error_and_several_are_told_together() -> None:
    one = Failure("put Plain", KEY, MISSING)
    other = Failure("put User", KEY, ValidationException("too large"))

    assert cancelled([one]) is MISSING
    both = cancelled([one, other])
    assert isinstance(both, TransactionCancelled)
    assert both.failures == [one, other]
    assert "there is none; too large" in str(both)
