"""The headers that SDKs look at."""

from __future__ import annotations

import re
import zlib

import pytest

from singletable.errors import TransactionCanceledException, ValidationException
from singletable.server.answers import NOT_AN_OPERATION, failure, healthy
from tests.server.support import ask, target


@pytest.mark.parametrize("operation", ["ListTables", "GetItem", "Nope"])
def test_every_answer_carries_its_checksum_and_a_request_id(url: str, operation: str) -> None:
    reply = ask(url, x_amz_target=target(operation))
    assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body)
    assert re.fullmatch(r"[0-9A-Z]{52}", reply.headers["x-amzn-requestid"])
    assert "date" in reply.headers


def test_no_two_requests_share_an_id(url: str) -> None:
    ids = {ask(url).headers["x-amzn-requestid"] for _ in range(5)}
    assert len(ids) == 5


def test_checksums_are_the_ones_that_the_service_sends() -> None:
    assert dict(healthy("us-east-1").headers())[b"x-amz-crc32"] == b"3128867991"
    assert dict(NOT_AN_OPERATION.headers())[b"x-amz-crc32"] == b"3552371480"


def test_the_message_is_spelt_as_the_error_spells_it() -> None:
    assert b'"message":"no"' in failure(ValidationException("no")).body
    cancelled = failure(TransactionCanceledException("no", CancellationReasons=[{"Code": "None"}]))
    assert b'"Message":"no","CancellationReasons":[{"Code":"None"}]' in cancelled.body
