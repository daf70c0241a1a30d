"""Real clients against a real server: boto3, the AWS CLI, the JavaScript SDK, all unchanged."""

from __future__ import annotations

import concurrent.futures
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import components
from tests.server.conftest import TABLE
from tests.server.support import connect

SESSION = """
import { DynamoDBClient, CreateTableCommand, PutItemCommand, QueryCommand, GetItemCommand,
  DeleteTableCommand } from "@aws-sdk/client-dynamodb";
const db = new DynamoDBClient({ endpoint: process.argv[2], region: "us-east-1",
  credentials: { accessKeyId: "anyone", secretAccessKey: "anything" } });
await db.send(new CreateTableCommand(JSON.parse(process.argv[3])));
const Item = { pk: { S: "a" }, data: { B: Uint8Array.from([0, 255]) }, n: { N: "1.50" } };
await db.send(new PutItemCommand({ TableName: "Scripted", Item }));
const found = await db.send(new QueryCommand({ TableName: "Scripted",
  KeyConditionExpression: "pk = :a", ExpressionAttributeValues: { ":a": { S: "a" } } }));
let error;
try { await db.send(new GetItemCommand({ TableName: "Nope", Key: { pk: { S: "a" } } })); }
catch (caught) { error = caught.name; }
await db.send(new DeleteTableCommand({ TableName: "Scripted" }));
const { data, n } = found.Items[0];
console.log(JSON.stringify({ count: found.Count, data: Array.from(data.B), n: n.N, error }));
"""


def test_boto3_works_unchanged(url: str) -> None:
    client = connect(url)
    item = {"pk": {"S": "boto3"}, "data": {"B": b"\x00\xff"}, "n": {"N": "1.5"}}
    answer = client.put_item(TableName="Music", Item=item, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 1
    assert answer["ResponseMetadata"]["RequestId"]
    assert client.get_item(TableName="Music", Key={"pk": item["pk"]})["Item"] == item
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(
            TableName="Music", Item=item, ConditionExpression="attribute_not_exists(pk)"
        )
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.get_item(TableName="Nope", Key={"pk": item["pk"]})


def test_boto3_waits_pages_and_reads_streams(url: str) -> None:
    client, streams = connect(url), connect(url, "dynamodbstreams")
    view = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    client.create_table(**TABLE | {"TableName": "Streamed", "StreamSpecification": view})
    client.get_waiter("table_exists").wait(TableName="Streamed", WaiterConfig={"Delay": 1})
    for number in range(5):
        client.put_item(TableName="Streamed", Item={"pk": {"S": str(number)}})
    pages = client.get_paginator("scan").paginate(
        TableName="Streamed", PaginationConfig={"PageSize": 2}
    )
    assert [page["Count"] for page in pages] == [2, 2, 1]
    [stream] = streams.list_streams(TableName="Streamed")["Streams"]
    shard = streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]["Shards"][0]
    iterator = streams.get_shard_iterator(
        StreamArn=stream["StreamArn"], ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    assert len(streams.get_records(ShardIterator=iterator)["Records"]) == 5
    client.delete_table(TableName="Streamed")
    client.get_waiter("table_not_exists").wait(TableName="Streamed", WaiterConfig={"Delay": 1})


def test_many_clients_write_at_once(url: str) -> None:
    client = connect(url)

    def add(_: int) -> None:
        client.update_item(
            TableName="Music",
            Key={"pk": {"S": "counter"}},
            UpdateExpression="ADD visits :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(200)))
    counter = client.get_item(TableName="Music", Key={"pk": {"S": "counter"}})
    assert counter["Item"]["visits"] == {"N": "200"}


def aws(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the AWS CLI as a user would, with credentials in the environment."""
    settings = {
        "AWS_ACCESS_KEY_ID": "anyone",
        "AWS_SECRET_ACCESS_KEY": "anything",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
    return subprocess.run(
        [components.aws_cli(), "dynamodb", "--endpoint-url", url, *arguments],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_aws_cli_works_unchanged(url: str) -> None:
    key, item = '{"pk": {"S": "cli"}}', '{"pk": {"S": "cli"}, "n": {"N": "1.5"}}'
    put = aws(url, "put-item", "--table-name", "Music", "--item", item)
    assert put.returncode == 0, put.stderr
    got = aws(url, "get-item", "--table-name", "Music", "--key", key)
    assert json.loads(got.stdout) == {"Item": json.loads(item)}
    described = aws(url, "describe-table", "--table-name", "Music")
    assert json.loads(described.stdout)["Table"]["TableStatus"] == "ACTIVE"
    missing = aws(url, "get-item", "--table-name", "Nope", "--key", key)
    assert missing.returncode != 0
    assert "ResourceNotFoundException" in missing.stderr


def test_the_javascript_sdk_works_unchanged(url: str, tmp_path: Path) -> None:
    node, folder = components.javascript_sdk()
    (tmp_path / "node_modules").symlink_to(folder / "node_modules")
    script = tmp_path / "session.mjs"
    script.write_text(SESSION)
    table = json.dumps(TABLE | {"TableName": "Scripted"})
    done = subprocess.run(
        [node, str(script), url, table], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "count": 1,
        "data": [0, 255],
        "n": "1.5",
        "error": "ResourceNotFoundException",
    }
