"""``singletable deploy``: what it writes, where, and what it says beside it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from singletable import cli

TARGET = "apps.campaigns.design:Campaigns"
ME = "${cognito-identity.amazonaws.com:sub}"


def _deploy(*options: str | Path) -> Result:
    return CliRunner().invoke(cli.app, ["deploy", TARGET, *map(str, options)])


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write a deployment with a role."""
    path = tmp_path / "deploy.toml"
    path.write_text(
        f'region = "eu-west-1"\naccount = "123456789012"\n[roles.player]\n'
        f'scope = {{user_id = "{ME}"}}\nwrites = []\n',
        "utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("form", "member"),
    [("cloudformation", "Resources"), ("sam", "Transform"), ("terraform", "resource")],
)
def test_templates_go_to_standard_output(form: str, member: str) -> None:
    shown = _deploy("--format", form)
    assert shown.exit_code == 0, shown.output
    assert member in json.loads(shown.stdout)


def test_cdk_is_a_module() -> None:
    shown = _deploy("--format", "cdk")
    compile(shown.stdout, "stack.py", "exec")
    assert "class RpgSessionsStack(Stack):" in shown.stdout


def test_a_file_in_yaml_gets_yaml(tmp_path: Path) -> None:
    out = tmp_path / "template.yaml"
    assert _deploy("--format", "sam", "--out", out).output == ""
    assert out.read_text("utf-8").startswith('AWSTemplateFormatVersion: "2010-09-09"\nTransform:')


def test_a_policy_of_the_store_has_placeholders_for_its_place() -> None:
    shown = _deploy("--format", "iam")
    [table, _] = json.loads(shown.stdout)["Statement"]
    assert table["Resource"] == ["arn:aws:dynamodb:REGION:ACCOUNT:table/rpg_sessions"]


def test_a_scope_confines_a_policy_and_notes_tell_what_it_leaves_out() -> None:
    shown = _deploy("--format", "iam", "--scope", f"user_id={ME}", "--read-only")
    [table, *_] = json.loads(shown.stdout)["Statement"]
    assert table["Action"] == ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"]
    keys = table["Condition"]["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"]
    assert keys == [f"USER#{ME}", f"USER#{ME}#REQUESTS"]
    assert "note: The pattern shared: left out, since GSI3 at SHARE#{share_token}" in shown.stderr


def test_a_role_of_the_deployment_has_its_place(config: Path) -> None:
    shown = _deploy("--format", "iam", "--config", config, "--role", "player")
    [table, *_] = json.loads(shown.stdout)["Statement"]
    assert table["Resource"] == ["arn:aws:dynamodb:eu-west-1:123456789012:table/rpg_sessions"]
    assert "dynamodb:PutItem" not in table["Action"]


def test_roles_go_into_templates_with_their_notes(config: Path) -> None:
    shown = _deploy("--format", "cloudformation", "--config", config)
    assert "PlayerPolicy" in json.loads(shown.stdout)["Resources"]
    assert "note: player: The pattern shared: left out" in shown.stderr


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--format", "iam", "--role", "cook"], "has no role 'cook'; it has none"),
        (["--format", "iam", "--scope", "user_id"], "write it as --scope FIELD=VALUE"),
        (["--format", "iam", "--scope", "usr=x"], "no field or parameter 'usr'"),
        (["--format", "iam", "--config", "none.toml"], "none.toml cannot be read"),
        (["--format", "cdk", "--read-only"], "are for --format iam"),
        (["--format", "pulumi"], "'pulumi' is not one of"),
        ([], "Missing option '--format'"),
    ],
)
def test_what_cannot_be_done_is_an_error_of_usage(options: list[str], fault: str) -> None:
    shown = _deploy(*options)
    assert shown.exit_code == 2
    assert fault in " ".join(shown.stderr.split()).replace("│ ", "")
