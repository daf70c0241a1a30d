"""Records are the same whether they were read from the stream or came in a Lambda event."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest

from singletable import Engine, UsageError
from singletable.streams.records import from_lambda, from_stream

ITEM: dict[str, Any] = {
    "PK": {"S": "a"},
    "raw": {"B": b"\x00\xff"},
    "raws": {"BS": [b"x", b"y"]},
    "many": {"L": [{"B": b"z"}, {"M": {"deep": {"B": b"w"}}}, {"N": "1.5"}]},
    "words": {"SS": ["one", "two"]},
    "none": {"NULL": True},
}


def _as_lambda(record: dict[str, Any]) -> Any:
    """Write a record of the API as Lambda writes it: JSON, bytes in base64, small names."""
    change = record["dynamodb"]
    at = change["ApproximateCreationDateTime"].timestamp()
    identity = record.get("userIdentity")
    event = {**record, "dynamodb": {**change, "ApproximateCreationDateTime": at}}
    if identity:
        event["userIdentity"] = {"principalId": identity["PrincipalId"], "type": identity["Type"]}
    return json.loads(json.dumps(event, default=lambda raw: b64encode(raw).decode()))


@pytest.fixture
def told() -> list[dict[str, Any]]:
    """What the stream of an engine tells of an item that comes, changes and expires."""
    clock = [1_772_366_400.0]
    with Engine(clock=lambda: clock[0]) as engine:
        engine.create_table(
            TableName="records",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        )
        ttl = {"Enabled": True, "AttributeName": "ttl"}
        engine.update_time_to_live(TableName="records", TimeToLiveSpecification=ttl)
        engine.put_item(TableName="records", Item=ITEM)
        engine.put_item(TableName="records", Item={**ITEM, "ttl": {"N": str(int(clock[0]) + 5)}})
        clock[0] += 10
        engine.expire()
        [stream] = engine.call("ListStreams", {})["Streams"]
        arn = stream["StreamArn"]
        [shard] = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
        request = {
            "StreamArn": arn,
            "ShardId": shard["ShardId"],
            "ShardIteratorType": "TRIM_HORIZON",
        }
        iterator = engine.call("GetShardIterator", request)["ShardIterator"]
        records: list[dict[str, Any]] = engine.call("GetRecords", {"ShardIterator": iterator})[
            "Records"
        ]
        return records


def test_a_record_is_the_same_from_the_stream_and_in_an_event(told: list[dict[str, Any]]) -> None:
    assert len(told) == 3
    for record in told:
        assert from_lambda(_as_lambda(record)) == from_stream(record)


def test_a_record_tells_the_images_the_time_and_whether_the_item_expired(
    told: list[dict[str, Any]],
) -> None:
    created, modified, expired = map(from_stream, told)
    assert (created.event, created.old, created.new) == ("INSERT", None, ITEM)
    assert (modified.event, modified.old) == ("MODIFY", ITEM)
    assert (expired.event, expired.new, expired.expired) == ("REMOVE", None, True)
    assert not created.expired
    assert created.at == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert created.position < modified.position < expired.position


def test_positions_sort_as_numbers_do() -> None:
    record = {
        "eventName": "INSERT",
        "dynamodb": {"Keys": {}, "ApproximateCreationDateTime": 0, "SequenceNumber": ""},
    }

    def position(number: str) -> str:
        return from_lambda(
            {**record, "dynamodb": {**record["dynamodb"], "SequenceNumber": number}}  # type: ignore[dict-item] # a literal of mixed values
        ).position

    assert position("99") < position("100") < position("4421584500000000017450439091")


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(UsageError, match="no record of a DynamoDB stream, KeyError"):
        from_lambda({"kinesis": {}})
