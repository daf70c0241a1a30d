"""The ``dynamodb_data_model.json`` of AWS's DynamoDB MCP server: tables, items, access patterns.

That server creates the tables in DynamoDB Local, writes the items and runs each access pattern,
which is why a pattern is a command of the AWS CLI. One that takes several requests has an entry
for each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from shlex import quote
from typing import Any

from singletable.store.creation import create_request
from singletable.store.showing import Recorder
from singletable.store.tracing import Trace

from .chart import summary
from .description import Description
from .documents import json_item, json_value, written


def aws_model(described: Description) -> str:
    """Write a design as a data model of AWS's modelling server."""
    name = described.table.name
    items = [specimen.item for few in described.samples.values() for specimen in few]
    return written(
        {
            "tables": [create_request(described.table, name)],
            "items": {name: [{"PutRequest": {"Item": json_item(item)}} for item in items]},
            "access_patterns": [
                entry
                for number, trace in enumerate(described.traces, 1)
                for entry in _entries(described, trace, number)
            ],
        }
    )


def _entries(described: Description, trace: Trace, number: int) -> Iterator[dict[str, Any]]:
    purpose = summary(trace.pattern.purpose)
    entry = {"pattern": str(number), "description": f"{trace.pattern.name}: {purpose}"}
    if trace.fault is not None:
        yield entry | {"reason": str(trace.fault)}
        return
    for request in _requests(described, trace):
        place = {"table": described.table.name} | ({"index": trace.index} if trace.index else {})
        command = cli_command(trace.kind, request)
        yield entry | place | {"dynamodb_operation": trace.kind, "implementation": command}


def _requests(described: Description, trace: Trace) -> list[dict[str, Any]]:
    """Give the requests of a pattern for values that the sample items have."""
    arguments = dict(trace.arguments)
    sample = described.samples[trace.entities[0].type][0].values
    for field, value in trace.known.items():
        parameter = trace.source(value)
        if parameter is not None and field in sample:
            arguments[parameter] = sample[field]
    recorded = described.store(Recorder())
    return list(getattr(recorded, trace.pattern.name)(**arguments).requests())


def cli_command(operation: str, request: dict[str, Any]) -> str:
    """Write a request as a command of the AWS CLI."""
    words = ["aws", "dynamodb", _kebab(operation)]
    for member, value in request.items():
        flag = f"--{_kebab(member)}"
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{_kebab(member)}")
        elif isinstance(value, dict | list):
            words += [flag, quote(json.dumps(json_value(value), ensure_ascii=False))]
        else:
            words += [flag, quote(str(value))]
    return " ".join(words)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
