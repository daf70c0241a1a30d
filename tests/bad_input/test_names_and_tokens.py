"""Names that mean something to SQLite, and tokens that a client changed."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ServiceError
from tests.bad_input.samples import ARN, ITEM, KEY, TABLE, Request, samples
from tests.bad_input.support import contents, refusal, ways
from tests.engine.support import definitions, index, key_schema

INJECTIONS = [
    "'; DROP TABLE tables; --",
    '"; DROP TABLE tables; --',
    "' OR '1'='1",
    "x\0y",
    "sqlite_master",
    "%s%n{0}{pk}",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "SELECT",
    "rowid",
    "\u202egnp",
    "\U0001f600",
]


@pytest.mark.parametrize("name", INJECTIONS)
def test_an_attribute_may_have_any_name_and_any_value(engine: Engine, name: str) -> None:
    """Also that of a key, in the table and in an index."""
    engine.call(
        "CreateTable",
        {
            "TableName": "odd",
            "AttributeDefinitions": definitions(f"{name}", "other"),
            "KeySchema": key_schema(name),
            "GlobalSecondaryIndexes": [index("by-other", "other")],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    item = {name: {"S": name}, "other": {"S": name}, "map": {"M": {name: {"SS": [name]}}}}
    engine.call("PutItem", {"TableName": "odd", "Item": item})
    wanted = {
        "TableName": "odd",
        "KeyConditionExpression": "#n = :v",
        "ExpressionAttributeValues": {":v": {"S": name}},
    }
    for attribute, index_name in ((name, None), ("other", "by-other")):
        page = engine.call(
            "Query",
            wanted | {"ExpressionAttributeNames": {"#n": attribute}, "IndexName": index_name},
        )
        assert page["Items"] == [item]
    engine.call("DeleteItem", {"TableName": "odd", "Key": {name: {"S": name}}})
    assert engine.call("Scan", {"TableName": "odd"})["Count"] == 0
    assert engine.call("Scan", {"TableName": TABLE})["Count"] == 3


RESERVED = [
    "tables",
    "sqlite_master",
    "sqlite_sequence",
    "table",
    "rows_1",
    "meta",
    "a.b",
    "--x",
    "...",
]


@pytest.mark.parametrize("name", RESERVED)
def test_a_table_or_index_may_be_called_as_anything_in_sqlite(engine: Engine, name: str) -> None:
    engine.call(
        "CreateTable",
        {
            "TableName": name,
            "AttributeDefinitions": definitions("pk", "g"),
            "KeySchema": key_schema("pk"),
            "GlobalSecondaryIndexes": [index(name, "g")],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    item = {"pk": {"S": "p"}, "g": {"S": "g"}}
    engine.call("PutItem", {"TableName": name, "Item": item})
    assert engine.call("Scan", {"TableName": name, "IndexName": name})["Items"] == [item]
    engine.call("DeleteTable", {"TableName": name})
    assert engine.call("ListTables", {})["TableNames"] == [TABLE]


BAD_NAMES = [
    *INJECTIONS[:4],
    "../things",
    "things/",
    "th ings",
    "things;",
    "thïngs",
    "ab",
    "x" * 256,
]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_table_or_index_may_not_be_called_otherwise(engine: Engine, name: str) -> None:
    new = {
        "TableName": "new",
        "AttributeDefinitions": definitions("pk"),
        "KeySchema": key_schema("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    requests: list[tuple[str, Request]] = [
        ("CreateTable", new | {"TableName": name}),
        ("CreateTable", new | {"GlobalSecondaryIndexes": [index(name, "pk")]}),
        ("DeleteTable", {"TableName": name}),
        ("GetItem", {"TableName": name, "Key": KEY}),
        ("Scan", {"TableName": TABLE, "IndexName": name}),
        ("CreateBackup", {"TableName": TABLE, "BackupName": name}),
        ("ExecuteStatement", {"Statement": f'SELECT * FROM "{name}"'}),
        ("ExecuteStatement", {"Statement": f'SELECT * FROM "{TABLE}"."{name}"'}),
    ]
    before = contents(engine)
    for ask in ways(engine):
        for operation, request in requests:
            error = refusal(ask, operation, request)
            assert error.code in {"ValidationException", "ResourceNotFoundException"}
    assert contents(engine) == before


ARNS = [
    "arn:aws:dynamodb:us-east-1:000000000000:table/",
    "arn:aws:dynamodb:us-east-1:000000000000:table/nothing",
    "arn:aws:dynamodb:us-east-1:000000000000:table/../things",
    "arn:aws:s3:::things",
    f"{ARN}/backup/../../things",
    f" {ARN}",
    f"{ARN}'",
    f"{ARN}\n",
    "arn:" * 200,
]


@pytest.mark.parametrize("arn", ARNS)
def test_an_arn_that_names_no_table_finds_none(engine: Engine, arn: str) -> None:
    before = contents(engine)
    for ask in ways(engine):
        for operation, request in (
            ("PutItem", {"TableName": arn, "Item": ITEM}),
            ("DeleteTable", {"TableName": arn}),
            ("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "k", "Value": "v"}]}),
            ("DeleteBackup", {"BackupArn": arn}),
            ("DescribeStream", {"StreamArn": arn}),
        ):
            refusal(ask, operation, request)
    assert contents(engine) == before


def changed(token: str) -> list[str]:
    """List a token with each of its characters changed, cut, doubled, or not one at all."""
    others = ["A" if each != "A" else "B" for each in token]
    flipped = [token[:at] + other + token[at + 1 :] for at, other in enumerate(others)]
    return [*flipped, token[:-1], token[1:], token * 2, token + "=", "x", "||", "é", "\0", "=" * 99]


def page_token(engine: Engine) -> tuple[str, Request, str]:
    request = {"Statement": f"SELECT * FROM {TABLE} WHERE pk = 'p'", "Limit": 1}
    return "ExecuteStatement", request, engine.call("ExecuteStatement", request)["NextToken"]


def shard_iterator(engine: Engine) -> tuple[str, Request, str]:
    [request] = [request for operation, request in samples(engine) if operation == "GetRecords"]
    return "GetRecords", {}, request["ShardIterator"]


@pytest.mark.parametrize(
    ("member", "issue"), [("NextToken", page_token), ("ShardIterator", shard_iterator)]
)
def test_a_token_that_was_changed_is_invalid(engine: Engine, member: str, issue: Any) -> None:
    operation, request, token = issue(engine)
    engine.call(operation, request | {member: token})
    for ask in ways(engine):
        for other in changed(token):
            error = refusal(ask, operation, request | {member: other})
            assert error.code in {"ValidationException", "ResourceNotFoundException"}


def test_a_token_belongs_to_its_statement(engine: Engine) -> None:
    operation, request, token = page_token(engine)
    for statement in (f"SELECT * FROM {TABLE}", f"SELECT * FROM {TABLE} WHERE pk = 'q'"):
        other = request | {"Statement": statement, "NextToken": token}
        assert refusal(engine.call, operation, other).code == "ValidationException"


STARTS: list[Request] = [
    {},
    {"pk": {"S": "p"}},
    KEY | {"x": {"S": "x"}},
    KEY | {"sk": {"S": "1"}},
    KEY | {"sk": {"N": "x"}},
    KEY | {"pk": {"S": ""}},
    KEY | {"pk": {"S": "other"}},
    KEY | {"sk": {"N": "99"}},
    {**KEY, "g": {"B": b"x"}},
]


@pytest.mark.parametrize("start", STARTS)
def test_a_query_never_starts_outside_of_what_it_asks_for(engine: Engine, start: Request) -> None:
    request = {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :p AND sk < :n",
        "ExpressionAttributeValues": {":p": {"S": "p"}, ":n": {"N": "50"}},
        "ExclusiveStartKey": start,
    }
    for ask in ways(engine):
        assert refusal(ask, "Query", request).code == "ValidationException"


@pytest.mark.parametrize("operation", ["Nope", "getItem", "get_item", "", "__class__", "\ud800"])
def test_an_unknown_operation_is_named(engine: Engine, operation: str) -> None:
    with pytest.raises(ServiceError) as caught:
        engine.call(operation, {})
    assert caught.value.code == "UnknownOperationException"
    with pytest.raises(ServiceError):
        engine.call_json(operation, b"{}")
