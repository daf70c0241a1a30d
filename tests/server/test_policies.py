"""A policy holds for every SDK that is served: it is judged below the wire."""

import json
from pathlib import Path

import pytest

from singletable.engine import Engine
from singletable.server import running
from tests.server.conftest import TABLE
from tests.server.support import connect
from tests.server.test_run import process, refused

OWN = {
    "Version": "2012-10-17",
    "Statement": {
        "Effect": "Allow",
        "Action": "dynamodb:GetItem",
        "Resource": "arn:aws:dynamodb:*:*:table/Music",
        "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "USER#${aws:userid}"}},
    },
}


def test_a_client_reaches_what_the_policy_allows_alone(engine: Engine) -> None:
    with running(engine.as_role(OWN, {"aws:userid": "u1"})) as url:
        client = connect(url)
        assert "Item" not in client.get_item(TableName="Music", Key={"pk": {"S": "USER#u1"}})
        with pytest.raises(client.exceptions.ClientError) as caught:
            client.get_item(TableName="Music", Key={"pk": {"S": "USER#u10"}})
    error = caught.value.response["Error"]
    assert error["Code"] == "AccessDeniedException"
    assert "is not authorized to perform: dynamodb:GetItem on resource: " in error["Message"]


def test_the_command_takes_a_policy_and_its_variables(tmp_path: Path) -> None:
    policy, database = tmp_path / "policy.json", tmp_path / "music.db"
    policy.write_text(json.dumps(OWN))
    with Engine(database) as engine:
        engine.call("CreateTable", TABLE)
    options = ["--policy", str(policy), "--policy-variable", "aws:userid=u1"]
    with process("--db", str(database), *options) as (_, url):
        client = connect(url)
        client.get_item(TableName="Music", Key={"pk": {"S": "USER#u1"}})
        with pytest.raises(client.exceptions.ClientError, match="AccessDeniedException"):
            client.get_item(TableName="Music", Key={"pk": {"S": "USER#u2"}})


def test_a_policy_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    line = refused("--memory", "--policy", str(tmp_path / "none.json"))
    assert line.startswith("singletable serve: the policy ")
    assert "none.json cannot be read: " in line
