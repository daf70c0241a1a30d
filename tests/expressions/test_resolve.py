"""Operands that do not fit: names, values, numbers and types, in the service's order."""

from __future__ import annotations

import pytest

from singletable.expressions import bind
from tests.expressions.cases import CONDITION, PROJECTION, UPDATE, bound, refusal, request


def said(text: str, parameter: str = CONDITION, **given: object) -> str:
    message = refusal(request(text, parameter, **given), parameter)  # type: ignore[arg-type]  # values or names
    assert message.startswith(f"Invalid {parameter}: ")
    return message.removeprefix(f"Invalid {parameter}: ")


NO_NAME = "An expression attribute name used in the document path is not defined; attribute name: "
NO_VALUE = "An expression attribute value used in expression is not defined; attribute value: "
NEEDS_PATH = "Operator or function requires a document path; operator or function: "


def wrong_type(operator: str, kind: str) -> str:
    return (
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def wrong_count(function: str, count: int) -> str:
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {function}, number of operands: {count}"
    )


def not_distinct(operator: str, path: str) -> str:
    return (
        "The first operand must be distinct from the remaining operands for this operator or "
        f"function; operator: {operator}, first operand: {path}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#u = :s", NO_NAME + "#u"),
        ("a.#u.b = :s", NO_NAME + "#u"),
        ("a.:u = :s", NO_NAME + ":u"),
        ("a = :u", NO_VALUE + ":u"),
        ("a = :u AND #u = :s", NO_VALUE + ":u"),
        ("#u = :s AND a = :u", NO_NAME + "#u"),
        ("attribute_exists(a, b)", wrong_count("attribute_exists", 2)),
        ("begins_with(a)", wrong_count("begins_with", 1)),
        ("contains(a, :s, :s)", wrong_count("contains", 3)),
        ("attribute_exists(a, :u)", NO_VALUE + ":u"),
        ("size(a, b) = :u", wrong_count("size", 2)),
        ("attribute_exists(:s)", NEEDS_PATH + "attribute_exists"),
        ("attribute_not_exists(size(a))", NEEDS_PATH + "attribute_not_exists"),
        ("attribute_exists(:s) AND #u = :s", NEEDS_PATH + "attribute_exists"),
        ("a < :l", wrong_type("<", "L")),
        ("a >= :bo", wrong_type(">=", "BOOL")),
        (":m < :l", wrong_type("<", "M")),
        ("a BETWEEN :ss AND :ss", wrong_type("BETWEEN", "SS")),
        ("a BETWEEN a AND :l", wrong_type("BETWEEN", "L")),
        ("begins_with(a, :n)", wrong_type("begins_with", "N")),
        ("begins_with(:ns, a)", wrong_type("begins_with", "NS")),
        ("begins_with(a, size(b))", wrong_type("begins_with", "N")),
        ("size(:n) = :n", wrong_type("size", "N")),
        ("size(size(a)) = :n", wrong_type("size", "N")),
        ("size(:nu) = :n", wrong_type("size", "NULL")),
        ("attribute_type(a, :n)", wrong_type("attribute_type", "N")),
        ("attribute_type(a, size(b))", wrong_type("attribute_type", "N")),
        ("a = a", not_distinct("=", "[a]")),
        ("a[0].b < a[0].b", not_distinct("<", "[a, [0], b]")),
        ("a BETWEEN :s AND a", not_distinct("BETWEEN", "[a]")),
        ("a IN (b, a)", not_distinct("IN", "[a]")),
        ("contains(a, a)", not_distinct("contains", "[a]")),
        ("attribute_type(a, a)", not_distinct("attribute_type", "[a]")),
        (
            "attribute_type(a, :s)",
            (
                "Invalid attribute type name found; type: x, "
                "valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"
            ),
        ),
        (
            "a BETWEEN :s AND :n",
            (
                "The BETWEEN operator requires same data type for lower and upper bounds; lower "
                "bound operand: AttributeValue: {S:x}, upper bound operand: AttributeValue: {N:1}"
            ),
        ),
    ],
)
def test_operands_must_fit(text: str, message: str) -> None:
    assert said(text) == message


@pytest.mark.parametrize(
    "text",
    [
        "a = :l AND b <> :m",
        ":s = :n",
        ":s < :n",
        "size(a) < :s",
        "size(a) = size(a)",
        ":n BETWEEN :s AND :s",
        "a BETWEEN size(b) AND :s",
        "a IN (:s, :n, :l)",
        "contains(:n, a)",
        "contains(size(a), :s)",
        "a <> b",
    ],
)
def test_operands_whose_types_cannot_match_are_no_fault(text: str) -> None:
    assert bound(text).condition is not None


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        ({"N": "1e3"}, {"N": "5.50"}, ("{N:1e3}", "{N:5.50}")),
        ({"S": "é"}, {"S": "z"}, ("{S:é}", "{S:z}")),
        (
            {"B": b"\xff\x00"},
            {"B": b"\x01"},
            (
                "{B:java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]}",
                "{B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}",
            ),
        ),
    ],
)
def test_bounds_must_be_in_order_and_are_shown_as_given(
    low: object, high: object, shown: tuple[str, str]
) -> None:
    text = "a BETWEEN :low AND :high"
    in_order = request(text, values={":low": high, ":high": low})
    bind(in_order, CONDITION)
    # The same request with other contents is checked again, and answered in the same words.
    assert said(text, values={":low": low, ":high": high}) == (
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        f"lower bound operand: AttributeValue: {shown[0]}, "
        f"upper bound operand: AttributeValue: {shown[1]}"
    )


def test_there_are_at_most_300_operators() -> None:
    many = "The expression contains too many operators; operator count: 301"
    assert bound(" AND ".join(["a = :s"] * 150)).condition
    assert said(" AND ".join(["a = :s"] * 151)) == many
    assert bound("NOT " * 299 + "a = :s").condition
    assert said("NOT " * 300 + "a = :s") == many
    assert said("NOT (" * 300 + "a = :s" + ")" * 300) == many
    assert said(" AND ".join(["size(a) = :n"] * 101)) == many
    assert said("NOT " * 301 + "a = :u") == NO_VALUE + ":u"
    assert said("SET " + ",".join(f"a{i}=:n+:n" for i in range(301)), UPDATE) == many
    assert bound("REMOVE " + ", ".join(f"a{i}" for i in range(301)), UPDATE).update


def test_in_takes_at_most_100_operands() -> None:
    hundred = ", ".join([":s"] * 100)
    assert bound(f"a IN ({hundred})").condition
    assert said(f"a IN ({hundred}, :s)") == (
        "The IN operator is provided with too many operands; number of operands: 101"
    )


@pytest.mark.parametrize("path", [".".join("a" * 33), "a" + "[0]" * 32])
def test_a_path_is_at_most_32_deep(path: str) -> None:
    deep = "The document path has too many nesting levels; nesting levels: 33"
    assert said(f"{path} = :s") == deep
    assert said(f"b, {path}", PROJECTION) == deep
    assert said(f"ADD {path} :n", UPDATE) == deep


OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = (
    "Two document paths conflict with each other; must remove or rewrite one of these paths; "
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a, a", OVERLAP + "path one: [a], path two: [a]"),
        ("a, a.b", OVERLAP + "path one: [a], path two: [a, b]"),
        ("m.b, m", OVERLAP + "path one: [m, b], path two: [m]"),
        ("l[0], l[0][1]", OVERLAP + "path one: [l, [0]], path two: [l, [0], [1]]"),
        ("m.b, m[0]", CONFLICT + "path one: [m, b], path two: [m, [0]]"),
        ("l[0].a, l[0][1]", CONFLICT + "path one: [l, [0], a], path two: [l, [0], [1]]"),
        ("a, a, #u", NO_NAME + "#u"),
        ("#u, a, a", OVERLAP + "path one: [a], path two: [a]"),
        ("a, a, c", OVERLAP + "path one: [a], path two: [c]"),
        ("x.a, x.b, x.c, x.a.y", OVERLAP + "path one: [x, a], path two: [x, c]"),
    ],
)
def test_projected_paths_do_not_touch_and_are_looked_at_from_the_last(
    text: str, message: str
) -> None:
    assert said(text, PROJECTION) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET a = :s, a = :n", OVERLAP + "path one: [a], path two: [a]"),
        ("SET a.b = :n REMOVE a", OVERLAP + "path one: [a, b], path two: [a]"),
        ("SET l[0] = :n, l.a = :s", CONFLICT + "path one: [l, [0]], path two: [l, a]"),
        ("SET a = :u, b = :n, b = :s", OVERLAP + "path one: [b], path two: [b]"),
        ("SET a = #u, #v = :u", NO_NAME + "#v"),
        ("SET a = :s + :n, b = :u", NO_VALUE + ":u"),
        ("SET b = :u, a = :s + :n", wrong_type("+", "S")),
        ("ADD a :u SET b = :w", NO_VALUE + ":w"),
        ("SET a = :n + :s", wrong_type("+", "S")),
        ("SET a = :l - :n", wrong_type("-", "L")),
        ("SET a = list_append(:l, :n)", wrong_type("list_append", "N")),
        ("SET a = list_append(a)", wrong_count("list_append", 1)),
        ("SET a = if_not_exists(:s, :n)", NEEDS_PATH + "if_not_exists"),
        ("SET a = if_not_exists(if_not_exists(a, b), c)", NEEDS_PATH + "if_not_exists"),
        ("SET a = if_not_exists(b, b)", not_distinct("if_not_exists", "[b]")),
    ],
)
def test_an_update_checks_all_paths_then_all_operands_each_from_the_last(
    text: str, message: str
) -> None:
    assert said(text, UPDATE) == message


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ADD a :s", "STRING"),
        ("ADD a :b", "BINARY"),
        ("ADD a :bo", "BOOLEAN"),
        ("ADD a :nu", "NULL"),
        ("ADD a :l", "LIST"),
        ("DELETE a :m", "MAP"),
        ("DELETE a :n", "NUMBER"),
    ],
)
def test_add_takes_numbers_and_sets_delete_only_sets(text: str, kind: str) -> None:
    section = text.split(maxsplit=1)[0]
    assert said(text, UPDATE) == (
        f"Incorrect operand type for operator or function; operator: {section}, "
        f"operand type: {kind}, typeSet: ALLOWED_FOR_{section}_OPERAND"
    )
