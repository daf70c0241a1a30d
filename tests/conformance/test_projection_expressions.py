"""Projection expressions: which parts of an item come back."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, index, invalid, item, refusal, values

KEY = item(pk="p", sk=1)
BODY = {
    "a": 1,
    "b": "two",
    "l": [10, 20, [30, 31], {"x": 1, "y": 2}],
    "m": {"p": 1, "q": {"r": 2, "s": 3}, "dotted.name": 4},
}
ITEM = KEY | item(**BODY)


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S", "sk:N")
    fill(client, name, [ITEM])
    return name


CASES = [
    pytest.param("a", item(a=1), id="one"),
    pytest.param("a, b", item(a=1, b="two"), id="two"),
    pytest.param(" a ,b ", item(a=1, b="two"), id="spaces"),
    pytest.param("a, zzz", item(a=1), id="missing"),
    pytest.param("pk, a", item(pk="p", a=1), id="key"),
    pytest.param("m.p", item(m={"p": 1}), id="nested"),
    pytest.param("m.q.r", item(m={"q": {"r": 2}}), id="nested-twice"),
    pytest.param("m.p, m.q.s", item(m={"p": 1, "q": {"s": 3}}), id="two-in-one-map"),
    pytest.param("m.zzz", {}, id="missing-nested"),
    pytest.param("a.zzz", {}, id="path-through-a-number"),
    pytest.param("l[0]", item(l=[10]), id="element"),
    pytest.param("l[1], l[0]", item(l=[10, 20]), id="elements-keep-their-order"),
    pytest.param("l[3], l[1]", item(l=[20, {"x": 1, "y": 2}]), id="elements-close-up"),
    pytest.param("l[2][1]", item(l=[[31]]), id="element-of-element"),
    pytest.param("l[3].y", item(l=[{"y": 2}]), id="map-in-list"),
    pytest.param("l[3].y, l[3].x", item(l=[{"x": 1, "y": 2}]), id="two-of-a-map-in-a-list"),
    pytest.param("l[9]", {}, id="beyond-the-end"),
    pytest.param("#m.#d", item(m={"dotted.name": 4}), id="dot-in-a-name"),
    pytest.param("#m.q.#r, #m.p", item(m={"p": 1, "q": {"r": 2}}), id="names"),
]
NAMES = {"#m": "m", "#d": "dotted.name", "#r": "r"}


def names(expression: str) -> dict[str, Any]:
    used = {name: target for name, target in NAMES.items() if name in expression}
    return {"ExpressionAttributeNames": used} if used else {}


@pytest.mark.parametrize(("expression", "expected"), CASES)
def test_get_item(client: Client, table: str, expression: str, expected: dict[str, Any]) -> None:
    answer = client.get_item(
        TableName=table, Key=KEY, ProjectionExpression=expression, **names(expression)
    )
    assert answer["Item"] == expected


@pytest.mark.parametrize(("expression", "expected"), CASES[::3])
def test_query(client: Client, table: str, expression: str, expected: dict[str, Any]) -> None:
    answer = client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk="p"),
        ProjectionExpression=expression,
        **names(expression),
    )
    assert answer["Items"] == [expected]


@pytest.mark.parametrize(("expression", "expected"), CASES[1::3])
def test_batch_get_item(
    client: Client, table: str, expression: str, expected: dict[str, Any]
) -> None:
    keyed = {"Keys": [KEY], "ProjectionExpression": expression} | names(expression)
    assert client.batch_get_item(RequestItems={table: keyed})["Responses"][table] == [expected]


OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = (
    "Two document paths conflict with each other; must remove or rewrite one of these paths; "
)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        pytest.param("", "The expression can not be empty;", id="empty"),
        pytest.param("a,", 'Syntax error; token: "<EOF>", near: ","', id="comma-at-the-end"),
        pytest.param(",a", 'Syntax error; token: ",", near: ",a"', id="comma-at-the-start"),
        pytest.param("a b", 'Syntax error; token: "b", near: "a b"', id="no-comma"),
        pytest.param("a.", 'Syntax error; token: "<EOF>", near: "."', id="dot-at-the-end"),
        pytest.param("l[]", 'Syntax error; token: "]", near: "[]"', id="no-index"),
        pytest.param("l[a]", 'Syntax error; token: "a", near: "[a]"', id="index-not-a-number"),
        pytest.param(":v", 'Syntax error; token: ":v", near: ":v"', id="a-value"),
        pytest.param("size(a)", 'Syntax error; token: "(", near: "size(a"', id="a-function"),
        pytest.param("1a", 'Syntax error; token: "1", near: "1a"', id="digit-first"),
        pytest.param("_a", 'Syntax error; token: "_", near: "_a"', id="underscore-first"),
        pytest.param("a-b", 'Syntax error; token: "-", near: "a-b"', id="hyphen"),
        pytest.param(
            "status",
            "Attribute name is a reserved keyword; reserved keyword: status",
            id="reserved",
        ),
        pytest.param(
            "a, STATUS",
            "Attribute name is a reserved keyword; reserved keyword: STATUS",
            id="reserved-capitals",
        ),
        pytest.param(
            "#zzz",
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #zzz",
            id="undefined-name",
        ),
        pytest.param("a, a", OVERLAP + "path one: [a], path two: [a]", id="same-path"),
        pytest.param("m, m.p", OVERLAP + "path one: [m], path two: [m, p]", id="overlap"),
        pytest.param("m.p, m", OVERLAP + "path one: [m, p], path two: [m]", id="overlap-reversed"),
        pytest.param(
            "l[1], l[1].x", OVERLAP + "path one: [l, [1]], path two: [l, [1], x]", id="overlap-list"
        ),
        pytest.param("m.p, m[0]", CONFLICT + "path one: [m, p], path two: [m, [0]]", id="conflict"),
        pytest.param("a, q, a", OVERLAP + "path one: [a], path two: [a]", id="same-of-three"),
        pytest.param(
            "m.p, m.beta, m.p",
            OVERLAP + "path one: [m, p], path two: [m, beta]",
            id="another-is-named",
        ),
        pytest.param(
            "l[3], l[14], l[15], l[3]",
            OVERLAP + "path one: [l, [3]], path two: [l, [14]]",
            id="another-index-is-named",
        ),
        pytest.param(
            ", ".join([*(f"w{number}" for number in range(20)), "w0"]),
            OVERLAP + "path one: [w0], path two: [w10]",
            id="one-of-many-is-named",
        ),
        pytest.param(
            "a[99999999999999999999]",
            "List index is not within the allowable range; index: [99999999999999999999]",
            id="huge-index",
        ),
    ],
)
def test_refused(client: Client, table: str, expression: str, message: str) -> None:
    refused = refusal(client.get_item, TableName=table, Key=KEY, ProjectionExpression=expression)
    assert refused == invalid(f"Invalid ProjectionExpression: {message}")


def test_of_several_keys_that_paths_lead_into_the_first_of_the_schema_is_told(
    client: Client,
) -> None:
    name = create(
        client, "z:S", "c:S", indexed="y:S b:S", GlobalSecondaryIndexes=[index("idx", "y", "b")]
    )
    refused = (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        "allowed: {}"
    )
    for expression, told in (
        ("c.x, z.x", "Key: z"),
        ("z.x, c.x", "Key: z"),
        ("b.x, y.x", "IndexKey: y"),
        ("y.x, b.x", "IndexKey: y"),
        ("y.x, c.x", "Key: c"),
    ):
        assert refusal(client.scan, TableName=name, ProjectionExpression=expression) == invalid(
            refused.format(told)
        )
