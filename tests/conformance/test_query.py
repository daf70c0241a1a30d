"""Query: key conditions, order, counts and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from .support import Client, create, fill, invalid, item, plains, refusal, values

STRINGS = ["A", "B", "Z", "a", "aa", "ab", "b", "ß", "é", "ﬀ", "\ufffd", "𝄞", "😀"]
NUMBERS = sorted(
    Decimal(text)
    for text in (
        "-9.9999999999999999999999999999999999999E+125",
        "-1E+10",
        "-12345678901234567890123456789012345678",
        "-12345678901234567890123456789012345677",
        "-100",
        "-12",
        "-1.5",
        "-1.4",
        "-1E-130",
        "0",
        "1E-130",
        "0.001",
        "0.0011",
        "1",
        "1.0000000000000000000000000000000000001",
        "2",
        "10",
        "12345678901234567890123456789012345677",
        "12345678901234567890123456789012345678",
        "1E+100",
        "9.9999999999999999999999999999999999999E+125",
    )
)
BINARIES = [
    b"\x00",
    b"\x00\x00",
    b"\x00\x01",
    b"\x01",
    b"a",
    b"a\x00",
    b"b",
    b"\x7f",
    b"\x80",
    b"\xff",
]


@pytest.fixture(scope="module")
def texts(client: Client) -> str:
    """A table whose sort key is a string, filled in an order that is not its own."""
    name = create(client, "pk:S", "sk:S")
    fill(client, name, [item(pk="p", sk=text, a=1) for text in reversed(STRINGS)])
    fill(client, name, [item(pk="other", sk="x"), item(pk="p2", sk="x")])
    return name


@pytest.fixture(scope="module")
def numbers(client: Client) -> str:
    """A table whose keys are numbers."""
    name = create(client, "pk:N", "sk:N")
    fill(client, name, [item(pk=1, sk=number) for number in reversed(NUMBERS)])
    return name


@pytest.fixture(scope="module")
def binaries(client: Client) -> str:
    """A table whose keys are binary."""
    name = create(client, "pk:B", "sk:B")
    fill(client, name, [item(pk=b"\x00p", sk=each) for each in reversed(BINARIES)])
    return name


def sort_keys(answer: dict[str, Any]) -> list[Any]:
    return [each["sk"] for each in plains(answer["Items"])]


def test_strings_come_in_the_order_of_their_utf8_bytes(client: Client, texts: str) -> None:
    answer = client.query(
        TableName=texts,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk="p"),
    )
    assert sort_keys(answer) == STRINGS
    assert [text.encode() for text in STRINGS] == sorted(text.encode() for text in STRINGS)
    assert (answer["Count"], answer["ScannedCount"]) == (len(STRINGS), len(STRINGS))
    assert "LastEvaluatedKey" not in answer


def test_numbers_come_in_the_order_of_their_values(client: Client, numbers: str) -> None:
    answer = client.query(
        TableName=numbers,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk=Decimal("1.0")),
    )
    assert sort_keys(answer) == NUMBERS


def test_binaries_come_in_the_order_of_their_unsigned_bytes(client: Client, binaries: str) -> None:
    answer = client.query(
        TableName=binaries,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk=b"\x00p"),
    )
    assert sort_keys(answer) == sorted(BINARIES)


def test_backwards(client: Client, texts: str) -> None:
    answer = client.query(
        TableName=texts,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk="p"),
        ScanIndexForward=False,
        Limit=3,
    )
    assert sort_keys(answer) == STRINGS[:-4:-1]


@pytest.mark.parametrize(
    ("condition", "operands", "expected"),
    [
        pytest.param("sk = :x", {"x": "a"}, ["a"], id="equal"),
        pytest.param("sk < :x", {"x": "a"}, ["A", "B", "Z"], id="less"),
        pytest.param("sk <= :x", {"x": "a"}, ["A", "B", "Z", "a"], id="at-most"),
        pytest.param("sk > :x", {"x": "ﬀ"}, ["\ufffd", "𝄞", "😀"], id="greater"),
        pytest.param("sk >= :x", {"x": "\ufffd"}, ["\ufffd", "𝄞", "😀"], id="at-least"),
        pytest.param(
            "sk BETWEEN :x AND :y", {"x": "aa", "y": "b"}, ["aa", "ab", "b"], id="between"
        ),
        pytest.param("sk BETWEEN :x AND :x", {"x": "aa"}, ["aa"], id="between-one"),
        pytest.param("begins_with(sk, :x)", {"x": "a"}, ["a", "aa", "ab"], id="begins-with"),
        pytest.param("begins_with(sk, :x)", {"x": "zz"}, [], id="begins-with-nothing"),
        pytest.param("begins_with (sk, :x)", {"x": "😀"}, ["😀"], id="begins-with-astral"),
        pytest.param("sk = :x", {"x": "zzz"}, [], id="none"),
        pytest.param(":x > sk", {"x": "a"}, ["A", "B", "Z"], id="value-first"),
    ],
)
def test_conditions_on_strings(
    client: Client, texts: str, condition: str, operands: dict[str, Any], expected: list[str]
) -> None:
    for expression in (f"pk = :pk AND {condition}", f"({condition}) AND (pk = :pk)"):
        answer = client.query(
            TableName=texts,
            KeyConditionExpression=expression,
            ExpressionAttributeValues=values(pk="p", **operands),
        )
        assert sort_keys(answer) == expected


@pytest.mark.parametrize(
    ("condition", "operands", "expected"),
    [
        pytest.param("sk < :x", {"x": Decimal("-1E+10")}, NUMBERS[:3], id="less"),
        pytest.param("sk > :x", {"x": Decimal("1E+99")}, NUMBERS[-2:], id="greater"),
        pytest.param(
            "sk BETWEEN :x AND :y",
            {"x": -1, "y": 1},
            [Decimal("-1E-130"), 0, Decimal("1E-130"), Decimal("0.001"), Decimal("0.0011"), 1],
            id="between",
        ),
        pytest.param("sk = :x", {"x": Decimal("1E1")}, [10], id="equal"),
    ],
)
def test_conditions_on_numbers(
    client: Client, numbers: str, condition: str, operands: dict[str, Any], expected: list[Any]
) -> None:
    answer = client.query(
        TableName=numbers,
        KeyConditionExpression=f"pk = :pk AND {condition}",
        ExpressionAttributeValues=values(pk=1, **operands),
    )
    assert sort_keys(answer) == expected


@pytest.mark.parametrize(
    ("condition", "operands", "expected"),
    [
        pytest.param(
            "begins_with(sk, :x)", {"x": b"\x00"}, [b"\x00", b"\x00\x00", b"\x00\x01"], id="begins"
        ),
        pytest.param("begins_with(sk, :x)", {"x": b"\xff"}, [b"\xff"], id="begins-with-ff"),
        pytest.param("sk > :x", {"x": b"\x7f"}, [b"\x80", b"\xff"], id="greater"),
    ],
)
def test_conditions_on_binaries(
    client: Client, binaries: str, condition: str, operands: dict[str, Any], expected: list[bytes]
) -> None:
    answer = client.query(
        TableName=binaries,
        KeyConditionExpression=f"pk = :pk AND {condition}",
        ExpressionAttributeValues=values(pk=b"\x00p", **operands),
    )
    assert sort_keys(answer) == expected


def test_select_count_returns_no_items(client: Client, texts: str) -> None:
    answer = client.query(
        TableName=texts,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk="p"),
        Select="COUNT",
    )
    assert answer["Count"] == len(STRINGS)
    assert "Items" not in answer


def test_names_in_key_conditions(client: Client, texts: str) -> None:
    answer = client.query(
        TableName=texts,
        KeyConditionExpression="#p = :pk AND #s = :sk",
        ExpressionAttributeNames={"#p": "pk", "#s": "sk"},
        ExpressionAttributeValues=values(pk="p", sk="a"),
        ConsistentRead=True,
    )
    assert answer["Items"] == [item(pk="p", sk="a", a=1)]


KEYS = "Invalid KeyConditionExpression: "


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {},
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request.",
            id="no-condition",
        ),
        pytest.param(
            {"KeyConditionExpression": ""},
            KEYS + "The expression can not be empty;",
            id="empty",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk > :x", "operands": {"x": "a"}},
            "Query key condition not supported",
            id="inequality-on-partition-key",
        ),
        pytest.param(
            {"KeyConditionExpression": "sk = :x", "operands": {"x": "a"}},
            "Query condition missed key schema element: pk",
            id="no-partition-key",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND a = :x", "operands": {"x": "a"}},
            "Query condition missed key schema element: sk",
            id="not-a-key",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND sk = :x AND a = :x", "operands": {"x": "a"}},
            "Conditions can be of length 1 or 2 only",
            id="three",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND sk > :x AND sk < :x", "operands": {"x": "a"}},
            "KeyConditionExpressions must only contain one condition per key",
            id="two-on-one-key",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x OR sk = :x", "operands": {"x": "a"}},
            "Invalid operator used in KeyConditionExpression: OR",
            id="or",
        ),
        pytest.param(
            {"KeyConditionExpression": "NOT pk = :x", "operands": {"x": "a"}},
            "Invalid operator used in KeyConditionExpression: NOT",
            id="not",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND sk <> :x", "operands": {"x": "a"}},
            "Invalid operator used in KeyConditionExpression: <>",
            id="not-equal",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND sk IN (:x)", "operands": {"x": "a"}},
            "Invalid operator used in KeyConditionExpression: IN",
            id="in",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND contains(sk, :x)", "operands": {"x": "a"}},
            "Invalid operator used in KeyConditionExpression: contains",
            id="contains",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND attribute_exists(sk)", "operands": {"x": "a"}},
            "Invalid operator used in KeyConditionExpression: attribute_exists",
            id="exists",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND size(sk) = :x", "operands": {"x": "a"}},
            "KeyConditionExpressions cannot contain nested operations",
            id="size",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk.a = :x", "operands": {"x": "a"}},
            "KeyConditionExpressions cannot have conditions on nested attributes",
            id="nested",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = sk"},
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
            "condition",
            id="no-value",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND :x = :x", "operands": {"x": "a"}},
            "Invalid condition in KeyConditionExpression: No key attribute specified",
            id="two-values",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x", "operands": {"x": 1}},
            "One or more parameter values were invalid: Condition parameter type does not match "
            "schema type",
            id="partition-key-type",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x AND sk > :y", "operands": {"x": "a", "y": 1}},
            "One or more parameter values were invalid: Condition parameter type does not match "
            "schema type",
            id="sort-key-type",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x AND begins_with(sk, :y)",
                "operands": {"x": "a", "y": 1},
            },
            KEYS + "Incorrect operand type for operator or function; operator or function: "
            "begins_with, operand type: N",
            id="begins-with-number",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x AND sk BETWEEN :y AND :x",
                "operands": {"x": "a", "y": "b"},
            },
            KEYS + "The BETWEEN operator requires upper bound to be greater than or equal to lower "
            "bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: "
            "AttributeValue: {S:a}",
            id="between-reversed",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x", "operands": {"x": ""}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-partition-key",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk > :x", "operands": {"x": ""}},
            "Query key condition not supported",
            id="inequality-on-empty-partition-key",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x", "operands": {"x": "a", "unused": "b"}},
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}",
            id="unused-value",
        ),
        pytest.param(
            {"KeyConditionExpression": "pk = :x", "operands": {"x": "a"}, "IndexName": "zzz"},
            "The table does not have the specified index: zzz",
            id="unknown-index",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "Select": "SPECIFIC_ATTRIBUTES",
            },
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES",
            id="select-without-projection",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "Select": "ALL_ATTRIBUTES",
                "ProjectionExpression": "a",
            },
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
            id="select-all-with-projection",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "Select": "COUNT",
                "ProjectionExpression": "a",
            },
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
            id="count-with-projection",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "Select": "ALL_PROJECTED_ATTRIBUTES",
            },
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
            id="select-projected-without-index",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "KeyConditions": {
                    "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}
                },
            },
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {KeyConditions} Expression parameters: "
            "{KeyConditionExpression}",
            id="expression-and-legacy",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "ExclusiveStartKey": item(pk="a"),
            },
            "The provided starting key is invalid",
            id="start-key-half",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "ExclusiveStartKey": item(pk="b", sk="c"),
            },
            "The provided starting key is outside query boundaries based on provided conditions",
            id="start-key-elsewhere",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x AND sk < :x",
                "operands": {"x": "a"},
                "ExclusiveStartKey": item(pk="a", sk="c"),
            },
            "The provided starting key does not match the range key predicate",
            id="start-key-outside-the-condition",
        ),
        pytest.param(
            {
                "KeyConditionExpression": "pk = :x",
                "operands": {"x": "a"},
                "ExclusiveStartKey": item(pk="a", sk=1),
            },
            "The provided starting key is invalid",
            id="start-key-type",
        ),
    ],
)
def test_refused(client: Client, texts: str, part: dict[str, Any], message: str) -> None:
    request = {"TableName": texts} | part
    if "operands" in request:
        request["ExpressionAttributeValues"] = values(**request.pop("operands"))
    assert refusal(client.query, **request) == invalid(message)


def test_a_table_without_sort_key(client: Client) -> None:
    name = create(client, "pk:S")
    fill(client, name, [item(pk="a", x=1)])
    request = {"TableName": name, "KeyConditionExpression": "pk = :pk"}
    found = client.query(**request, ExpressionAttributeValues=values(pk="a"))
    assert found["Items"] == [item(pk="a", x=1)]
    missing = client.query(**request, ExpressionAttributeValues=values(pk="b"))
    assert (missing["Items"], missing["Count"]) == ([], 0)


def test_unknown_table(client: Client) -> None:
    refused = refusal(
        client.query,
        TableName="no-such-table",
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk="a"),
    )
    assert refused == ("ResourceNotFoundException", "Requested resource not found")
