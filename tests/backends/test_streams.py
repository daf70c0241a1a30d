"""Streams over every backend: who follows a stream need not know what answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.engine import Engine
from singletable.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    ServiceError,
    TrimmedDataAccessException,
    ValidationException,
)
from singletable.server import running
from tests.engine.support import Clock

from .conftest import TABLE, Call, calling

NAME = "Heard"
STREAMED: dict[str, Any] = TABLE | {
    "TableName": NAME,
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}
ITEM: dict[str, Any] = KEY | {"data": {"B": b"\x00\xff"}, "deep": {"M": {"l": {"L": [KEY["pk"]]}}}}
HOUR = 3600.0
WAIT_SECONDS_MAX = 50.0


def create(call: Call) -> str:
    """Create the table; give the ARN of its stream."""
    arn: str = call("CreateTable", STREAMED)["TableDescription"]["LatestStreamArn"]
    return arn


def write(call: Call) -> None:
    """Insert, change and remove an item."""
    call("PutItem", {"TableName": NAME, "Item": ITEM})
    call("PutItem", {"TableName": NAME, "Item": KEY})
    call("DeleteItem", {"TableName": NAME, "Key": KEY})


def iterator(call: Call, arn: str, kind: str = "TRIM_HORIZON", **members: Any) -> str:
    """Give an iterator into the only shard."""
    [shard] = call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": kind}
    text: str = call("GetShardIterator", request | members)["ShardIterator"]
    return text


def read(call: Call, arn: str) -> list[dict[str, Any]]:
    """Read the records that are there."""
    answer = call("GetRecords", {"ShardIterator": iterator(call, arn)})
    found: list[dict[str, Any]] = answer["Records"]
    return found


def is_local(arn: str) -> bool:
    """Tell whether DynamoDB Local answers."""
    return arn.split(":")[3] == "ddblocal"


def test_a_stream_is_listed_and_described(call: Call) -> None:
    arn = create(call)
    label = arn.rpartition("/")[2]
    summary = {"StreamArn": arn, "TableName": NAME, "StreamLabel": label}
    assert call("ListStreams", {"TableName": NAME}) == {"Streams": [summary]}
    described = call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    age = datetime.now(UTC) - described.pop("CreationRequestDateTime")
    assert abs(age) < timedelta(minutes=5)
    [shard] = described.pop("Shards")
    assert shard.keys() == {"ShardId", "SequenceNumberRange"}
    assert shard["SequenceNumberRange"].keys() == {"StartingSequenceNumber"}
    assert described == summary | {
        "StreamStatus": "ENABLED",
        "StreamViewType": "NEW_AND_OLD_IMAGES",
        "KeySchema": TABLE["KeySchema"],
    }


def test_a_record_has_the_same_form_everywhere(call: Call) -> None:
    arn = create(call)
    write(call)
    records = read(call, arn)
    images = [{"NewImage": ITEM}, {"NewImage": KEY, "OldImage": ITEM}, {"OldImage": KEY}]
    events = zip(("INSERT", "MODIFY", "REMOVE"), images, strict=True)
    for record, (event, image) in zip(records, events, strict=True):
        change = record.pop("dynamodb")
        assert isinstance(record.pop("eventID"), str)
        assert record == {
            "eventName": event,
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": arn.split(":")[3],
        }
        at = change.pop("ApproximateCreationDateTime")
        assert abs(datetime.now(UTC) - at) < timedelta(minutes=5)
        assert change.pop("SequenceNumber").isdigit()
        assert isinstance(change.pop("SizeBytes"), int)
        assert change == {"Keys": KEY, "StreamViewType": "NEW_AND_OLD_IMAGES"} | image


def test_a_shard_is_read_page_by_page_and_to_its_end(call: Call) -> None:
    arn = create(call)
    write(call)
    call("UpdateTable", {"TableName": NAME, "StreamSpecification": {"StreamEnabled": False}})
    pages = [call("GetRecords", {"ShardIterator": iterator(call, arn), "Limit": 2})]
    while "NextShardIterator" in pages[-1]:
        following = pages[-1]["NextShardIterator"]
        pages.append(call("GetRecords", {"ShardIterator": following, "Limit": 2}))
    assert [len(page["Records"]) for page in pages][:2] == [2, 1]
    assert pages[-1].keys() == {"Records"}


def test_reading_goes_on_after_a_sequence_number(call: Call) -> None:
    arn = create(call)
    write(call)
    [first, *rest] = read(call, arn)
    number = first["dynamodb"]["SequenceNumber"]
    after = iterator(call, arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=number)
    assert call("GetRecords", {"ShardIterator": after})["Records"] == rest


def test_reading_goes_on_at_a_moment(call: Call) -> None:
    arn = create(call)
    write(call)
    moment = datetime.now(UTC) - timedelta(minutes=1)
    if is_local(arn):  # it fails at what it does not know
        with pytest.raises(ServiceError):
            iterator(call, arn, "AT_TIMESTAMP", Timestamp=moment)
        return
    at = iterator(call, arn, "AT_TIMESTAMP", Timestamp=moment)
    assert len(call("GetRecords", {"ShardIterator": at})["Records"]) == 3


def test_what_expired_is_told_apart(backend: Backend) -> None:
    with calling(backend, awaited=False) as call:
        arn = create(call)
        ttl = {"Enabled": True, "AttributeName": "ttl"}
        call("UpdateTimeToLive", {"TableName": NAME, "TimeToLiveSpecification": ttl})
        past = {"ttl": {"N": str(int(time.time()) - 100)}}
        call("PutItem", {"TableName": NAME, "Item": KEY | past})
        record = _second_record(call, arn)
    seen = (record["eventName"], record.get("userIdentity"))
    if is_local(arn):
        assert seen == ("UNKNOWN_TO_SDK_VERSION", None)
    else:
        assert seen == ("REMOVE", {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"})


def _second_record(call: Call, arn: str) -> dict[str, Any]:
    end = time.monotonic() + WAIT_SECONDS_MAX
    while len(records := read(call, arn)) < 2:
        assert time.monotonic() < end
        time.sleep(0.1)
    return records[1]


def test_what_streams_refuse_is_a_service_error(call: Call) -> None:
    gone = create(call).replace(NAME, "Nope")
    with pytest.raises(ResourceNotFoundException) as caught:
        call("DescribeStream", {"StreamArn": gone})
    assert (caught.value.status, caught.value.operation_name) == (400, "DescribeStream")
    with pytest.raises(ValidationException, match="ShardIterator") as refused:
        call("GetRecords", {"ShardIterator": "nonsense"})
    assert refused.value.operation_name == "GetRecords"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sync", "async"])
def timed(request: pytest.FixtureRequest, no_aws: None, clock: Clock) -> Iterator[Call]:
    """Give what calls an endpoint whose time the test sets."""
    awaited = request.param == "async"
    with (
        Engine(clock=clock) as engine,
        running(engine) as url,
        calling(connect(url), awaited=awaited) as call,
    ):
        yield call


def test_an_iterator_that_expired_has_its_error(timed: Call, clock: Clock) -> None:
    old = iterator(timed, create(timed))
    clock.now += HOUR
    with pytest.raises(ExpiredIteratorException):
        timed("GetRecords", {"ShardIterator": old})


def test_what_was_trimmed_has_its_error(timed: Call, clock: Clock) -> None:
    arn = create(timed)
    write(timed)
    number = read(timed, arn)[0]["dynamodb"]["SequenceNumber"]
    clock.now += 25 * HOUR
    with pytest.raises(TrimmedDataAccessException):
        iterator(timed, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
