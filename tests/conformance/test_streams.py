"""Streams: what a change records, and how shards are read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .support import Client, create, invalid, item, refusal, unique, values

NO_STREAM = "arn:aws:dynamodb:us-east-1:000000000000:table/none/stream/2020-01-01T00:00:00.000"
VIEWS = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]


def streamed(client: Client, view: str) -> tuple[str, str]:
    """Create a table with a stream; return its name and the stream's ARN."""
    name = create(
        client, "pk:S", StreamSpecification={"StreamEnabled": True, "StreamViewType": view}
    )
    arn: str = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return name, arn


def shards(streams: Client, arn: str) -> list[dict[str, Any]]:
    described = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    found: list[dict[str, Any]] = described["Shards"]
    return found


def read(streams: Client, arn: str, kind: str = "TRIM_HORIZON", **at: Any) -> list[dict[str, Any]]:
    """Read every record there is, shard by shard."""
    found: list[dict[str, Any]] = []
    for shard in shards(streams, arn):
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind, **at
        )["ShardIterator"]
        for _ in range(5):
            answer = streams.get_records(ShardIterator=iterator)
            found += answer["Records"]
            iterator = answer.get("NextShardIterator")
            if not iterator or not answer["Records"]:
                break
    return found


def change(client: Client, table: str) -> dict[str, Any]:
    """Insert, modify and remove one item; return its key."""
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | item(n=1))
    client.update_item(
        TableName=table,
        Key=key,
        UpdateExpression="SET n = :n",
        ExpressionAttributeValues=values(n=2),
    )
    client.delete_item(TableName=table, Key=key)
    return key


@pytest.mark.parametrize("view", VIEWS)
def test_views(client: Client, streams: Client, view: str) -> None:
    table, arn = streamed(client, view)
    key = change(client, table)
    records = [each["dynamodb"] for each in read(streams, arn)]
    assert [each["Keys"] for each in records] == [key] * 3
    assert [each["StreamViewType"] for each in records] == [view] * 3
    one, two = key | item(n=1), key | item(n=2)
    new = [one, two, None] if "NEW" in view else [None] * 3
    old = [None, one, two] if "OLD" in view else [None] * 3
    assert [each.get("NewImage") for each in records] == new
    assert [each.get("OldImage") for each in records] == old


@pytest.fixture(scope="module")
def table_and_arn(client: Client) -> tuple[str, str]:
    return streamed(client, "NEW_AND_OLD_IMAGES")


def test_records(client: Client, streams: Client, table_and_arn: tuple[str, str]) -> None:
    table, arn = table_and_arn
    key = change(client, table)
    records = [each for each in read(streams, arn) if each["dynamodb"]["Keys"] == key]
    assert [each["eventName"] for each in records] == ["INSERT", "MODIFY", "REMOVE"]
    assert len({each["eventID"] for each in records}) == 3
    for each in records:
        assert each["eventVersion"] == "1.1"
        assert each["eventSource"] == "aws:dynamodb"
        assert each["awsRegion"] == arn.split(":")[3]
        assert "userIdentity" not in each
        made = each["dynamodb"]["ApproximateCreationDateTime"]
        assert abs(datetime.now(UTC) - made) < timedelta(hours=1)
    numbers = [int(each["dynamodb"]["SequenceNumber"]) for each in records]
    assert numbers == sorted(set(numbers))


def test_sizes_are_of_keys_and_images(client: Client, streams: Client) -> None:
    table, arn = streamed(client, "NEW_AND_OLD_IMAGES")
    client.put_item(TableName=table, Item=item(pk="a", body="x" * 100))
    (record,) = read(streams, arn)
    assert record["dynamodb"]["SizeBytes"] == len("pk" + "a") * 2 + len("body") + 100


def test_writes_that_change_nothing_leave_no_record(client: Client, streams: Client) -> None:
    table, arn = streamed(client, "NEW_AND_OLD_IMAGES")
    client.put_item(TableName=table, Item=item(pk="a", n=1))
    client.put_item(TableName=table, Item=item(pk="a", n=1))
    client.update_item(TableName=table, Key=item(pk="a"), UpdateExpression="REMOVE zzz")
    client.delete_item(TableName=table, Key=item(pk="b"))
    assert [each["eventName"] for each in read(streams, arn)] == ["INSERT"]


def test_batches_and_transactions_are_recorded(client: Client, streams: Client) -> None:
    table, arn = streamed(client, "KEYS_ONLY")
    client.batch_write_item(
        RequestItems={table: [{"PutRequest": {"Item": item(pk=f"b{n}")}} for n in range(3)]}
    )
    client.transact_write_items(
        TransactItems=[{"Put": {"TableName": table, "Item": item(pk=f"t{n}")}} for n in range(3)]
    )
    found = sorted(each["dynamodb"]["Keys"]["pk"]["S"] for each in read(streams, arn))
    assert found == ["b0", "b1", "b2", "t0", "t1", "t2"]


def test_iterators_after_and_at_a_sequence_number(client: Client, streams: Client) -> None:
    table, arn = streamed(client, "KEYS_ONLY")
    for n in range(3):
        client.put_item(TableName=table, Item=item(pk="same", n=n))
    first, second, third = (each["dynamodb"]["SequenceNumber"] for each in read(streams, arn))

    def numbers(kind: str) -> list[str]:
        found = read(streams, arn, kind, SequenceNumber=second)
        return [each["dynamodb"]["SequenceNumber"] for each in found]

    assert first not in numbers("AT_SEQUENCE_NUMBER")
    assert numbers("AT_SEQUENCE_NUMBER") == [second, third]
    assert numbers("AFTER_SEQUENCE_NUMBER") == [third]


def test_latest_sees_only_what_comes_later(client: Client, streams: Client) -> None:
    table, arn = streamed(client, "KEYS_ONLY")
    client.put_item(TableName=table, Item=item(pk="before"))
    (shard,) = [
        each
        for each in shards(streams, arn)
        if "EndingSequenceNumber" not in each["SequenceNumberRange"]
    ]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST"
    )["ShardIterator"]
    client.put_item(TableName=table, Item=item(pk="after"))
    answer = streams.get_records(ShardIterator=iterator)
    assert [each["dynamodb"]["Keys"] for each in answer["Records"]] == [item(pk="after")]
    assert "NextShardIterator" in answer


def test_a_limit_cuts_and_the_next_iterator_goes_on(client: Client, streams: Client) -> None:
    table, arn = streamed(client, "KEYS_ONLY")
    for n in range(5):
        client.put_item(TableName=table, Item=item(pk="same", n=n))
    (shard,) = shards(streams, arn)
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    sizes = []
    for _ in range(4):
        answer = streams.get_records(ShardIterator=iterator, Limit=2)
        sizes.append(len(answer["Records"]))
        iterator = answer["NextShardIterator"]
    assert sizes == [2, 2, 1, 0]


def test_describe_stream(client: Client, streams: Client, table_and_arn: tuple[str, str]) -> None:
    table, arn = table_and_arn
    described = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    shown = client.describe_table(TableName=table)["Table"]
    assert described["StreamArn"] == arn == shown["LatestStreamArn"]
    assert described["StreamLabel"] == shown["LatestStreamLabel"] == arn.rsplit("/", 1)[1]
    assert described["StreamStatus"] == "ENABLED"
    assert described["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert described["TableName"] == table
    assert described["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}]
    assert shown["StreamSpecification"] == {
        "StreamEnabled": True,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    for shard in described["Shards"]:
        assert shard["ShardId"].startswith("shardId-")
        assert int(shard["SequenceNumberRange"]["StartingSequenceNumber"]) >= 0


def test_a_filter_names_its_type_and_goes_without_a_start(
    streams: Client, table_and_arn: tuple[str, str]
) -> None:
    _, arn = table_and_arn
    shard = shards(streams, arn)[0]["ShardId"]
    children = {"Type": "CHILD_SHARDS", "ShardId": shard}
    shown = streams.describe_stream(StreamArn=arn, ShardFilter=children)
    assert shown["StreamDescription"]["Shards"] == []
    refused = refusal(streams.describe_stream, StreamArn=arn, ShardFilter={"ShardId": shard})
    assert refused == invalid(
        "1 validation error detected: Value 'null' at 'shardFilter.type' failed to satisfy "
        "constraint: Member must be CHILD_SHARDS"
    )
    refused = refusal(
        streams.describe_stream, StreamArn=arn, ShardFilter=children, ExclusiveStartShardId=shard
    )
    assert refused == invalid(
        "ShardFilter and ExclusiveStartShardId both should not be specified in the request."
    )


def test_list_streams(client: Client, streams: Client, table_and_arn: tuple[str, str]) -> None:
    table, arn = table_and_arn
    (found,) = streams.list_streams(TableName=table)["Streams"]
    assert (found["StreamArn"], found["TableName"]) == (arn, table)
    assert found["StreamLabel"] == arn.rsplit("/", 1)[1]
    page = streams.list_streams(Limit=1)
    assert len(page["Streams"]) == 1


def test_disabling_keeps_the_records(client: Client, streams: Client) -> None:
    table, arn = streamed(client, "KEYS_ONLY")
    client.put_item(TableName=table, Item=item(pk="a"))
    client.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    client.put_item(TableName=table, Item=item(pk="b"))
    assert [each["dynamodb"]["Keys"] for each in read(streams, arn)] == [item(pk="a")]
    status = streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"]
    assert status == "DISABLED"
    shown = client.describe_table(TableName=table)["Table"]
    assert "StreamSpecification" not in shown


def test_enabling_again_makes_another_stream(client: Client) -> None:
    table, arn = streamed(client, "KEYS_ONLY")
    client.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    answer = client.update_table(
        TableName=table,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )
    assert answer["TableDescription"]["LatestStreamArn"] != arn


@pytest.mark.parametrize(
    ("operation", "request_", "code"),
    [
        pytest.param(
            "describe_stream",
            {"StreamArn": NO_STREAM},
            "ResourceNotFoundException",
            id="unknown-stream",
        ),
        pytest.param(
            "get_shard_iterator",
            {
                "StreamArn": NO_STREAM,
                "ShardId": "shardId-00000000000000000000-00000000",
                "ShardIteratorType": "LATEST",
            },
            "ResourceNotFoundException",
            id="iterator-of-unknown-stream",
        ),
        pytest.param(
            "get_records",
            {"ShardIterator": "nonsense"},
            "ValidationException",
            id="bad-iterator",
        ),
    ],
)
def test_refused(streams: Client, operation: str, request_: dict[str, Any], code: str) -> None:
    assert refusal(getattr(streams, operation), **request_)[0] == code


def test_refused_iterators(streams: Client, table_and_arn: tuple[str, str]) -> None:
    _, arn = table_and_arn
    shard = shards(streams, arn)[0]["ShardId"]
    unknown = {"ShardId": shard[:-8] + "deadbeef", "ShardIteratorType": "LATEST"}
    code, _ = refusal(streams.get_shard_iterator, StreamArn=arn, **unknown)
    assert code == "ResourceNotFoundException"
    lacking = {"ShardId": shard, "ShardIteratorType": "AT_SEQUENCE_NUMBER"}
    code, _ = refusal(streams.get_shard_iterator, StreamArn=arn, **lacking)
    assert code == "ValidationException"


@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_a_sequence_number_is_one_of_the_shard(
    streams: Client, table_and_arn: tuple[str, str], kind: str
) -> None:
    _, arn = table_and_arn
    request = {"StreamArn": arn, "ShardId": shards(streams, arn)[0]["ShardId"]}
    refused = refusal(
        streams.get_shard_iterator, **request, ShardIteratorType=kind, SequenceNumber="0" * 21
    )
    assert refused == invalid("Invalid SequenceNumber for the shard")
