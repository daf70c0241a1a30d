"""``dynamodb_data_model.json``: what AWS's server does with it works, done here on the engine."""

import json
import re
import shlex
from typing import Any

import pytest

from singletable import Engine, Store
from singletable.describe import describe
from singletable.describe.aws_model import cli_command
from tests.describe.designs import Shop
from tests.describe.golden import APPS


def _model(store: type[Store]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(describe(store, "json"))
    return found


def _request(command: str) -> tuple[str, dict[str, Any]]:
    """Read a command as the AWS CLI does."""
    aws, service, operation, *words = shlex.split(command)
    assert (aws, service) == ("aws", "dynamodb")
    request: dict[str, Any] = {}
    while words:
        flag = words.pop(0).removeprefix("--")
        given = not words or words[0].startswith("--")
        value: Any = not flag.startswith("no-") if given else words.pop(0)
        name = "".join(word.capitalize() for word in flag.removeprefix("no-").split("-"))
        plain = isinstance(value, str) and (value[0] in "{[" or value.isdigit())
        request[name] = json.loads(value) if plain else value
    return operation.replace("-", "_"), request


@pytest.mark.parametrize("app", APPS)
def test_tables_are_made_items_written_and_every_pattern_runs(app: str) -> None:
    model = _model(APPS[app])
    found: dict[str, int] = {}
    with Engine() as engine:
        for table in model["tables"]:
            engine.create_table(**table)
        for name, writes in model["items"].items():
            for write in writes:
                engine.put_item(TableName=name, **write["PutRequest"])
        for pattern in model["access_patterns"]:
            operation, request = _request(pattern["implementation"])
            answer = getattr(engine, operation)(**request)
            name = pattern["description"].split(":")[0]
            batch = len(answer.get("Responses", ()))
            found[name] = found.get(name, 0) + answer.get("Count", batch or "Item" in answer)
    # What lies between two dates is not among the samples, nor is every status, word and number.
    empty = {name for name, count in found.items() if not count}
    dated = {"sessions_between", "sessions_about", "recently_done", "discover"}
    assert empty <= {*dated, "branches_after"}


def test_all_three_sections_are_there_with_a_number_for_each_pattern() -> None:
    model = _model(APPS["surveys"])
    assert list(model) == ["tables", "items", "access_patterns"]
    numbers = [entry["pattern"] for entry in model["access_patterns"]]
    assert numbers[0] == "1"
    assert numbers.count("6") == 10  # one for each shard
    assert len(set(numbers)) == len(APPS["surveys"].patterns)


def test_key_attributes_alone_are_defined() -> None:
    (table,) = _model(APPS["campaigns"])["tables"]
    defined = {one["AttributeName"] for one in table["AttributeDefinitions"]}
    schemas = [table["KeySchema"], *(one["KeySchema"] for one in table["GlobalSecondaryIndexes"])]
    assert defined == {part["AttributeName"] for schema in schemas for part in schema}


def test_a_pattern_that_cannot_be_run_has_a_reason_and_no_command() -> None:
    entries = {entry["pattern"]: entry for entry in _model(Shop)["access_patterns"]}
    assert "has no use for name" in entries["4"]["reason"]
    assert "implementation" not in entries["4"]


def test_commands_quote_json_and_write_flags_as_the_cli_does() -> None:
    command = cli_command(
        "Query",
        {
            "TableName": "it's",
            "ScanIndexForward": False,
            "ConsistentRead": True,
            "ExpressionAttributeValues": {":a": {"S": "x'y"}},
            "Limit": 5,
        },
    )
    assert command.startswith("aws dynamodb query --table-name ")
    assert " --no-scan-index-forward --consistent-read " in command
    assert _request(command)[1]["ExpressionAttributeValues"] == {":a": {"S": "x'y"}}
    assert re.search(r" --limit 5$", command)


def test_bytes_are_written_in_base64() -> None:
    things = _model(Shop)["items"]["shop"]
    (content,) = {one["PutRequest"]["Item"]["picture"]["M"]["content"]["B"] for one in things[:1]}
    assert content == "4oC5cGljdHVyZeKAug=="
