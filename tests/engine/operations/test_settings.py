"""Tags, policies, Kinesis destinations, contributor insights: kept and answered."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import (
    PolicyNotFoundException,
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.support import Clock, create, describe, index

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/things"
STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/things"
POLICY = '{"Version": "2012-10-17", "Statement": []}'


def tag(engine: Engine, **tags: str) -> None:
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    engine.call("TagResource", {"ResourceArn": ARN, "Tags": listed})


def tags(engine: Engine) -> dict[str, str]:
    answer = engine.call("ListTagsOfResource", {"ResourceArn": ARN})
    return {each["Key"]: each["Value"] for each in answer["Tags"]}


def put_policy(engine: Engine, policy: str = POLICY, **members: Any) -> str:
    answer = engine.call("PutResourcePolicy", {"ResourceArn": ARN, "Policy": policy, **members})
    revision: str = answer["RevisionId"]
    return revision


def kinesis(engine: Engine, action: str, **members: Any) -> dict[str, Any]:
    request = {"TableName": "things", "StreamArn": STREAM, **members}
    return engine.call(f"{action}KinesisStreamingDestination", request)


def test_tags_are_added_replaced_and_removed(engine: Engine) -> None:
    create(engine, Tags=[{"Key": "a", "Value": "1"}])
    tag(engine, b="2", a="3")
    assert tags(engine) == {"a": "3", "b": "2"}
    engine.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["a", "none"]})
    assert tags(engine) == {"b": "2"}


def test_a_fifty_first_tag_is_refused(engine: Engine) -> None:
    create(engine)
    tag(engine, **{f"k{number}": "" for number in range(50)})
    with pytest.raises(ValidationException, match="exceeds the limit of 50: 51"):
        tag(engine, more="")


def test_an_arn_of_nothing_is_refused(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundException) as missing:
        tags(engine)
    assert missing.value.message == f"Requested resource not found: ResourcArn: {ARN} not found"
    with pytest.raises(ValidationException) as invalid:
        engine.call("ListTagsOfResource", {"ResourceArn": "things"})
    assert invalid.value.message == (
        "Invalid TableArn: Invalid ResourceArn provided as input things"
    )


def test_a_policy_is_kept_with_its_revision(engine: Engine) -> None:
    create(engine)
    revision = put_policy(engine)
    answer = engine.call("GetResourcePolicy", {"ResourceArn": ARN})
    assert answer == {"Policy": POLICY, "RevisionId": revision}
    assert put_policy(engine) == revision
    changed = put_policy(engine, '{"Statement": []}', ExpectedRevisionId=revision)
    assert changed != revision
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": ARN}) == {"RevisionId": changed}
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": ARN}) == {}
    with pytest.raises(PolicyNotFoundException):
        engine.call("GetResourcePolicy", {"ResourceArn": ARN})


def test_a_policy_that_is_not_there_is_none_of_any_revision(engine: Engine) -> None:
    create(engine)
    for expected in ("NO_POLICY", "1"):
        with pytest.raises(PolicyNotFoundException):
            engine.call(
                "DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": expected}
            )


def test_a_policy_of_another_revision_is_not_touched(engine: Engine) -> None:
    create(engine)
    first = put_policy(engine, ExpectedRevisionId="NO_POLICY")
    for expected in ("NO_POLICY", "1"):
        with pytest.raises(PolicyNotFoundException):
            put_policy(engine, "{}", ExpectedRevisionId=expected)
        with pytest.raises(PolicyNotFoundException):
            engine.call(
                "DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": expected}
            )
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN})["RevisionId"] == first


@pytest.mark.parametrize("policy", ["", "no", "[]", '{"a": "' + "x" * 20480 + '"}'])
def test_what_is_no_policy_is_refused(engine: Engine, policy: str) -> None:
    create(engine)
    with pytest.raises(ValidationException):
        put_policy(engine, policy)


def test_a_table_is_created_with_its_policy(engine: Engine) -> None:
    create(engine, ResourcePolicy=POLICY)
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN})["Policy"] == POLICY


def test_an_arn_with_another_region_and_account_names_the_same_policy(engine: Engine) -> None:
    create(engine, ResourcePolicy=POLICY)
    elsewhere = ARN.replace("us-east-1", "eu-west-1").replace("000000000000", "123456789012")
    found = engine.call("GetResourcePolicy", {"ResourceArn": elsewhere})
    assert found == engine.call("GetResourcePolicy", {"ResourceArn": ARN})
    engine.call("DeleteResourcePolicy", {"ResourceArn": elsewhere})
    with pytest.raises(PolicyNotFoundException):
        engine.call("GetResourcePolicy", {"ResourceArn": ARN})


def test_a_kinesis_destination_is_enabled_changed_and_disabled(engine: Engine) -> None:
    create(engine)
    assert kinesis(engine, "Enable")["DestinationStatus"] == "ENABLING"
    with pytest.raises(ValidationException, match="must be DISABLED or ENABLE_FAILED"):
        kinesis(engine, "Enable")
    destination = {"StreamArn": STREAM, "DestinationStatus": "ACTIVE"}
    precise = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    described = engine.call("DescribeKinesisStreamingDestination", {"TableName": "things"})
    assert described["KinesisDataStreamDestinations"] == [destination | precise]
    milli = {"ApproximateCreationDateTimePrecision": "MILLISECOND"}
    answer = kinesis(engine, "Update", UpdateKinesisStreamingConfiguration=milli)
    assert answer["UpdateKinesisStreamingConfiguration"] == milli
    described = engine.call("DescribeKinesisStreamingDestination", {"TableName": "things"})
    assert described["TableName"] == "things"
    assert described["KinesisDataStreamDestinations"] == [destination | milli]
    assert kinesis(engine, "Disable")["DestinationStatus"] == "DISABLING"
    described = engine.call("DescribeKinesisStreamingDestination", {"TableName": "things"})
    assert described["KinesisDataStreamDestinations"][0]["DestinationStatus"] == "DISABLED"
    for action in ("Disable", "Update"):
        with pytest.raises(ValidationException, match=f"to perform {action.upper()} operation"):
            kinesis(engine, action)


def test_a_table_streams_to_one_kinesis_stream_at_a_time(engine: Engine) -> None:
    create(engine)
    kinesis(engine, "Enable")
    with pytest.raises(ValidationException, match="must be DISABLED or ENABLE_FAILED"):
        kinesis(engine, "Enable", StreamArn=STREAM + "-2")
    kinesis(engine, "Disable")
    kinesis(engine, "Enable", StreamArn=STREAM + "-2")
    described = engine.call("DescribeKinesisStreamingDestination", {"TableName": "things"})
    shown = [each["DestinationStatus"] for each in described["KinesisDataStreamDestinations"]]
    assert shown == ["DISABLED", "ACTIVE"]


def test_contributor_insights_are_kept_for_tables_and_indexes(engine: Engine, clock: Clock) -> None:
    create(engine, GlobalSecondaryIndexes=[index("gsi", "pk")])
    table, gsi = {"TableName": "things"}, {"TableName": "things", "IndexName": "gsi"}
    described = engine.call("DescribeContributorInsights", table)
    assert described == {**table, "ContributorInsightsStatus": "DISABLED"}
    answer = engine.call(
        "UpdateContributorInsights", {**gsi, "ContributorInsightsAction": "ENABLE"}
    )
    assert answer["ContributorInsightsStatus"] == "ENABLING"
    described = engine.call("DescribeContributorInsights", gsi)
    assert described["ContributorInsightsStatus"] == "ENABLED"
    assert described["LastUpdateDateTime"].timestamp() == clock.now
    assert described["ContributorInsightsRuleList"] == [
        "DynamoDBContributorInsights-PKC-things-gsi-1700000000000",
        "DynamoDBContributorInsights-PKT-things-gsi-1700000000000",
    ]
    (summary,) = engine.call("ListContributorInsights", {})["ContributorInsightsSummaries"]
    assert summary.items() >= {**gsi, "ContributorInsightsStatus": "ENABLED"}.items()
    with pytest.raises(ResourceNotFoundException):
        engine.call("DescribeContributorInsights", {**table, "IndexName": "none"})


def test_insights_that_are_enabled_already_go_on(engine: Engine, clock: Clock) -> None:
    create(engine)
    table = {"TableName": "things"}
    enable = {**table, "ContributorInsightsAction": "ENABLE"}
    engine.call("UpdateContributorInsights", enable)
    before = engine.call("DescribeContributorInsights", table)
    clock.now += 10
    engine.call("UpdateContributorInsights", enable)
    assert engine.call("DescribeContributorInsights", table) == before
    engine.call(
        "UpdateContributorInsights", {**enable, "ContributorInsightsMode": "THROTTLED_KEYS"}
    )
    after = engine.call("DescribeContributorInsights", table)
    assert after["LastUpdateDateTime"].timestamp() == clock.now


def test_a_deleted_index_takes_its_insights_along(engine: Engine) -> None:
    create(engine, GlobalSecondaryIndexes=[index("gsi", "pk")])
    enable = {"TableName": "things", "IndexName": "gsi", "ContributorInsightsAction": "ENABLE"}
    engine.call("UpdateContributorInsights", enable)
    delete = {"Delete": {"IndexName": "gsi"}}
    engine.call("UpdateTable", {"TableName": "things", "GlobalSecondaryIndexUpdates": [delete]})
    assert engine.call("ListContributorInsights", {}) == {"ContributorInsightsSummaries": []}


def test_settings_leave_the_rest_of_the_table_alone(engine: Engine) -> None:
    create(engine)
    before = describe(engine)
    tag(engine, a="1")
    put_policy(engine)
    kinesis(engine, "Enable")
    assert describe(engine) == before
