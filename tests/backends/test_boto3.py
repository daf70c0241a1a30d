"""boto3's own clients, answered by an engine in this process."""

from __future__ import annotations

import concurrent.futures
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError, ParamValidationError
from moto import mock_aws

from singletable.backends import boto3 as bound
from singletable.engine import Engine
from singletable.server import running

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource

TABLE: dict[str, Any] = {
    "TableName": "Music",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
KEY: Any = {"pk": {"S": "a"}, "sk": {"N": "1"}}
ABSENT: Any = {"TableName": "Music", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
ITEM: Any = KEY | {"data": {"B": b"\x00\xff"}, "set": {"SS": ["x"]}}


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Give an engine in memory that has the table Music."""
    with Engine() as engine:
        engine.call("CreateTable", TABLE)
        yield engine


@pytest.fixture
def client(engine: Engine) -> DynamoDBClient:
    return bound.client(engine)


@pytest.fixture
def resource(engine: Engine) -> DynamoDBServiceResource:
    return bound.resource(engine)


def test_the_name_of_a_service_is_no_engine() -> None:
    """The module is called as boto3 is, whose functions take that."""
    name: Any = "dynamodb"
    with pytest.raises(TypeError, match="'dynamodb' is no engine: give one where boto3 has"):
        bound.client(name)


def test_a_client_writes_and_reads(client: DynamoDBClient) -> None:
    client.put_item(TableName="Music", Item=ITEM)
    answer = client.get_item(TableName="Music", Key=KEY)
    assert answer["Item"] == ITEM


def test_answers_carry_the_metadata_of_a_response(client: DynamoDBClient) -> None:
    first, second = client.list_tables(), client.list_tables()
    metadata = first["ResponseMetadata"]
    assert metadata["HTTPStatusCode"] == 200
    assert metadata["RetryAttempts"] == 0
    assert metadata["HTTPHeaders"]["x-amzn-requestid"] == metadata["RequestId"]
    assert metadata["RequestId"] != second["ResponseMetadata"]["RequestId"]


def test_errors_are_the_exceptions_of_the_client(client: DynamoDBClient) -> None:
    client.put_item(TableName="Music", Item=ITEM)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.put_item(
            TableName="Music",
            Item=KEY,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    response: Any = caught.value.response
    assert response["Error"] == {
        "Code": "ConditionalCheckFailedException",
        "Message": "The conditional request failed",
    }
    assert response["Item"] == ITEM
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert caught.value.operation_name == "PutItem"


def test_an_error_that_boto3_does_not_model_is_a_client_error(client: DynamoDBClient) -> None:
    with pytest.raises(ClientError) as caught:
        client.get_item(TableName="Music", Key={"pk": {"S": "a"}})
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_errors_have_the_members_that_the_api_declares(client: DynamoDBClient) -> None:
    """As they have over HTTP, where botocore reads them from the body."""
    with pytest.raises(client.exceptions.ResourceNotFoundException) as missing:
        client.describe_table(TableName="Nope")
    response: Any = missing.value.response
    assert response["message"] == response["Error"]["Message"]
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=[{"ConditionCheck": ABSENT}])
    response = cancelled.value.response
    assert response["Message"] == response["Error"]["Message"]
    with pytest.raises(ClientError) as invalid:
        client.get_item(TableName="Music", Key={"pk": {"S": "a"}})
    assert "message" not in invalid.value.response


def test_moments_are_taken_in_every_form_that_boto3_takes(client: DynamoDBClient) -> None:
    client.create_backup(TableName="Music", BackupName="first")
    moment = datetime(2020, 1, 1, tzinfo=UTC)
    forms: Any = (moment, moment.timestamp(), "2020-01-01", "2020-01-01T00:00:00Z")
    for long_ago in forms:
        assert len(client.list_backups(TimeRangeLowerBound=long_ago)["BackupSummaries"]) == 1
        assert client.list_backups(TimeRangeUpperBound=long_ago)["BackupSummaries"] == []
    with pytest.raises(client.exceptions.PointInTimeRecoveryUnavailableException):
        client.restore_table_to_point_in_time(
            SourceTableName="Music", TargetTableName="Restored", RestoreDateTime="2020-01-01"
        )
    with pytest.raises(ParamValidationError):
        client.list_backups(TimeRangeLowerBound="yesterday")


def test_moments_of_streams_are_taken_so_too(engine: Engine) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    engine.update_table(TableName="Music", StreamSpecification=stream)
    client = bound.streams_client(engine)
    [found] = client.list_streams()["Streams"]
    arn = found["StreamArn"]
    [shard] = client.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    forms: Any = (datetime(2020, 1, 1, tzinfo=UTC), 1577836800, "2020-01-01T00:00:00Z")
    for long_ago in forms:
        assert client.get_shard_iterator(
            StreamArn=arn,
            ShardId=shard["ShardId"],
            ShardIteratorType="AT_TIMESTAMP",
            Timestamp=long_ago,
        )["ShardIterator"]


def test_no_moment_of_a_request_is_forgotten(engine: Engine) -> None:
    found: dict[str, tuple[str, ...]] = {}
    for client in (bound.client(engine), bound.streams_client(engine)):
        model: Any = client.meta.service_model
        for operation in model.operation_names:
            members = model.operation_model(operation).input_shape.members
            found[operation] = tuple(
                name for name in members if members[name].type_name == "timestamp"
            )
    assert {operation: names for operation, names in found.items() if names} == bound.MOMENTS


def test_a_cancelled_transaction_says_why(client: DynamoDBClient) -> None:
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=[{"ConditionCheck": ABSENT}])
    [reason] = caught.value.response["CancellationReasons"]
    assert reason["Code"] == "ConditionalCheckFailed"


def test_parameters_are_checked_by_boto3_as_ever(client: DynamoDBClient) -> None:
    with pytest.raises(ParamValidationError):
        client.get_item(TableName="Music", Key=KEY, Nonsense=True)  # type: ignore[call-arg] # wrong on purpose


def test_a_configuration_is_taken_over(engine: Engine) -> None:
    unchecked = bound.client(engine, config=Config(parameter_validation=False))
    with pytest.raises(ClientError) as caught:
        unchecked.get_item(TableName="Music")  # type: ignore[call-arg] # wrong on purpose
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_paginators_and_waiters_work(client: DynamoDBClient) -> None:
    client.get_waiter("table_exists").wait(TableName="Music")
    for number in range(5):
        client.put_item(TableName="Music", Item={"pk": {"S": "a"}, "sk": {"N": str(number)}})
    pages = client.get_paginator("query").paginate(
        TableName="Music",
        KeyConditionExpression="pk = :a",
        ExpressionAttributeValues={":a": {"S": "a"}},
        PaginationConfig={"PageSize": 2, "MaxItems": 3},
    )
    assert [item["sk"]["N"] for item in pages.search("Items")] == ["0", "1", "2"]
    client.delete_table(TableName="Music")
    client.get_waiter("table_not_exists").wait(TableName="Music")


@pytest.mark.parametrize(
    ("settings", "more"),
    [
        pytest.param({}, {}, id="all"),
        pytest.param({"PageSize": 2}, {"ReturnConsumedCapacity": "TOTAL"}, id="capacity"),
        pytest.param({"PageSize": 2, "MaxItems": 3}, {}, id="within-a-page"),
        pytest.param({"PageSize": "2", "MaxItems": "4"}, {}, id="between-pages"),
        pytest.param({"MaxItems": 5}, {}, id="no-more-than-there-are"),
        pytest.param({"MaxItems": 0}, {}, id="none"),
        pytest.param({"PageSize": 2, "MaxItems": 3}, {"Select": "COUNT"}, id="count"),
    ],
)
def test_the_engine_has_the_pages_of_boto3(
    engine: Engine, client: DynamoDBClient, settings: dict[str, Any], more: dict[str, Any]
) -> None:
    """What follows a result is found by its NextToken, from the first to the last."""
    for number in range(5):
        client.put_item(TableName="Music", Item={"pk": {"S": "a"}, "sk": {"N": str(number)}})

    def results(source: Any) -> Iterator[dict[str, Any]]:
        token: dict[str, str | None] = {}
        for _ in range(3):
            pages = source.get_paginator("scan").paginate(
                TableName="Music", PaginationConfig=settings | token, **more
            )
            whole = pages.build_full_result()
            assert whole.get("NextToken") == pages.resume_token
            token = {"StartingToken": whole.pop("NextToken", None)}
            yield whole | {"more": token["StartingToken"] is not None}
            if pages.resume_token is None:
                return

    assert list(results(engine)) == list(results(client))


def test_a_resource_speaks_python_values(resource: DynamoDBServiceResource) -> None:
    table = resource.Table("Music")
    item: Any = {
        "pk": "a",
        "sk": Decimal("1.5"),
        "data": {"list": [True, None, b"\x00"]},
        "set": {"x"},
    }
    table.put_item(Item=item)
    answer = table.query(
        KeyConditionExpression=Key("pk").eq("a"), FilterExpression=Attr("set").exists()
    )
    assert answer["Items"] == [item]
    assert [each.name for each in resource.tables.all()] == ["Music"]
    assert table.key_schema == TABLE["KeySchema"]


def test_a_resource_writes_batches(resource: DynamoDBServiceResource) -> None:
    table = resource.Table("Music")
    with table.batch_writer() as batch:
        for number in range(60):
            batch.put_item(Item={"pk": "a", "sk": number})
    assert table.scan(Select="COUNT")["Count"] == 60


def test_a_resource_raises_the_exceptions_of_its_client(resource: DynamoDBServiceResource) -> None:
    with pytest.raises(resource.meta.client.exceptions.ResourceNotFoundException):
        resource.Table("Nope").load()


def test_a_streams_client_reads_the_engines_streams(engine: Engine, client: DynamoDBClient) -> None:
    view: Any = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.update_table(TableName="Music", StreamSpecification=view)
    client.put_item(TableName="Music", Item=ITEM)
    streams = bound.streams_client(engine)
    [stream] = streams.list_streams(TableName="Music")["Streams"]
    arn = stream["StreamArn"]
    [shard] = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    [record] = streams.get_records(ShardIterator=iterator)["Records"]
    assert record["dynamodb"]["Keys"] == KEY


def test_clients_of_two_engines_do_not_mix(engine: Engine) -> None:
    with Engine() as other:
        assert bound.client(other).list_tables()["TableNames"] == []
        assert bound.client(engine).list_tables()["TableNames"] == ["Music"]
        assert bound.resource(other).meta.client.list_tables()["TableNames"] == []


def test_threads_make_and_share_clients(engine: Engine, client: DynamoDBClient) -> None:
    def write(number: int) -> None:
        maker = bound.client(engine) if number % 5 == 0 else client
        maker.put_item(TableName="Music", Item={"pk": {"S": "a"}, "sk": {"N": str(number)}})

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(50)))
    assert client.scan(TableName="Music", Select="COUNT")["Count"] == 50


HOSTILE = {
    "AWS_PROFILE": "no-such-profile",
    "AWS_CONFIG_FILE": "/no/such/file",
    "AWS_MAX_ATTEMPTS": "nonsense",
    "AWS_RETRY_MODE": "nonsense",
    "AWS_DEFAULTS_MODE": "auto",
    "AWS_ENDPOINT_URL": "http://elsewhere.invalid",
    "AWS_USE_FIPS_ENDPOINT": "true",
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "required",
}


def test_nothing_of_the_environment_or_the_network_is_needed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("the network was touched")

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(socket.socket, "connect", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    bound._session.cache_clear()
    try:
        client = bound.client(engine)
        client.put_item(TableName="Music", Item=ITEM)
        assert bound.resource(engine).Table("Music").item_count >= 0
    finally:
        bound._session.cache_clear()


def test_mocks_of_other_services_leave_the_engine_to_answer(
    engine: Engine, client: DynamoDBClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a suite that has its buckets from moto: its mock takes what is sent to AWS alone."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws(), running(engine) as url:
        boto3.client("s3").create_bucket(Bucket="covers")
        served = boto3.client("dynamodb", endpoint_url=url)
        for each in (client, bound.client(engine), served):
            assert each.list_tables()["TableNames"] == ["Music"]
        served.close()
        assert boto3.client("dynamodb").list_tables()["TableNames"] == []


def test_boto3_is_loaded_only_when_it_is_used() -> None:
    code = "import sys, singletable.engine, singletable.backends; print('boto3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
