"""Settings that have no effect here: kept, and shown as the service shows them."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from .support import Client, create, index, invalid, keys, refusal, unique

BAD = "One or more parameter values were invalid: "


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S")


def described(client: Client, table: str) -> dict[str, Any]:
    shown: dict[str, Any] = client.describe_table(TableName=table)["Table"]
    return shown


def test_table_class(client: Client) -> None:
    name = create(client, "pk:S", TableClass="STANDARD_INFREQUENT_ACCESS")
    summary = described(client, name)["TableClassSummary"]
    assert summary["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    client.update_table(TableName=name, TableClass="STANDARD")
    assert described(client, name)["TableClassSummary"]["TableClass"] == "STANDARD"


def test_a_table_class_is_changed_alone(client: Client, table: str) -> None:
    refused = refusal(
        client.update_table,
        TableName=table,
        TableClass="STANDARD_INFREQUENT_ACCESS",
        DeletionProtectionEnabled=False,
    )
    assert refused == invalid(
        BAD + "TableClass modification must be the only operation in the request"
    )


def test_encryption(client: Client) -> None:
    name = create(client, "pk:S", SSESpecification={"Enabled": True, "SSEType": "KMS"})
    shown = described(client, name)["SSEDescription"]
    assert (shown["Status"], shown["SSEType"]) == ("ENABLED", "KMS")
    assert shown["KMSMasterKeyArn"].startswith("arn:aws:kms:")
    assert len(shown["KMSMasterKeyArn"].rpartition(":key/")[2]) == len(str(uuid4()))


SAME_KEY = (
    "Table is already encrypted with given KMSMasterKeyId. "
    "Use KMSMasterKeyId parameter if you want to change Master Key"
)


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        pytest.param(False, {"Enabled": False}, "Table is already encrypted by default", id="none"),
        pytest.param(True, {"Enabled": True}, SAME_KEY, id="key"),
        pytest.param(True, {"Enabled": True, "SSEType": "KMS"}, SAME_KEY, id="key-of-kms"),
        pytest.param(
            False,
            {"Enabled": True, "SSEType": "AES256"},
            "SSEType AES256 is not supported",
            id="aes",
        ),
    ],
)
def test_encryption_that_does_not_change_is_refused(
    client: Client, first: bool, then: dict[str, Any], message: str
) -> None:
    name = create(client, "pk:S", SSESpecification={"Enabled": first})
    refused = refusal(client.update_table, TableName=name, SSESpecification=then)
    assert refused == invalid(BAD + message)


def test_encryption_is_changed(client: Client) -> None:
    name = create(client, "pk:S")
    made = client.update_table(TableName=name, SSESpecification={"Enabled": True})
    assert made["TableDescription"]["SSEDescription"]["Status"] == "UPDATING"
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    assert described(client, name)["SSEDescription"]["Status"] == "ENABLED"
    client.update_table(TableName=name, SSESpecification={"Enabled": False})
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    assert "SSEDescription" not in described(client, name)


def test_a_new_table_cannot_ask_for_another_cipher(client: Client) -> None:
    request = {"TableName": unique(), "BillingMode": "PAY_PER_REQUEST", **keys("pk:S")}
    wanted = {"Enabled": True, "SSEType": "AES256"}
    refused = refusal(client.create_table, **request, SSESpecification=wanted)
    assert refused == invalid(BAD + "SSEType AES256 is not supported")


def test_on_demand_maximum(client: Client) -> None:
    wanted = {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50}
    name = create(client, "pk:S", OnDemandThroughput=wanted)
    assert described(client, name)["OnDemandThroughput"] == wanted


def test_a_maximum_that_is_not_given_stays(client: Client) -> None:
    limits = {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50}
    name = create(client, "pk:S", OnDemandThroughput=limits)
    client.update_table(TableName=name, OnDemandThroughput={"MaxReadRequestUnits": 200})
    assert described(client, name)["OnDemandThroughput"] == limits | {"MaxReadRequestUnits": 200}


def test_a_provisioned_table_has_no_on_demand_maximum(client: Client) -> None:
    limits = {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50}
    name = create(client, "pk:S", OnDemandThroughput=limits)
    client.update_table(
        TableName=name,
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    )
    assert "OnDemandThroughput" not in described(client, name)
    client.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    assert "OnDemandThroughput" not in described(client, name)


def test_a_maximum_is_taken_away(client: Client) -> None:
    limits = {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50}
    name = create(client, "pk:S", OnDemandThroughput=limits)
    none = dict.fromkeys(limits, -1)
    client.update_table(TableName=name, OnDemandThroughput=none)
    assert "OnDemandThroughput" not in described(client, name)


def test_a_new_table_may_be_said_to_have_no_maximum(client: Client) -> None:
    none = {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1}
    by_pk = index("by-pk", "pk") | {"OnDemandThroughput": none}
    name = create(client, "pk:S", OnDemandThroughput=none, GlobalSecondaryIndexes=[by_pk])
    shown = described(client, name)
    assert "OnDemandThroughput" not in shown
    assert shown["GlobalSecondaryIndexes"][0].get("OnDemandThroughput", none) == none


@pytest.mark.parametrize("units", [0, -2])
def test_a_maximum_is_at_least_one_unit(client: Client, units: int) -> None:
    request = {"TableName": unique(), "BillingMode": "PAY_PER_REQUEST", **keys("pk:S")}
    limits = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": units}
    refused = refusal(client.create_table, **request, OnDemandThroughput=limits)
    assert refused == invalid(
        BAD + "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid "
        "range"
    )


def test_a_provisioned_table_takes_no_maximum(client: Client) -> None:
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    provisioned = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units}
    limits = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 10}
    request = {"TableName": unique(), **keys("pk:S"), **provisioned}
    code, _ = refusal(client.create_table, **request, OnDemandThroughput=limits)
    assert code == "ValidationException"
    by_pk = index("by-pk", "pk") | {"ProvisionedThroughput": units, "OnDemandThroughput": limits}
    code, _ = refusal(client.create_table, **request, GlobalSecondaryIndexes=[by_pk])
    assert code == "ValidationException"


def test_an_empty_maximum_is_none(client: Client) -> None:
    """AWS documents that units must be named; who tried it found that they need not."""
    name = create(client, "pk:S", OnDemandThroughput={})
    assert "OnDemandThroughput" not in described(client, name)


def test_warm_throughput_only_grows(client: Client) -> None:
    warm = {"ReadUnitsPerSecond": 20_000, "WriteUnitsPerSecond": 5_000}
    name = create(client, "pk:S", WarmThroughput=warm)
    client.update_table(TableName=name, WarmThroughput={"ReadUnitsPerSecond": 30_000})
    shown = described(client, name)["WarmThroughput"]
    assert (shown["ReadUnitsPerSecond"], shown["WriteUnitsPerSecond"]) == (30_000, 5_000)
    code, _ = refusal(
        client.update_table, TableName=name, WarmThroughput={"ReadUnitsPerSecond": 20_000}
    )
    assert code == "ValidationException"


def test_what_a_table_was_provisioned_for_stays_warm(client: Client) -> None:
    name = create(client, "pk:S", GlobalSecondaryIndexes=[index("by-pk", "pk")])
    some = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    client.update_table(
        TableName=name,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=some,
        GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "by-pk", "ProvisionedThroughput": some}}
        ],
    )
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    shown = described(client, name)
    for warm in (shown["WarmThroughput"], shown["GlobalSecondaryIndexes"][0]["WarmThroughput"]):
        assert (warm["ReadUnitsPerSecond"], warm["WriteUnitsPerSecond"]) == (12_000, 4_000)
    for write in (6_000, 5):
        wanted = {"ReadCapacityUnits": 5, "WriteCapacityUnits": write}
        client.update_table(TableName=name, ProvisionedThroughput=wanted)
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        warm = described(client, name)["WarmThroughput"]
        assert (warm["ReadUnitsPerSecond"], warm["WriteUnitsPerSecond"]) == (12_000, 6_000)


def test_contributor_insights(client: Client, table: str) -> None:
    shown = client.describe_contributor_insights(TableName=table)
    assert shown["ContributorInsightsStatus"] == "DISABLED"
    client.update_contributor_insights(TableName=table, ContributorInsightsAction="ENABLE")
    shown = client.describe_contributor_insights(TableName=table)
    assert shown["ContributorInsightsStatus"] in {"ENABLING", "ENABLED"}
    listed = client.list_contributor_insights(TableName=table)["ContributorInsightsSummaries"]
    assert [each["TableName"] for each in listed] == [table]


def test_contributor_insights_of_indexes_come_in_pages(client: Client) -> None:
    name = create(
        client,
        "pk:S",
        "sk:S",
        indexed="g:S",
        GlobalSecondaryIndexes=[index("by-g", "g"), index("by-sk", "sk")],
        LocalSecondaryIndexes=[index("local", "pk", "g")],
    )
    for made in ({}, {"IndexName": "by-g"}, {"IndexName": "by-sk"}):
        client.update_contributor_insights(
            TableName=name, ContributorInsightsAction="ENABLE", **made
        )
    page = client.list_contributor_insights(TableName=name, MaxResults=2)
    found = page["ContributorInsightsSummaries"]
    assert len(found) == 2
    page = client.list_contributor_insights(
        TableName=name, MaxResults=2, NextToken=page["NextToken"]
    )
    found += page["ContributorInsightsSummaries"]
    assert {each.get("IndexName") for each in found} == {None, "by-g", "by-sk"}
    assert "NextToken" not in page
    code, _ = refusal(client.describe_contributor_insights, TableName=name, IndexName="local")
    assert code == "ResourceNotFoundException"


def policy_of(arn: str, action: str) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::000000000000:root"},
        "Action": f"dynamodb:{action}",
        "Resource": arn,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def test_resource_policies(client: Client) -> None:
    arn = described(client, create(client, "pk:S"))["TableArn"]
    code, _ = refusal(client.get_resource_policy, ResourceArn=arn)
    assert code == "PolicyNotFoundException"
    policy = policy_of(arn, "GetItem")
    revision = client.put_resource_policy(ResourceArn=arn, Policy=policy)["RevisionId"]
    got = client.get_resource_policy(ResourceArn=arn)
    assert (json.loads(got["Policy"]), got["RevisionId"]) == (json.loads(policy), revision)
    client.delete_resource_policy(ResourceArn=arn)
    assert refusal(client.get_resource_policy, ResourceArn=arn)[0] == "PolicyNotFoundException"


def test_a_policy_that_is_no_json_is_refused(client: Client, table: str) -> None:
    arn = described(client, table)["TableArn"]
    code, message = refusal(client.put_resource_policy, ResourceArn=arn, Policy="no policy")
    assert code == "ValidationException"
    assert message.startswith(BAD + "Invalid policy document: ")


def test_tables_and_streams_have_policies(client: Client) -> None:
    name = create(
        client,
        "pk:S",
        GlobalSecondaryIndexes=[index("by-pk", "pk")],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    shown = described(client, name)
    table, stream = shown["TableArn"], shown["LatestStreamArn"]
    policy = policy_of(stream, "GetRecords")
    client.put_resource_policy(ResourceArn=stream, Policy=policy)
    got = client.get_resource_policy(ResourceArn=stream)["Policy"]
    assert json.loads(got) == json.loads(policy)
    assert refusal(client.get_resource_policy, ResourceArn=table)[0] == "PolicyNotFoundException"
    for other, code in (
        (f"{table}/index/by-pk", "ValidationException"),
        (f"{table}/stream/2020-01-01T00:00:00.000", "ResourceNotFoundException"),
    ):
        assert refusal(client.put_resource_policy, ResourceArn=other, Policy=policy)[0] == code


def test_kinesis_destinations(client: Client) -> None:
    name, stream = create(client, "pk:S"), "arn:aws:kinesis:us-east-1:000000000000:stream/changes"
    request = {"TableName": name, "StreamArn": stream}
    wrong_state = "Table is not in a valid state to enable Kinesis Streaming Destination: "
    refused = refusal(client.disable_kinesis_streaming_destination, **request)
    assert refused == invalid(
        wrong_state + "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
    )
    made = client.enable_kinesis_streaming_destination(**request)
    assert made["DestinationStatus"] in {"ENABLING", "ACTIVE"}
    refused = refusal(client.enable_kinesis_streaming_destination, **request)
    assert refused == invalid(
        wrong_state + "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED "
        "to perform ENABLE operation."
    )
    shown = client.describe_kinesis_streaming_destination(TableName=name)
    (destination,) = shown["KinesisDataStreamDestinations"]
    assert destination["StreamArn"] == stream
    gone = client.disable_kinesis_streaming_destination(**request)
    assert gone["DestinationStatus"] in {"DISABLING", "DISABLED"}


@pytest.mark.parametrize(
    "operation", ["describe_contributor_insights", "describe_kinesis_streaming_destination"]
)
def test_unknown_tables(client: Client, operation: str) -> None:
    code, _ = refusal(getattr(client, operation), TableName=unique())
    assert code == "ResourceNotFoundException"
