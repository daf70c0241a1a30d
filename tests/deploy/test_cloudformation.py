"""CloudFormation and SAM: linted by AWS's own linter, and created in an emulator."""

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import boto3
import pytest

from apps.stories.design import Stories
from singletable import Entity, Get, GlobalIndex, Index, LocalIndex, Store, Table, pattern
from singletable.deploy.cloudformation import SAM, as_yaml, template
from singletable.deploy.deployment import Deployment
from singletable.deploy.plan import Plan
from singletable.store.creation import create_request
from tests import components
from tests.components import script
from tests.deploy.samples import APPS, KEY, KINDS, TOPIC
from tests.deploy.tools import needs, run

CASES = [(name, kind) for name in APPS for kind in KINDS]

many = Table(
    "many",
    indexes=[
        GlobalIndex("ByYear", pk=["year", "owner"], sk=["month", "title"], projection=["size"]),
        LocalIndex("ByTitle", sk="title", projection="KEYS_ONLY"),
    ],
)


class Film(Entity, table=many, pk="OWNER#{owner}", sk="FILM#{film_id}"):
    """In an index of several key attributes, and in a local one."""

    by_year = Index("ByYear", pk=["year", "owner"], sk=["month", "title"])
    by_title = Index("ByTitle", sk=["title"])

    owner: str
    film_id: str
    year: int
    month: int
    title: str


class Films(Store, table=many):
    """Has a design that the apps do not have."""

    @pattern()
    def film(self, owner: str, film_id: str) -> Get[Film]:
        """One film."""
        return Film.get(owner=owner, film_id=film_id)


def _made(name: str, kind: str) -> dict[str, Any]:
    return template(APPS[name].plan(kind))


def _properties(name: str, kind: str) -> dict[str, Any]:
    properties: dict[str, Any] = _made(name, kind)["Resources"]["Table"]["Properties"]
    return properties


def test_cfn_lint_finds_nothing(tmp_path: Path) -> None:
    for name, app in APPS.items():
        everything, nothing = template(app.plan("everything")), app.plan("nothing")
        (tmp_path / f"{name}.json").write_text(json.dumps(everything))
        (tmp_path / f"{name}.yaml").write_text(as_yaml(template(nothing, sam=True)))
    (tmp_path / "sam.yaml").write_text(as_yaml({**everything, "Transform": SAM}))
    (tmp_path / "many.json").write_text(json.dumps(template(Plan.of(Films))))
    program = script("cfn-lint", "cfn-lint")
    assert run(program, "--region", "eu-west-1", "--", *sorted(tmp_path.iterdir())) == ""


def test_cfn_lint_reads_what_it_is_given(tmp_path: Path) -> None:
    """So that its silence means something."""
    made = _made("campaigns", "nothing")
    made["Resources"]["Table"]["Properties"]["BillingMode"] = "CHEAP"
    path = tmp_path / "template.json"
    path.write_text(json.dumps(made))
    with pytest.raises(AssertionError, match="'CHEAP' is not one of"):
        run(script("cfn-lint", "cfn-lint"), path)


@pytest.fixture(scope="module")
def emulator() -> Iterator[str]:
    """Run an emulator of AWS; give its URL."""
    port = components.free_port()
    program = script("moto_server", "moto[server]")
    with components.server([program, "-H", "127.0.0.1", "-p", str(port)], port) as url:
        yield url


def _client(service: str, url: str) -> Any:
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    return boto3.client(service, endpoint_url=url, region_name="eu-west-1", **keys)  # type: ignore[call-overload] # any service


def _in_order(table: dict[str, Any]) -> dict[str, Any]:
    """Give what a design says of a table, in one order."""
    indexes = (
        {each["IndexName"]: (each["KeySchema"], each["Projection"]) for each in table.get(kind, ())}
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
    )
    return {
        "attributes": {
            each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]
        },
        "key": table["KeySchema"],
        "indexes": list(indexes),
        "stream": table.get("StreamSpecification", {}).get("StreamViewType"),
    }


@pytest.mark.parametrize(("name", "kind"), [*CASES, ("films", "nothing")])
def test_the_table_of_a_stack_is_that_of_the_design(emulator: str, name: str, kind: str) -> None:
    plan = APPS[name].plan(kind) if name in APPS else Plan.of(Films)
    stack = f"{name}-{kind}"
    _client("cloudformation", emulator).create_stack(
        StackName=stack,
        TemplateBody=json.dumps(template(plan)),
        Capabilities=["CAPABILITY_IAM"],
        Parameters=[{"ParameterKey": "TableName", "ParameterValue": stack}],
    )
    dynamodb = _client("dynamodb", emulator)
    described = dynamodb.describe_table(TableName=stack)["Table"]
    assert _in_order(described) == _in_order(create_request(plan.store.table, stack))
    assert described["BillingModeSummary"]["BillingMode"] == plan.request["BillingMode"]
    assert described["DeletionProtectionEnabled"] is plan.deployment.deletion_protection
    units = plan.request.get("ProvisionedThroughput", {"ReadCapacityUnits": 0})
    provided = described["ProvisionedThroughput"]["ReadCapacityUnits"]
    assert provided == units["ReadCapacityUnits"]


def test_the_defaults_are_the_safe_ones() -> None:
    table = _made("campaigns", "nothing")["Resources"]["Table"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    properties = table["Properties"]
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {
        "PointInTimeRecoveryEnabled": True,
        "RecoveryPeriodInDays": 35,
    }
    assert not {"SSESpecification", "ProvisionedThroughput", "Tags"} & set(properties)


def test_what_is_asked_for_is_there() -> None:
    properties = _properties("surveys", "everything")
    assert properties["SSESpecification"]["KMSMasterKeyId"] == KEY
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert {"Key": "team", "Value": "games"} in properties["Tags"]
    assert properties["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert properties["ContributorInsightsSpecification"] == {"Enabled": True}
    units = {each["IndexName"]: each for each in properties["GlobalSecondaryIndexes"]}
    assert units["GSI1"]["ProvisionedThroughput"] == {
        "ReadCapacityUnits": 7,
        "WriteCapacityUnits": 2,
    }
    assert units["GSI2"]["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


def test_a_stream_is_there_where_the_design_has_one() -> None:
    assert _properties("stories", "nothing")["StreamSpecification"] == {
        "StreamViewType": "NEW_AND_OLD_IMAGES"
    }
    assert "StreamArn" in template(Plan.of(Stories))["Outputs"]
    assert "StreamArn" not in template(Plan.of(Films))["Outputs"]


def test_the_table_and_every_index_scale_each_way_that_can_move() -> None:
    resources = _made("campaigns", "everything")["Resources"]
    targets = {
        (each["Properties"]["ResourceId"]["Fn::Sub"], each["Properties"]["ScalableDimension"])
        for each in resources.values()
        if each["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget"
    }
    kinds = ("ReadCapacityUnits", "WriteCapacityUnits")
    expected = {("table/${Table}", f"dynamodb:table:{kind}") for kind in kinds}
    for number in (1, 2, 3):
        place = f"table/${{Table}}/index/GSI{number}"
        expected |= {(place, f"dynamodb:index:{kind}") for kind in kinds}
    expected.remove(("table/${Table}/index/GSI1", "dynamodb:index:ReadCapacityUnits"))
    assert targets == expected


def test_alarms_tell_of_throttles_errors_latency_and_use() -> None:
    resources = _made("campaigns", "everything")["Resources"]
    alarms = {name for name in resources if name.endswith("Alarm")}
    assert {
        "ReadThrottlesAlarm",
        "GSI3WriteThrottlesAlarm",
        "SystemErrorsAlarm",
        "QueryLatencyAlarm",
        "TransactWriteItemsLatencyAlarm",
        "ReadCapacityAlarm",
        "GSI2WriteCapacityAlarm",
    } <= alarms
    assert all(resources[name]["Properties"]["AlarmActions"] == [TOPIC] for name in alarms)
    latency = resources["QueryLatencyAlarm"]["Properties"]
    assert (latency["ExtendedStatistic"], latency["Threshold"]) == ("p99", 100)
    assert "ReadCapacityAlarm" not in _made("campaigns", "nothing")["Resources"]


def test_alarms_can_be_left_out() -> None:
    made = template(Plan.of(Stories, Deployment(alarms=False)))["Resources"]
    assert list(made) == ["Table"]


def test_roles_become_policies_on_the_table_of_the_stack() -> None:
    resources = _made("campaigns", "everything")["Resources"]
    policy = resources["OwnItemsPolicy"]["Properties"]["PolicyDocument"]
    assert policy["Statement"][0]["Resource"] == [{"Fn::GetAtt": ["Table", "Arn"]}]
    assert policy["Statement"][1]["Resource"] == [{"Fn::Sub": "${Table.Arn}/index/GSI1"}]


def test_keys_of_several_attributes_and_local_indexes_are_said() -> None:
    properties = template(Plan.of(Films))["Resources"]["Table"]["Properties"]
    [index] = properties["GlobalSecondaryIndexes"]
    assert [each["KeyType"] for each in index["KeySchema"]] == ["HASH", "HASH", "RANGE", "RANGE"]
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["size"]}
    assert properties["LocalSecondaryIndexes"][0]["IndexName"] == "ByTitle"


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"a": [], "b": {}, "Null": None, "on": True, "1": 1.5, "Fn::Sub": "${x}: y"},
        {"list": [[1, [2]], {"a": {"b": ["c"]}}, "- #'\"\n"], "empty": [{}]},
        _made("surveys", "everything"),
    ],
)
def test_yaml_says_what_json_says(value: Any) -> None:
    needs("yaml", "PyYAML")
    yaml = import_module("yaml")
    assert yaml.safe_load(as_yaml(value)) == value
