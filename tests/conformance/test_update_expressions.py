"""Update expressions: SET, REMOVE, ADD and DELETE, on top-level and nested attributes."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from .support import Client, create, invalid, item, plain, refusal, unique, values

BEFORE = {
    "n": 10,
    "s": "text",
    "l": [1, 2, 3],
    "m": {"a": 1, "b": {"c": 2}, "l": ["x", "y"]},
    "ss": {"a", "b"},
    "ns": {1, 2},
    "bs": {b"a", b"b"},
    "nothing": None,
}
OPERANDS: dict[str, Any] = {
    "one": 1,
    "two": 2,
    "new": "new",
    "half": Decimal("0.5"),
    "list": [8, 9],
    "none": [],
    "map": {"z": 1},
    "setb": {"b"},
    "setc": {"c"},
    "setab": {"a", "b"},
    "set2": {2, 3},
    "setx": {b"a", b"x"},
    "huge": Decimal("9E+125"),
}


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S")


def operands(expression: str) -> dict[str, Any]:
    """Pick the values that an expression mentions."""
    used = {name: OPERANDS[name] for name in re.findall(r":(\w+)", expression)}
    return {"ExpressionAttributeValues": values(**used)} if used else {}


@pytest.fixture
def key(client: Client, table: str) -> dict[str, Any]:
    """The key of a fresh item with the contents that every case starts from."""
    fresh = item(pk=unique())
    client.put_item(TableName=table, Item=fresh | item(**BEFORE))
    return fresh


REMOVED = object()


@pytest.mark.parametrize(
    ("expression", "changes"),
    [
        pytest.param("SET n = :new", {"n": "new"}, id="set-replaces-any-type"),
        pytest.param("SET x = :one", {"x": 1}, id="set-creates"),
        pytest.param("set x = :one", {"x": 1}, id="lower-case"),
        pytest.param("SET x = :one, y = :two", {"x": 1, "y": 2}, id="set-two"),
        pytest.param("SET x = n", {"x": 10}, id="set-from-attribute"),
        pytest.param("SET n = s, s = n", {"n": "text", "s": 10}, id="set-swaps"),
        pytest.param("SET x = m.b.c", {"x": 2}, id="set-from-path"),
        pytest.param("SET x = l[1]", {"x": 2}, id="set-from-element"),
        pytest.param("SET n = n + :one", {"n": 11}, id="plus"),
        pytest.param("SET n = n - :half", {"n": Decimal("9.5")}, id="minus"),
        pytest.param("SET n = :one + n", {"n": 11}, id="plus-reversed"),
        pytest.param("SET n = :one - :two", {"n": -1}, id="two-values"),
        pytest.param("SET n=n+:one", {"n": 11}, id="plus-without-spaces"),
        pytest.param("SET x = n + l[0]", {"x": 11}, id="plus-two-paths"),
        pytest.param("SET x = if_not_exists(x, :one)", {"x": 1}, id="if-not-exists-missing"),
        pytest.param("SET x = if_not_exists(n, :one)", {"x": 10}, id="if-not-exists-there"),
        pytest.param("SET x = if_not_exists(x, n)", {"x": 10}, id="if-not-exists-path"),
        pytest.param(
            "SET x = if_not_exists(x, :one) + :two", {"x": 3}, id="if-not-exists-in-a-sum"
        ),
        pytest.param(
            "SET x = if_not_exists(x, if_not_exists(y, :one))",
            {"x": 1},
            id="if-not-exists-nested",
        ),
        pytest.param(
            "SET x = if_not_exists(nothing, :one)", {"x": None}, id="if-not-exists-null-exists"
        ),
        pytest.param("SET l = list_append(l, :list)", {"l": [1, 2, 3, 8, 9]}, id="append"),
        pytest.param("SET l = list_append(:list, l)", {"l": [8, 9, 1, 2, 3]}, id="prepend"),
        pytest.param("SET l = list_append(l, l)", {"l": [1, 2, 3, 1, 2, 3]}, id="append-itself"),
        pytest.param("SET l = list_append(l, :none)", {}, id="append-nothing"),
        pytest.param(
            "SET x = list_append(if_not_exists(x, :none), :list)",
            {"x": [8, 9]},
            id="append-to-missing",
        ),
        pytest.param("SET l[1] = :new", {"l": [1, "new", 3]}, id="set-element"),
        pytest.param("SET l[3] = :new", {"l": [1, 2, 3, "new"]}, id="set-past-the-end"),
        pytest.param("SET l[9] = :new", {"l": [1, 2, 3, "new"]}, id="set-far-past-the-end"),
        pytest.param(
            "SET l[9] = :new, l[7] = :one", {"l": [1, 2, 3, 1, "new"]}, id="set-two-past-the-end"
        ),
        pytest.param("SET l[0] = l[0] + :one", {"l": [2, 2, 3]}, id="plus-element"),
        pytest.param(
            "SET m.a = :new", {"m": {"a": "new", "b": {"c": 2}, "l": ["x", "y"]}}, id="set-nested"
        ),
        pytest.param(
            "SET m.z = :one",
            {"m": {"a": 1, "b": {"c": 2}, "l": ["x", "y"], "z": 1}},
            id="set-nested-new",
        ),
        pytest.param(
            "SET m.b.c = m.b.c + :one",
            {"m": {"a": 1, "b": {"c": 3}, "l": ["x", "y"]}},
            id="plus-nested",
        ),
        pytest.param(
            "SET m.l[0] = :map",
            {"m": {"a": 1, "b": {"c": 2}, "l": [{"z": 1}, "y"]}},
            id="set-element-in-map",
        ),
        pytest.param("SET m = :map", {"m": {"z": 1}}, id="set-whole-map"),
        pytest.param("REMOVE n", {"n": REMOVED}, id="remove"),
        pytest.param("REMOVE n, s", {"n": REMOVED, "s": REMOVED}, id="remove-two"),
        pytest.param("REMOVE zzz", {}, id="remove-missing"),
        pytest.param("REMOVE m.zzz", {}, id="remove-missing-nested"),
        pytest.param("REMOVE m.b.c", {"m": {"a": 1, "b": {}, "l": ["x", "y"]}}, id="remove-nested"),
        pytest.param("REMOVE l[0]", {"l": [2, 3]}, id="remove-element"),
        pytest.param("REMOVE l[0], l[2]", {"l": [2]}, id="remove-elements-by-old-index"),
        pytest.param("REMOVE l[2], l[0], l[1]", {"l": []}, id="remove-all-elements"),
        pytest.param("REMOVE l[7]", {}, id="remove-past-the-end"),
        pytest.param("ADD n :one", {"n": 11}, id="add"),
        pytest.param("ADD x :one", {"x": 1}, id="add-creates-a-number"),
        pytest.param("ADD n :half", {"n": Decimal("10.5")}, id="add-fraction"),
        pytest.param("ADD ss :setc", {"ss": {"a", "b", "c"}}, id="add-string"),
        pytest.param("ADD ss :setb", {}, id="add-what-is-there"),
        pytest.param("ADD ns :set2", {"ns": {1, 2, 3}}, id="add-number-to-set"),
        pytest.param("ADD bs :setx", {"bs": {b"a", b"b", b"x"}}, id="add-binary"),
        pytest.param("ADD x :setc", {"x": {"c"}}, id="add-creates-a-set"),
        pytest.param(
            "ADD m.b.c :one", {"m": {"a": 1, "b": {"c": 3}, "l": ["x", "y"]}}, id="add-nested"
        ),
        pytest.param("ADD n :one, x :two", {"n": 11, "x": 2}, id="add-two"),
        pytest.param("DELETE ss :setb", {"ss": {"a"}}, id="delete"),
        pytest.param("DELETE ss :setc", {}, id="delete-what-is-not-there"),
        pytest.param("DELETE ss :setab", {"ss": REMOVED}, id="delete-the-last-removes-the-set"),
        pytest.param("DELETE ns :set2", {"ns": {1}}, id="delete-number"),
        pytest.param("DELETE bs :setx", {"bs": {b"b"}}, id="delete-binary"),
        pytest.param("DELETE x :setb", {}, id="delete-from-nothing"),
        pytest.param(
            "SET x = :one REMOVE s ADD n :one DELETE ss :setb",
            {"x": 1, "s": REMOVED, "n": 11, "ss": {"a"}},
            id="all-four",
        ),
        pytest.param(
            "REMOVE n SET x = n", {"x": 10, "n": REMOVED}, id="operands-are-read-before-any-change"
        ),
        pytest.param(
            "SET l[0] = :new REMOVE l[1]", {"l": ["new", 3]}, id="set-and-remove-in-one-list"
        ),
        pytest.param("SET x = (n + :one)", {"x": 11}, id="parentheses"),
    ],
)
def test_changes(
    client: Client, table: str, key: dict[str, Any], expression: str, changes: dict[str, Any]
) -> None:
    client.update_item(
        TableName=table, Key=key, UpdateExpression=expression, **operands(expression)
    )
    expected = plain(key) | BEFORE | changes
    got = plain(client.get_item(TableName=table, Key=key)["Item"])
    assert got == {name: value for name, value in expected.items() if value is not REMOVED}


BAD_PATH = "The document path provided in the update expression is invalid for update"
BAD_TYPE = "An operand in the update expression has an incorrect data type"
BAD_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        pytest.param("SET x.y = :one", BAD_PATH, id="parent-missing"),
        pytest.param("SET s.y = :one", BAD_PATH, id="parent-a-string"),
        pytest.param("SET l.y = :one", BAD_PATH, id="name-in-a-list"),
        pytest.param("SET m[0] = :one", BAD_PATH, id="index-in-a-map"),
        pytest.param("SET x[0] = :one", BAD_PATH, id="index-in-nothing"),
        pytest.param("SET m.b.d.e = :one", BAD_PATH, id="grandparent-missing"),
        pytest.param("REMOVE x.y", BAD_PATH, id="remove-parent-missing"),
        pytest.param("REMOVE s.y", BAD_PATH, id="remove-parent-a-string"),
        pytest.param("SET n = zzz", BAD_ATTRIBUTE, id="operand-missing"),
        pytest.param("SET n = zzz + :one", BAD_ATTRIBUTE, id="sum-operand-missing"),
        pytest.param("SET n = m.zzz", BAD_ATTRIBUTE, id="nested-operand-missing"),
        pytest.param("SET l = list_append(zzz, :list)", BAD_ATTRIBUTE, id="append-missing"),
        pytest.param("SET n = s + :one", BAD_TYPE, id="plus-a-string"),
        pytest.param("SET n = n + s", BAD_TYPE, id="plus-a-string-attribute"),
        pytest.param("SET l = list_append(s, :list)", BAD_TYPE, id="append-to-a-string"),
        pytest.param("SET l = list_append(s, zzz)", BAD_TYPE, id="append-missing-to-a-string"),
        pytest.param("SET l = list_append(zzz, s)", BAD_ATTRIBUTE, id="append-a-string-to-missing"),
        pytest.param("ADD s :one", BAD_TYPE, id="add-to-a-string"),
        pytest.param("ADD l :one", BAD_TYPE, id="add-to-a-list"),
        pytest.param("ADD n :setb", BAD_TYPE, id="add-set-to-a-number"),
        pytest.param("ADD ss :set2", BAD_TYPE, id="add-numbers-to-strings"),
        pytest.param("DELETE s :setb", BAD_TYPE, id="delete-from-a-string"),
        pytest.param("DELETE ss :set2", BAD_TYPE, id="delete-numbers-from-strings"),
        pytest.param(
            "SET n = :huge + :huge",
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range",
            id="overflow",
        ),
        pytest.param("ADD x.y :one", BAD_PATH, id="add-parent-missing"),
    ],
)
def test_refused_by_the_item(
    client: Client, table: str, key: dict[str, Any], expression: str, message: str
) -> None:
    refused = refusal(
        client.update_item,
        TableName=table,
        Key=key,
        UpdateExpression=expression,
        **operands(expression),
    )
    assert refused == invalid(message)
    assert plain(client.get_item(TableName=table, Key=key)["Item"]) == plain(key) | BEFORE


OPERANDS_TYPE = "Incorrect operand type for operator or function; operator or function: "
ADD_TYPE = (
    "Incorrect operand type for operator or function; operator: ADD, operand type: {}, "
    "typeSet: ALLOWED_FOR_ADD_OPERAND"
)
DELETE_TYPE = (
    "Incorrect operand type for operator or function; operator: DELETE, operand type: {}, "
    "typeSet: ALLOWED_FOR_DELETE_OPERAND"
)
OPERANDS_COUNT = "Incorrect number of operands for operator or function; operator or function: "
OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = (
    "Two document paths conflict with each other; must remove or rewrite one of these paths; "
)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        pytest.param("", "The expression can not be empty;", id="empty"),
        pytest.param("SET", 'Syntax error; token: "<EOF>", near: "SET"', id="bare-set"),
        pytest.param("n = :one", 'Syntax error; token: "n", near: "n ="', id="no-clause"),
        pytest.param("SET n", 'Syntax error; token: "<EOF>", near: "n"', id="no-assignment"),
        pytest.param("SET n = ", 'Syntax error; token: "<EOF>", near: "= "', id="no-operand"),
        pytest.param("SET n = :one,", 'Syntax error; token: "<EOF>", near: ","', id="comma"),
        pytest.param("SET n = ((:one)", 'Syntax error; token: "<EOF>", near: ")"', id="open"),
        pytest.param(
            "SET n = ((:one))", "The expression has redundant parentheses;", id="redundant"
        ),
        pytest.param(
            "SET n = :one + :one + :one",
            'Syntax error; token: "+", near: ":one + :one"',
            id="three",
        ),
        pytest.param(
            "SET n = :one * :two", 'Syntax error; token: "*", near: ":one * :two"', id="*"
        ),
        pytest.param("SET n == :one", 'Syntax error; token: "=", near: "== :one"', id="two-equals"),
        pytest.param("SET n = 5", 'Syntax error; token: "5", near: "= 5"', id="literal"),
        pytest.param("ADD n = :one", 'Syntax error; token: "=", near: "n = :one"', id="add-equals"),
        pytest.param(
            "REMOVE n :one", 'Syntax error; token: ":one", near: "n :one"', id="remove-value"
        ),
        pytest.param("ADD n s", 'Syntax error; token: "s", near: "n s"', id="add-path"),
        pytest.param(
            "SET n = :one SET s = :one",
            'The "SET" section can only be used once in an update expression;',
            id="two-sets",
        ),
        pytest.param(
            "REMOVE n REMOVE s",
            'The "REMOVE" section can only be used once in an update expression;',
            id="two-removes",
        ),
        pytest.param("SET n = :one, n = :two", OVERLAP + "path one: [n], path two: [n]", id="same"),
        pytest.param(
            "SET m = :one, m.a = :two", OVERLAP + "path one: [m], path two: [m, a]", id="overlap"
        ),
        pytest.param(
            "SET m.a = :one REMOVE m",
            OVERLAP + "path one: [m, a], path two: [m]",
            id="overlap-clauses",
        ),
        pytest.param(
            "SET m.a = :one, m[0] = :two",
            CONFLICT + "path one: [m, a], path two: [m, [0]]",
            id="conflict",
        ),
        pytest.param(
            "SET #zzz = :one",
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #zzz",
            id="undefined-name",
        ),
        pytest.param(
            "SET add = :one", 'Syntax error; token: "add", near: "SET add ="', id="keyword"
        ),
        pytest.param(
            "SET action = :one",
            "Attribute name is a reserved keyword; reserved keyword: action",
            id="reserved",
        ),
        pytest.param("SET n = zzz(n)", "Invalid function name; function: zzz", id="function"),
        pytest.param(
            "SET n = size(n)",
            "The function is not allowed in an update expression; function: size",
            id="condition-function",
        ),
        pytest.param(
            "SET n = attribute_exists(n)",
            "The function is not allowed in an update expression; function: attribute_exists",
            id="condition-predicate",
        ),
        pytest.param(
            "SET n = if_not_exists(n)",
            OPERANDS_COUNT + "if_not_exists, number of operands: 1",
            id="too-few",
        ),
        pytest.param(
            "SET l = list_append(l, l, l)",
            OPERANDS_COUNT + "list_append, number of operands: 3",
            id="too-many",
        ),
        pytest.param(
            "SET n = if_not_exists(:one, n)",
            "Operator or function requires a document path; operator or function: if_not_exists",
            id="if-not-exists-of-value",
        ),
        pytest.param(
            "SET l = list_append(l, :one)",
            OPERANDS_TYPE + "list_append, operand type: N",
            id="append-a-number",
        ),
        pytest.param("SET n = n + :new", OPERANDS_TYPE + "+, operand type: S", id="plus-a-string"),
        pytest.param("SET n = n - :list", OPERANDS_TYPE + "-, operand type: L", id="minus-a-list"),
        pytest.param("ADD n :new", ADD_TYPE.format("STRING"), id="add-a-string"),
        pytest.param("ADD n :list", ADD_TYPE.format("LIST"), id="add-a-list"),
        pytest.param("DELETE ss :one", DELETE_TYPE.format("NUMBER"), id="delete-a-number"),
        pytest.param("DELETE ss :new", DELETE_TYPE.format("STRING"), id="delete-a-string"),
    ],
)
def test_refused_before_any_item_is_read(
    client: Client, table: str, expression: str, message: str
) -> None:
    refused = refusal(
        client.update_item,
        TableName=table,
        Key=item(pk="x"),
        UpdateExpression=expression,
        **operands(expression),
    )
    assert refused == invalid(f"Invalid UpdateExpression: {message}")


def test_an_undefined_value_is_refused(client: Client, table: str) -> None:
    refused = refusal(
        client.update_item, TableName=table, Key=item(pk="x"), UpdateExpression="SET a = :a"
    )
    assert refused == invalid(
        "Invalid UpdateExpression: An expression attribute value used in expression is not "
        "defined; attribute value: :a"
    )


def test_a_missing_item_takes_adds_and_sets(client: Client, table: str) -> None:
    key = item(pk=unique())
    client.update_item(
        TableName=table,
        Key=key,
        UpdateExpression=(
            "SET a = if_not_exists(a, :one) ADD n :one, s :setb REMOVE x DELETE y :setb"
        ),
        ExpressionAttributeValues=values(one=1, setb={"b"}),
    )
    got = plain(client.get_item(TableName=table, Key=key)["Item"])
    assert got == plain(key) | {"a": 1, "n": 1, "s": {"b"}}
