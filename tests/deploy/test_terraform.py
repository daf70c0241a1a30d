"""Terraform: held against the provider's documented arguments, and by Terraform itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from singletable.deploy.plan import Plan
from singletable.deploy.terraform import configuration
from tests.deploy.samples import APPS, KEY, KINDS, SUB
from tests.deploy.test_cloudformation import CASES, Films
from tests.deploy.tools import run, terraform

# What the provider documents for each resource and block: what it needs, and what it may have.
ARGUMENTS: dict[str, tuple[set[str], set[str]]] = {
    "aws_dynamodb_table": (
        {"name", "attribute", "hash_key"},
        {
            "billing_mode",
            "deletion_protection_enabled",
            "global_secondary_index",
            "local_secondary_index",
            "point_in_time_recovery",
            "range_key",
            "read_capacity",
            "server_side_encryption",
            "stream_enabled",
            "stream_view_type",
            "table_class",
            "tags",
            "ttl",
            "write_capacity",
        },
    ),
    "attribute": ({"name", "type"}, set()),
    "global_secondary_index": (
        {"name", "projection_type"},
        {
            "hash_key",
            "key_schema",
            "non_key_attributes",
            "range_key",
            "read_capacity",
            "write_capacity",
        },
    ),
    "key_schema": ({"attribute_name", "key_type"}, set()),
    "local_secondary_index": ({"name", "projection_type", "range_key"}, {"non_key_attributes"}),
    "point_in_time_recovery": ({"enabled"}, {"recovery_period_in_days"}),
    "server_side_encryption": ({"enabled"}, {"kms_key_arn"}),
    "ttl": (set(), {"attribute_name", "enabled"}),
    "lifecycle": (set(), {"ignore_changes", "prevent_destroy"}),
    "aws_appautoscaling_target": (
        {
            "max_capacity",
            "min_capacity",
            "resource_id",
            "scalable_dimension",
            "service_namespace",
        },
        set(),
    ),
    "aws_appautoscaling_policy": (
        {"name", "resource_id", "scalable_dimension", "service_namespace"},
        {"policy_type", "target_tracking_scaling_policy_configuration"},
    ),
    "target_tracking_scaling_policy_configuration": (
        {"target_value"},
        {"predefined_metric_specification"},
    ),
    "predefined_metric_specification": ({"predefined_metric_type"}, set()),
    "aws_cloudwatch_metric_alarm": (
        {"alarm_name", "comparison_operator", "evaluation_periods"},
        {
            "alarm_actions",
            "alarm_description",
            "dimensions",
            "extended_statistic",
            "metric_name",
            "metric_query",
            "namespace",
            "period",
            "statistic",
            "threshold",
            "treat_missing_data",
        },
    ),
    "metric_query": ({"id"}, {"expression", "metric", "return_data"}),
    "metric": ({"metric_name", "period", "stat"}, {"dimensions", "namespace"}),
    "aws_dynamodb_contributor_insights": ({"table_name"}, set()),
    "aws_iam_policy": ({"policy"}, {"description", "name"}),
}
ANY_NAMES = {"dimensions", "tags"}
EVERYWHERE = {"lifecycle", "//"}


def _check(kind: str, block: dict[str, Any]) -> None:
    """Hold a block, and those in it, against the documented arguments."""
    needed, more = ARGUMENTS[kind]
    assert needed <= set(block), kind
    assert set(block) <= needed | more | EVERYWHERE, kind
    for name, value in block.items():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict) and name not in ANY_NAMES:
                _check(name, inner)


def _made(name: str, kind: str) -> dict[str, Any]:
    return configuration(APPS[name].plan(kind))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_argument_is_documented(name: str, kind: str) -> None:
    for resource, blocks in _made(name, kind)["resource"].items():
        for block in blocks.values():
            _check(resource, block)


def test_indexes_of_several_key_attributes_are_said_as_the_newer_provider_does() -> None:
    made = configuration(Plan.of(Films))
    table = made["resource"]["aws_dynamodb_table"]["table"]
    _check("aws_dynamodb_table", table)
    [index] = table["global_secondary_index"]
    assert [each["key_type"] for each in index["key_schema"]] == ["HASH", "HASH", "RANGE", "RANGE"]
    assert table["local_secondary_index"][0]["range_key"] == "title"
    assert made["terraform"]["required_providers"]["aws"]["version"] == ">= 6.29"


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_terraform_finds_it_valid(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "main.tf.json").write_text(json.dumps(_made(name, kind)))
    run(terraform(tmp_path), "validate", cwd=tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_for_terraform_to_fill_is_escaped(kind: str) -> None:
    made = _made("campaigns", kind)["resource"]
    if kind == "nothing":
        assert "aws_iam_policy" not in made
        return
    assert made["aws_dynamodb_table"]["table"]["tags"]["price"] == "$${low}"
    policy = json.loads(made["aws_iam_policy"]["own_items"]["policy"])["Statement"][0]
    assert policy["Resource"] == ["${aws_dynamodb_table.table.arn}"]
    keys = policy["Condition"]["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"]
    assert keys == [f"USER#$${{{SUB}}}", f"USER#$${{{SUB}}}#REQUESTS"]


def test_the_defaults_are_the_safe_ones() -> None:
    table = _made("campaigns", "nothing")["resource"]["aws_dynamodb_table"]["table"]
    assert table["billing_mode"] == "PAY_PER_REQUEST"
    assert table["deletion_protection_enabled"] is True
    assert table["point_in_time_recovery"] == {"enabled": True, "recovery_period_in_days": 35}
    assert table["lifecycle"] == {"prevent_destroy": True}
    assert "server_side_encryption" not in table


def test_what_is_asked_for_is_there() -> None:
    table = _made("surveys", "everything")["resource"]["aws_dynamodb_table"]["table"]
    assert table["ttl"] == {"attribute_name": "ttl", "enabled": True}
    assert table["server_side_encryption"] == {"enabled": True, "kms_key_arn": KEY}
    assert (table["read_capacity"], table["write_capacity"]) == (5, 3)
    ignored = ["read_capacity", "write_capacity", "global_secondary_index"]
    assert table["lifecycle"] == {"ignore_changes": ignored}
