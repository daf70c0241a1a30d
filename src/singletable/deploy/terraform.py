"""Terraform configuration in its JSON form (``.tf.json``), for the provider hashicorp/aws.

In Terraform a text with ``${`` is a template, so what is meant as it stands is escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .iam import policy_of
from .plan import Alarm, Plan, Scaling

Block = dict[str, Any]

TABLE = "${aws_dynamodb_table.table.name}"
ARN = "${aws_dynamodb_table.table.arn}"
PROVIDER_MIN = ">= 5.100"
"""What the configuration is validated with."""
PROVIDER_MULTI_MIN = ">= 6.29"
"""The first whose indexes have keys of several attributes."""
SIMPLE_KEY = ("HASH", "RANGE")
INDEXES_IGNORED = (
    "Auto scaling moves the capacity of indexes, which Terraform would move back. Take "
    "global_secondary_index out of ignore_changes for the apply that changes an index."
)


def configuration(plan: Plan) -> Block:
    """Give the configuration of a plan."""
    table = dict(_table(plan))
    multi = any("key_schema" in each for each in table.get("global_secondary_index", ()))
    provider = {"source": "hashicorp/aws", "version": PROVIDER_MULTI_MIN if multi else PROVIDER_MIN}
    name = {"type": "string", "default": plan.table_name, "description": "What the table is called"}
    kinds: dict[str, Block] = {"aws_dynamodb_table": {"table": table}}
    for kind, label, block in _others(plan):
        kinds.setdefault(kind, {})[label] = block
    return {
        "terraform": {"required_providers": {"aws": provider}},
        "variable": {"table_name": name},
        "resource": kinds,
        "output": dict(_outputs(plan)),
    }


def label(name: str) -> str:
    """Make the name of a resource."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", words.lower())


def _outputs(plan: Plan) -> Iterator[tuple[str, Block]]:
    yield "table_name", {"value": TABLE}
    yield "table_arn", {"value": ARN}
    if "StreamSpecification" in plan.request:
        yield "stream_arn", {"value": "${aws_dynamodb_table.table.stream_arn}"}


def _table(plan: Plan) -> Iterator[tuple[str, Any]]:
    request, deployment = plan.request, plan.deployment
    yield "name", "${var.table_name}"
    yield "billing_mode", request["BillingMode"]
    yield from _simple_key(request["KeySchema"])
    yield from _capacity(request)
    yield (
        "attribute",
        [
            {"name": each["AttributeName"], "type": each["AttributeType"]}
            for each in request["AttributeDefinitions"]
        ],
    )
    for local in (False, True):
        indexes = request.get(f"{'Local' if local else 'Global'}SecondaryIndexes")
        if indexes:
            name = f"{'local' if local else 'global'}_secondary_index"
            yield name, [dict(_index(each, local=local)) for each in indexes]
    if stream := request.get("StreamSpecification"):
        yield "stream_enabled", True
        yield "stream_view_type", stream["StreamViewType"]
    if plan.ttl:
        yield "ttl", {"attribute_name": plan.ttl, "enabled": True}
    if deployment.point_in_time_recovery:
        days = {"recovery_period_in_days": deployment.recovery_days}
        yield "point_in_time_recovery", {"enabled": True, **days}
    if deployment.encryption != "aws-owned":
        own = deployment.encryption != "aws-managed"
        key = {"kms_key_arn": deployment.encryption} if own else {}
        yield "server_side_encryption", {"enabled": True, **key}
    if deployment.table_class != "STANDARD":
        yield "table_class", deployment.table_class
    yield "deletion_protection_enabled", deployment.deletion_protection
    if deployment.tags:
        yield "tags", escaped(dict(deployment.tags))
    yield from _lifecycle(plan)


def _simple_key(schema: list[dict[str, str]]) -> Iterator[tuple[str, str]]:
    for element, name in zip(schema, ("hash_key", "range_key"), strict=False):
        yield name, element["AttributeName"]


def _capacity(request: Block) -> Iterator[tuple[str, int]]:
    if provided := request.get("ProvisionedThroughput"):
        yield "read_capacity", provided["ReadCapacityUnits"]
        yield "write_capacity", provided["WriteCapacityUnits"]


def _index(index: Block, *, local: bool) -> Iterator[tuple[str, Any]]:
    yield "name", index["IndexName"]
    schema = index["KeySchema"]
    if local:
        yield "range_key", schema[-1]["AttributeName"]
    elif tuple(each["KeyType"] for each in schema) in {SIMPLE_KEY, SIMPLE_KEY[:1]}:
        yield from _simple_key(schema)
    else:
        named = [(each["AttributeName"], each["KeyType"]) for each in schema]
        yield "key_schema", [{"attribute_name": name, "key_type": kind} for name, kind in named]
    projection = index["Projection"]
    yield "projection_type", projection["ProjectionType"]
    if "NonKeyAttributes" in projection:
        yield "non_key_attributes", projection["NonKeyAttributes"]
    yield from _capacity(index)


def _lifecycle(plan: Plan) -> Iterator[tuple[str, Any]]:
    lifecycle: Block = {}
    if plan.deployment.removal == "retain":
        lifecycle["prevent_destroy"] = True
    scaled = {scaling.index for scaling in plan.scalings()}
    ignored = ["read_capacity", "write_capacity"] if None in scaled else []
    if scaled - {None}:
        ignored.append("global_secondary_index")
        yield "//", INDEXES_IGNORED
    if ignored:
        lifecycle["ignore_changes"] = ignored
    if lifecycle:
        yield "lifecycle", lifecycle


def _others(plan: Plan) -> Iterator[tuple[str, str, Block]]:
    for scaling in plan.scalings():
        yield from _scaling(scaling)
    for alarm in plan.alarms():
        yield "aws_cloudwatch_metric_alarm", label(alarm.name), dict(_alarm(plan, alarm))
    if plan.deployment.contributor_insights:
        yield "aws_dynamodb_contributor_insights", "table", {"table_name": TABLE}
    for name, role in plan.deployment.roles.items():
        yield from _policy(plan, name, policy_of(plan.store, role, _arn).document)


def _scaling(scaling: Scaling) -> Iterator[tuple[str, str, Block]]:
    name = label(f"{scaling.index or 'table'}-{scaling.kind}")
    target = {
        "service_namespace": "dynamodb",
        "resource_id": f"table/{TABLE}{scaling.place}",
        "scalable_dimension": scaling.dimension,
        "min_capacity": scaling.range.min,
        "max_capacity": scaling.range.max,
    }
    yield "aws_appautoscaling_target", name, target
    of_target = f"aws_appautoscaling_target.{name}"
    policy = {
        "name": f"{scaling.kind.lower()}-utilization",
        "policy_type": "TargetTrackingScaling",
        **{
            member: f"${{{of_target}.{member}}}"
            for member in ("service_namespace", "resource_id", "scalable_dimension")
        },
        "target_tracking_scaling_policy_configuration": {
            "predefined_metric_specification": {"predefined_metric_type": scaling.metric},
            "target_value": scaling.range.target,
        },
    }
    yield "aws_appautoscaling_policy", name, policy


def _alarm(plan: Plan, alarm: Alarm) -> Iterator[tuple[str, Any]]:
    yield "alarm_name", f"{TABLE}-{alarm.name}"
    yield "alarm_description", alarm.description
    if alarm.expression is None:
        [metric] = alarm.metrics
        yield "namespace", "AWS/DynamoDB"
        yield "metric_name", metric.name
        yield "dimensions", metric.dimensions(TABLE)
        yield "extended_statistic" if metric.is_percentile else "statistic", metric.statistic
        yield "period", alarm.period_s
    else:
        yield "metric_query", list(_queries(alarm))
    yield "comparison_operator", "GreaterThanOrEqualToThreshold"
    yield "threshold", alarm.threshold
    yield "evaluation_periods", alarm.periods
    yield "treat_missing_data", "notBreaching"
    alarms = plan.deployment.alarms
    if alarms and alarms.notify:
        yield "alarm_actions", [alarms.notify]


def _queries(alarm: Alarm) -> Iterator[Block]:
    yield {"id": "e0", "expression": alarm.expression, "return_data": True}
    for number, metric in enumerate(alarm.metrics):
        yield {
            "id": f"m{number}",
            "metric": {
                "namespace": "AWS/DynamoDB",
                "metric_name": metric.name,
                "dimensions": metric.dimensions(TABLE),
                "stat": metric.statistic,
                "period": alarm.period_s,
            },
        }


def _arn(within: str) -> str:
    return f"{ARN}{within}"


def _policy(plan: Plan, name: str, document: Block) -> Iterator[tuple[str, str, Block]]:
    statements = [
        {**each, **({"Condition": escaped(each["Condition"])} if "Condition" in each else {})}
        for each in document["Statement"]
    ]
    text = {**document, "Statement": statements}
    policy = {
        "name": f"{TABLE}-{label(name)}",
        "description": f"What {name} may do with the table of {plan.store.__name__}.",
        "policy": json.dumps(text),
    }
    yield "aws_iam_policy", label(name), policy


def escaped(value: Any) -> Any:
    """Give a value whose texts Terraform takes as they are."""
    if isinstance(value, dict):
        return {key: escaped(one) for key, one in value.items()}
    if isinstance(value, list):
        return [escaped(one) for one in value]
    return value.replace("${", "$${").replace("%{", "%%{") if isinstance(value, str) else value
