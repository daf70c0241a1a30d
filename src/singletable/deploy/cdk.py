"""A stack of AWS CDK in Python: a module that makes what the CloudFormation template says.

It is written with the constructs that CDK derives from CloudFormation itself, so nothing of the
design is lost in between; the module has no need of singletable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .cloudformation import TABLE, logical_id, resources
from .plan import Plan

CLASSES = {
    "AWS::ApplicationAutoScaling::ScalableTarget": "aws_applicationautoscaling.CfnScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy": "aws_applicationautoscaling.CfnScalingPolicy",
    "AWS::CloudWatch::Alarm": "aws_cloudwatch.CfnAlarm",
    "AWS::DynamoDB::Table": "aws_dynamodb.CfnTable",
    "AWS::IAM::ManagedPolicy": "aws_iam.CfnManagedPolicy",
}
TYPES = {
    "AttributeDefinitions": "AttributeDefinition",
    "Dimensions": "Dimension",
    "GlobalSecondaryIndexes": "GlobalSecondaryIndex",
    "LocalSecondaryIndexes": "LocalSecondaryIndex",
    "Metrics": "MetricDataQuery",
}
"""The types of properties that are not called as they are."""
PLAIN = frozenset({"PolicyDocument"})
"""Properties whose content is JSON of its own, with its own names."""
WIDTH = 100
_REFERENCE = re.compile(r"\$\{(\w+)(?:\.(\w+))?\}")


def module(plan: Plan) -> str:
    """Give the source of the module."""
    made = resources(plan)
    kinds = {each["Type"] for each in made.values()}
    classes = [where.split(".") for kind, where in CLASSES.items() if kind in kinds]
    named = {name for name in made if _is_used(name, made)} | {TABLE}
    lines = [
        f'"""The stack of the table {plan.table_name}, made from its design by singletable."""',
        "",
        "from typing import Any",
        "",
        f"from aws_cdk import {'CfnTag, ' * bool(plan.deployment.tags)}RemovalPolicy, Stack",
        *(f"from aws_cdk.{module} import {name}" for module, name in classes),
        "from constructs import Construct",
        "",
        "",
        f"class {_class_name(plan.table_name)}(Stack):",
        f'    """Has the table of {plan.store.__name__}."""',
        "",
        "    def __init__(",
        "        self,",
        "        scope: Construct,",
        "        construct_id: str,",
        f"        table_name: str = {_quoted(plan.table_name)},",
        "        **options: Any,",
        "    ) -> None:",
        "        super().__init__(scope, construct_id, **options)",
        *(line for name, each in made.items() for line in _construct(name, each, named)),
        f"        self.table = {_variable(TABLE)}",
        "",
    ]
    return "\n".join(lines)


def _class_name(table_name: str) -> str:
    name = f"{logical_id(table_name)}Stack"
    return name if name.isidentifier() else f"Table{name}"


def _construct(name: str, resource: Mapping[str, Any], named: set[str]) -> Iterator[str]:
    _, kind = CLASSES[resource["Type"]].split(".")
    assigned = f"{_variable(name)} = " if name in named else ""
    yield f"        {assigned}{kind}("
    yield "            self,"
    yield f"            {_quoted(name)},"
    for key, value in resource["Properties"].items():
        of = _Type(None if key in PLAIN else kind, key)
        yield _line(f"{snake_case(key)}=", value, " " * 12, of)
    yield "        )"
    if "DeletionPolicy" in resource:
        policy = "DESTROY" if resource["DeletionPolicy"] == "Delete" else "RETAIN"
        yield f"        {_variable(name)}.apply_removal_policy(RemovalPolicy.{policy})"


def snake_case(name: str) -> str:
    """Spell a property of CloudFormation as CDK does in Python."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return words.lower()


@dataclass(frozen=True, slots=True)
class _Type:
    """Knows how the values of a property are written; those of no construct are plain."""

    construct: str | None
    key: str

    def brackets(self, value: Any) -> tuple[str, str]:
        if isinstance(value, list):
            return "[", "]"
        if self.construct is None:
            return "{", "}"
        if self.key == "Tags":
            return "CfnTag(", ")"
        return f"{self.construct}.{TYPES.get(self.key, self.key)}Property(", ")"

    def items(self, value: Any) -> Iterator[tuple[str, Any, _Type]]:
        if isinstance(value, list):
            yield from (("", one, self) for one in value)
            return
        for key, one in value.items():
            start = f"{snake_case(key)}=" if self.construct else f"{_quoted(key)}: "
            yield start, one, _Type(self.construct, key)


def _line(start: str, value: Any, indent: str, of: _Type) -> str:
    """Write a value behind what it belongs to, over several lines where one is too short."""
    line = f"{indent}{start}{_expression(value, of)},"
    if len(line) <= WIDTH or not isinstance(value, dict | list) or _reference(value):
        return line
    opening, closing = of.brackets(value)
    inner = (_line(key, one, f"{indent}    ", each) for key, one, each in of.items(value))
    return "\n".join([f"{indent}{start}{opening}", *inner, f"{indent}{closing},"])


def _expression(value: Any, of: _Type) -> str:
    """Write a value as Python, in one line."""
    if reference := _reference(value):
        return reference
    if not isinstance(value, dict | list):
        return _quoted(value) if isinstance(value, str) else repr(value)
    opening, closing = of.brackets(value)
    inner = ", ".join(f"{key}{_expression(one, each)}" for key, one, each in of.items(value))
    return f"{opening}{inner}{closing}"


def _reference(value: Any) -> str | None:
    """Write a reference of CloudFormation's to a parameter or to another resource."""
    match value:
        case {"Ref": "TableName"}:
            return "table_name"
        case {"Ref": name}:
            return f"{_variable(name)}.ref"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"{_variable(name)}.attr_{snake_case(attribute)}"
        case {"Fn::Sub": text}:
            return f"f{_quoted(_REFERENCE.sub(_field, text))}"
    return None


def _field(found: re.Match[str]) -> str:
    name, attribute = found.groups()
    return f"{{{_variable(name)}.{f'attr_{snake_case(attribute)}' if attribute else 'ref'}}}"


def _is_used(name: str, made: Mapping[str, Any]) -> bool:
    """Tell whether another resource refers to this one."""
    return any(_refers(each["Properties"], name) for each in made.values())


def _refers(value: Any, name: str) -> bool:
    if isinstance(value, dict):
        return value.get("Ref") == name or any(_refers(one, name) for one in value.values())
    return isinstance(value, list) and any(_refers(one, name) for one in value)


def _variable(name: str) -> str:
    return snake_case(name)


def _quoted(text: str) -> str:
    return repr(text) if '"' in text else '"' + repr(text)[1:-1].replace("\\'", "'") + '"'
