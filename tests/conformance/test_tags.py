"""Tags of tables: set at creation, added, replaced, removed."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, index, refusal


def arn(client: Client, **settings: Any) -> str:
    name = create(client, "pk:S", **settings)
    found: str = client.describe_table(TableName=name)["Table"]["TableArn"]
    return found


def tags(client: Client, resource: str) -> dict[str, str]:
    listed = client.list_tags_of_resource(ResourceArn=resource)["Tags"]
    return {each["Key"]: each["Value"] for each in listed}


def made(**pairs: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in pairs.items()]


def test_none_at_first(client: Client) -> None:
    assert tags(client, arn(client)) == {}


def test_set_at_creation(client: Client) -> None:
    assert tags(client, arn(client, Tags=made(team="x", stage="dev"))) == {
        "team": "x",
        "stage": "dev",
    }


def test_added_replaced_and_removed(client: Client) -> None:
    resource = arn(client)
    client.tag_resource(ResourceArn=resource, Tags=made(a="1", b="2"))
    client.tag_resource(ResourceArn=resource, Tags=made(b="3", c="4"))
    assert tags(client, resource) == {"a": "1", "b": "3", "c": "4"}
    client.untag_resource(ResourceArn=resource, TagKeys=["a", "zzz"])
    assert tags(client, resource) == {"b": "3", "c": "4"}


def test_keys_of_aws_are_reserved(client: Client) -> None:
    resource = arn(client)
    code, _ = refusal(client.tag_resource, ResourceArn=resource, Tags=made(**{"aws:team": "x"}))
    assert code == "ValidationException"
    assert tags(client, resource) == {}


@pytest.mark.parametrize("pair", [("a&b", "c"), ("a", "b<c>"), ("a*", ""), ("a", "{b}")])
def test_other_characters_are_refused(client: Client, pair: tuple[str, str]) -> None:
    resource = arn(client)
    fine = {"Größe / size": "a+b-c=d.e_f:g/h 1", "none": ""}
    client.tag_resource(ResourceArn=resource, Tags=made(**fine))
    code, _ = refusal(client.tag_resource, ResourceArn=resource, Tags=made(**dict([pair])))
    assert code == "ValidationException"
    assert tags(client, resource) == fine


@pytest.mark.parametrize("below", ["index/by-g", "backup/01489602797149-73d8d5bc"])
def test_tables_alone_have_tags(client: Client, below: str) -> None:
    resource = arn(client, indexed="g:S", GlobalSecondaryIndexes=[index("by-g", "g")])
    code, _ = refusal(client.list_tags_of_resource, ResourceArn=f"{resource}/{below}")
    assert code == "ValidationException"


@pytest.mark.parametrize("operation", ["list_tags_of_resource", "tag_resource", "untag_resource"])
def test_unknown_tables(client: Client, operation: str) -> None:
    resource = arn(client).rsplit("/", 1)[0] + "/no-such-table"
    more: dict[str, Any] = {}
    if operation == "tag_resource":
        more = {"Tags": made(a="1")}
    elif operation == "untag_resource":
        more = {"TagKeys": ["a"]}
    code, _ = refusal(getattr(client, operation), ResourceArn=resource, **more)
    assert code in {"ResourceNotFoundException", "AccessDeniedException"}


def test_a_resource_is_named_by_an_arn(client: Client) -> None:
    code, _ = refusal(client.list_tags_of_resource, ResourceArn="not-an-arn")
    assert code == "ValidationException"
