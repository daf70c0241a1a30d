"""CloudFormation and SAM templates: the table with all that belongs to it, as JSON or YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .iam import policy_of
from .plan import Alarm, Metric, Plan, Scaling

Template = dict[str, Any]
TABLE = "Table"
"""The logical id of the table."""
SAM = "AWS::Serverless-2016-10-31"
_PLAIN_KEY = re.compile(r"(?!(?:null|true|false|yes|no|on|off|y|n)$)[a-z][\w:]*", re.IGNORECASE)
"""A key that YAML takes for a text without quotes."""


def template(plan: Plan, *, sam: bool = False) -> Template:
    """Give the template of a plan."""
    name = {"Type": "String", "Default": plan.table_name, "Description": "What the table is called"}
    description = f"The table of {plan.store.__name__}, made from its design by singletable."
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        **({"Transform": SAM} if sam else {}),
        "Description": description,
        "Parameters": {"TableName": name},
        "Resources": resources(plan),
        "Outputs": dict(_outputs(plan)),
    }


def resources(plan: Plan) -> Template:
    """Give the resources of a plan by their logical ids."""
    made = {TABLE: _table(plan)}
    for scaling in plan.scalings():
        made |= dict(_scaling(scaling))
    for alarm in plan.alarms():
        made[f"{logical_id(alarm.name)}Alarm"] = _alarm(plan, alarm)
    for name, role in plan.deployment.roles.items():
        policy = policy_of(plan.store, role, _arn)
        made[f"{logical_id(name)}Policy"] = {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {
                "Description": f"What {name} may do with the table of {plan.store.__name__}.",
                "PolicyDocument": policy.document,
            },
        }
    return made


def logical_id(name: str) -> str:
    """Make a logical id, which has letters and digits alone."""
    return "".join(part[0].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name) if part)


def _arn(within: str) -> Any:
    if not within:
        return {"Fn::GetAtt": [TABLE, "Arn"]}
    return {"Fn::Sub": f"${{{TABLE}.Arn}}{within}"}


def _outputs(plan: Plan) -> Iterator[tuple[str, Any]]:
    yield "TableName", {"Value": {"Ref": TABLE}}
    yield "TableArn", {"Value": {"Fn::GetAtt": [TABLE, "Arn"]}}
    if "StreamSpecification" in plan.request:
        yield "StreamArn", {"Value": {"Fn::GetAtt": [TABLE, "StreamArn"]}}


def _table(plan: Plan) -> Template:
    policy = plan.deployment.removal.capitalize()
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "Properties": dict(_properties(plan)),
    }


def _properties(plan: Plan) -> Iterator[tuple[str, Any]]:
    deployment = plan.deployment
    request = {**plan.request, "TableName": {"Ref": "TableName"}}
    stream = request.pop("StreamSpecification", None)
    yield from request.items()
    if stream:
        yield "StreamSpecification", {"StreamViewType": stream["StreamViewType"]}
    if plan.ttl:
        yield "TimeToLiveSpecification", {"AttributeName": plan.ttl, "Enabled": True}
    if deployment.point_in_time_recovery:
        days = {"RecoveryPeriodInDays": deployment.recovery_days}
        recovery = {"PointInTimeRecoveryEnabled": True, **days}
        yield "PointInTimeRecoverySpecification", recovery
    if deployment.encryption != "aws-owned":
        own = deployment.encryption != "aws-managed"
        key = {"KMSMasterKeyId": deployment.encryption} if own else {}
        yield "SSESpecification", {"SSEEnabled": True, "SSEType": "KMS", **key}
    if deployment.contributor_insights:
        yield "ContributorInsightsSpecification", {"Enabled": True}
    if deployment.table_class != "STANDARD":
        yield "TableClass", deployment.table_class
    yield "DeletionProtectionEnabled", deployment.deletion_protection
    if deployment.tags:
        yield "Tags", [{"Key": key, "Value": value} for key, value in deployment.tags.items()]


def _scaling(scaling: Scaling) -> Iterator[tuple[str, Template]]:
    name = logical_id(f"{scaling.index or TABLE}-{scaling.kind}-scaling")
    yield (
        f"{name}Target",
        {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": {
                "ServiceNamespace": "dynamodb",
                "ResourceId": {"Fn::Sub": f"table/${{{TABLE}}}{scaling.place}"},
                "ScalableDimension": scaling.dimension,
                "MinCapacity": scaling.range.min,
                "MaxCapacity": scaling.range.max,
            },
        },
    )
    yield (
        f"{name}Policy",
        {
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": {
                "PolicyName": f"{scaling.kind.lower()}-utilization",
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": {"Ref": f"{name}Target"},
                "TargetTrackingScalingPolicyConfiguration": {
                    "PredefinedMetricSpecification": {"PredefinedMetricType": scaling.metric},
                    "TargetValue": scaling.range.target,
                },
            },
        },
    )


def _alarm(plan: Plan, alarm: Alarm) -> Template:
    alarms = plan.deployment.alarms
    topic = alarms.notify if alarms else None
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmName": {"Fn::Sub": f"${{{TABLE}}}-{alarm.name}"},
            "AlarmDescription": alarm.description,
            **_measured(alarm),
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "Threshold": alarm.threshold,
            "EvaluationPeriods": alarm.periods,
            "TreatMissingData": "notBreaching",
            **({"AlarmActions": [topic]} if topic else {}),
        },
    }


def _measured(alarm: Alarm) -> Template:
    if alarm.expression is None:
        [metric] = alarm.metrics
        kind = "ExtendedStatistic" if metric.is_percentile else "Statistic"
        return {**_metric(metric), kind: metric.statistic, "Period": alarm.period_s}
    expression = {"Id": "e0", "Expression": alarm.expression, "ReturnData": True}
    measured = [
        {
            "Id": f"m{number}",
            "MetricStat": {
                "Metric": _metric(metric),
                "Stat": metric.statistic,
                "Period": alarm.period_s,
            },
            "ReturnData": False,
        }
        for number, metric in enumerate(alarm.metrics)
    ]
    return {"Metrics": [expression, *measured]}


def _metric(metric: Metric) -> Template:
    return {
        "Namespace": "AWS/DynamoDB",
        "MetricName": metric.name,
        "Dimensions": [
            {"Name": name, "Value": value}
            for name, value in metric.dimensions({"Ref": TABLE}).items()
        ],
    }


def as_yaml(value: Any, indent: str = "") -> str:
    """Write a template as YAML: blocks whose keys and values are plain or quoted as in JSON."""
    if isinstance(value, dict) and value:
        return "".join(f"{indent}{_key(key)}:{_below(one, indent)}" for key, one in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{indent}-{_item(one, indent)}" for one in value)
    return f"{indent}{json.dumps(value, ensure_ascii=False)}\n"


def _below(value: Any, indent: str) -> str:
    if isinstance(value, dict | list) and value:
        return f"\n{as_yaml(value, f'{indent}  ')}"
    return f" {as_yaml(value)}"


def _item(value: Any, indent: str) -> str:
    return f" {as_yaml(value, f'{indent}  ').lstrip()}"


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
