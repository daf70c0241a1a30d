"""Condition expressions: what holds, what does not, what is refused before any item is read."""

from __future__ import annotations

from typing import Any

import pytest

from .support import CONDITION_FAILED, Client, create, invalid, item, refusal, values
from .truths import FAILS, HOLDS, ITEM, parameters

KEY = item(pk="truth")


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S")
    client.put_item(TableName=name, Item=KEY | ITEM)
    return name


@pytest.mark.parametrize("expression", HOLDS)
def test_holds(client: Client, table: str, expression: str) -> None:
    client.put_item(
        TableName=table,
        Item=KEY | ITEM,
        ConditionExpression=expression,
        **parameters(expression),
    )


@pytest.mark.parametrize("expression", FAILS)
def test_fails(client: Client, table: str, expression: str) -> None:
    refused = refusal(
        client.put_item,
        TableName=table,
        Item=KEY | ITEM,
        ConditionExpression=expression,
        **parameters(expression),
    )
    assert refused == CONDITION_FAILED


OPERATOR_TYPE = "Incorrect operand type for operator or function; operator or function: "


@pytest.mark.parametrize(
    ("expression", "operands", "message"),
    [
        pytest.param("", {}, "The expression can not be empty;", id="empty"),
        pytest.param("  ", {}, 'Syntax error; token: "<EOF>", near: "  "', id="blank"),
        pytest.param(
            "a = :a AND", {"a": 1}, 'Syntax error; token: "<EOF>", near: "AND"', id="cut-off"
        ),
        pytest.param("a = ", {}, 'Syntax error; token: "<EOF>", near: "= "', id="no-operand"),
        pytest.param(
            "a == :a", {"a": 1}, 'Syntax error; token: "=", near: "== :a"', id="two-equals"
        ),
        pytest.param("(a = :a", {"a": 1}, 'Syntax error; token: "<EOF>", near: ":a"', id="open"),
        pytest.param("a = :a)", {"a": 1}, 'Syntax error; token: ")", near: ":a)"', id="close"),
        pytest.param("a = 1", {}, 'Syntax error; token: "1", near: "= 1"', id="literal"),
        pytest.param("a ! :a", {"a": 1}, 'Syntax error; token: "!", near: "a ! :a"', id="token"),
        pytest.param("a", {}, 'Syntax error; token: "<EOF>", near: "a"', id="bare-path"),
        pytest.param(
            "a = :a, b = :a", {"a": 1}, 'Syntax error; token: ",", near: ":a, b"', id="comma"
        ),
        pytest.param("a[b] = :a", {"a": 1}, 'Syntax error; token: "b", near: "[b]"', id="index"),
        pytest.param("a[-1] = :a", {"a": 1}, 'Syntax error; token: "-", near: "[-1"', id="minus"),
        pytest.param("a..b = :a", {"a": 1}, 'Syntax error; token: ".", near: "..b"', id="two-dots"),
        pytest.param(
            "attribute_exists(a",
            {},
            'Syntax error; token: "<EOF>", near: "a"',
            id="open-function",
        ),
        pytest.param(
            "size = :a",
            {"a": 1},
            "Attribute name is a reserved keyword; reserved keyword: size",
            id="reserved-size",
        ),
        pytest.param(
            "a.Name = :a",
            {"a": 1},
            "Attribute name is a reserved keyword; reserved keyword: Name",
            id="reserved-nested",
        ),
        pytest.param(
            "a = :missing",
            {"a": 1},
            "An expression attribute value used in expression is not defined; "
            "attribute value: :missing",
            id="undefined-value",
        ),
        pytest.param(
            "#missing = :a",
            {"a": 1},
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #missing",
            id="undefined-name",
        ),
        pytest.param("unknown(a)", {}, "Invalid function name; function: unknown", id="function"),
        pytest.param(
            "ATTRIBUTE_EXISTS(a)",
            {},
            "Invalid function name; function: ATTRIBUTE_EXISTS",
            id="function-case",
        ),
        pytest.param(
            "attribute_exists(a, b)",
            {},
            "Incorrect number of operands for operator or function; operator or function: "
            "attribute_exists, number of operands: 2",
            id="too-many-operands",
        ),
        pytest.param(
            "begins_with(a)",
            {},
            "Incorrect number of operands for operator or function; operator or function: "
            "begins_with, number of operands: 1",
            id="too-few-operands",
        ),
        pytest.param(
            "begins_with(a, :a)",
            {"a": 1},
            OPERATOR_TYPE + "begins_with, operand type: N",
            id="begins-with-number",
        ),
        pytest.param(
            "attribute_type(a, :a)",
            {"a": 1},
            OPERATOR_TYPE + "attribute_type, operand type: N",
            id="type-not-a-string",
        ),
        pytest.param(
            "attribute_exists(:a)",
            {"a": 1},
            "Operator or function requires a document path; operator or function: attribute_exists",
            id="exists-of-value",
        ),
        pytest.param(
            "size(a)",
            {},
            "The function is not allowed to be used this way in an expression; function: size",
            id="size-alone",
        ),
        pytest.param(
            "a = attribute_exists(b)",
            {},
            "The function is not allowed to be used this way in an expression; function: "
            "attribute_exists",
            id="exists-as-operand",
        ),
        pytest.param(
            "a = if_not_exists(a, :a)",
            {"a": 1},
            "The function is not allowed in a condition expression; function: if_not_exists",
            id="update-function",
        ),
        pytest.param(
            "a < :a",
            {"a": [1]},
            OPERATOR_TYPE + "<, operand type: L",
            id="less-than-list",
        ),
        pytest.param(
            "a >= :a",
            {"a": True},
            OPERATOR_TYPE + ">=, operand type: BOOL",
            id="at-least-boolean",
        ),
        pytest.param(
            "a BETWEEN :a AND :b",
            {"a": 2, "b": 1},
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
            "lower bound operand: AttributeValue: {N:2}, "
            "upper bound operand: AttributeValue: {N:1}",
            id="between-reversed",
        ),
        pytest.param(
            "a BETWEEN :a AND :b",
            {"a": 1, "b": "x"},
            "The BETWEEN operator requires same data type for lower and upper bounds; "
            "lower bound operand: AttributeValue: {N:1}, "
            "upper bound operand: AttributeValue: {S:x}",
            id="between-types",
        ),
        pytest.param(
            "a = a",
            {},
            "The first operand must be distinct from the remaining operands for this operator or "
            "function; operator: =, first operand: [a]",
            id="same-operands",
        ),
        pytest.param(
            "contains(a.b[1], a.b[1])",
            {},
            "The first operand must be distinct from the remaining operands for this operator or "
            "function; operator: contains, first operand: [a, b, [1]]",
            id="same-operands-nested",
        ),
        pytest.param(
            "((a = :a))", {"a": 1}, "The expression has redundant parentheses;", id="redundant"
        ),
        pytest.param("a IN ()", {}, 'Syntax error; token: ")", near: "()"', id="in-nothing"),
    ],
)
def test_refused(
    client: Client, table: str, expression: str, operands: dict[str, Any], message: str
) -> None:
    request = {"TableName": table, "Item": KEY, "ConditionExpression": expression}
    if operands:
        request["ExpressionAttributeValues"] = values(**operands)
    expected = invalid(f"Invalid ConditionExpression: {message}")
    assert refusal(client.put_item, **request) == expected


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {"ExpressionAttributeValues": values(a=1, unused=2)},
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}",
            id="values",
        ),
        pytest.param(
            {
                "ExpressionAttributeValues": values(a=1),
                "ExpressionAttributeNames": {"#unused": "x"},
            },
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
            id="names",
        ),
    ],
)
def test_unused_parameters_are_refused(
    client: Client, table: str, part: dict[str, Any], message: str
) -> None:
    request = {"TableName": table, "Item": KEY, "ConditionExpression": "a = :a"} | part
    assert refusal(client.put_item, **request) == invalid(message)


def test_an_unknown_type_name_is_refused_with_all_known_ones(client: Client, table: str) -> None:
    """The service lists the types in no order that it promises."""
    _, message = refusal(
        client.put_item,
        TableName=table,
        Item=KEY,
        ConditionExpression="attribute_type(a, :a)",
        ExpressionAttributeValues=values(a="X"),
    )
    start, _, known = message.rstrip("}").partition("{")
    assert start == (
        "Invalid ConditionExpression: Invalid attribute type name found; type: X, valid types: "
    )
    assert set(known.split(",")) == {"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}


def test_an_expression_has_at_most_4096_bytes(client: Client, table: str) -> None:
    long = " OR ".join(f"attribute_exists(a{number:04})" for number in range(200))
    refused = refusal(client.put_item, TableName=table, Item=KEY | ITEM, ConditionExpression=long)
    assert refused == invalid(
        "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
        f"expression size: {len(long)}"
    )


def test_in_takes_at_most_100_operands(client: Client, table: str) -> None:
    def request(count: int) -> dict[str, Any]:
        names = [f":v{number}" for number in range(count)]
        return {
            "TableName": table,
            "Item": KEY | ITEM,
            "ConditionExpression": f"n IN ({', '.join(names)})",
            "ExpressionAttributeValues": {
                name: {"N": str(number)} for number, name in enumerate(names)
            },
        }

    client.put_item(**request(100))
    assert refusal(client.put_item, **request(101)) == invalid(
        "Invalid ConditionExpression: The IN operator is provided with too many operands; "
        "number of operands: 101"
    )
