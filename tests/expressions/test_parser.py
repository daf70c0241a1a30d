"""Reading expressions: what they mean, and what is said of text that is no expression."""

from __future__ import annotations

import time

import pytest

from singletable.errors import ValidationException
from singletable.expressions import (
    Add,
    Alias,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Delete,
    In,
    Not,
    Or,
    Path,
    Placeholder,
    Remove,
    Set,
)
from singletable.expressions.parser import parse_condition, parse_projection, parse_update

A, B, C = (Path((name,)) for name in "abc")
X, Y, Z = (Placeholder(f":{name}") for name in "xyz")
A_IS_X = Comparison("=", A, X)
B_IS_Y = Comparison("=", B, Y)
C_IS_Z = Comparison("=", C, Z)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = :x", A_IS_X),
        ("a=:x", A_IS_X),
        (" a\n=\t:x\r", A_IS_X),
        ("(a) = (:x)", A_IS_X),
        ("(a = :x)", A_IS_X),
        (":x = a", Comparison("=", X, A)),
        ("a <> :x", Comparison("<>", A, X)),
        ("a<=:x", Comparison("<=", A, X)),
        ("a = :x AND b = :y AND c = :z", And((A_IS_X, B_IS_Y, C_IS_Z))),
        ("a = :x OR b = :y AND c = :z", Or((A_IS_X, And((B_IS_Y, C_IS_Z))))),
        ("a = :x and b = :y or c = :z", Or((And((A_IS_X, B_IS_Y)), C_IS_Z))),
        ("(a = :x OR b = :y) AND c = :z", And((Or((A_IS_X, B_IS_Y)), C_IS_Z))),
        ("a = :x AND (b = :y AND c = :z)", And((A_IS_X, And((B_IS_Y, C_IS_Z))))),
        ("NOT a = :x AND b = :y", And((Not(A_IS_X), B_IS_Y))),
        ("NOT (a = :x AND b = :y)", Not(And((A_IS_X, B_IS_Y)))),
        ("NOT NOT a = :x", Not(Not(A_IS_X))),
        ("NOT(a = :x)AND(b = :y)", And((Not(A_IS_X), B_IS_Y))),
        ("a BETWEEN :x AND :y", Between(A, X, Y)),
        ("a between :x and :y and b = :y", And((Between(A, X, Y), B_IS_Y))),
        ("a IN (:x, b, size(c))", In(A, (X, B, Call("size", (C,))))),
        ("attribute_exists (a)", Call("attribute_exists", (A,))),
        ("contains((a), :x)", Call("contains", (A, X))),
        ("(size(a)) > :x", Comparison(">", Call("size", (A,)), X)),
        ("contains = :x", Comparison("=", Path(("contains",)), X)),
        ("a.b[3].#c = :x", Comparison("=", Path(("a", "b", 3, Alias("#c"))), X)),
        ("a . b [ 3 ] [0] = :x", Comparison("=", Path(("a", "b", 3, 0)), X)),
        ("#1 = :_", Comparison("=", Path((Alias("#1"),)), Placeholder(":_"))),
    ],
)
def test_a_condition_is_read_with_its_precedence(text: str, tree: object) -> None:
    assert parse_condition(text) == tree


def test_a_projection_is_a_list_of_paths() -> None:
    paths = parse_projection("a, b.c[1],#d").paths
    assert paths == (A, Path(("b", "c", 1)), Path((Alias("#d"),)))


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("SET a = :x", [Set(A, X)]),
        ("set a = :x, b = c", [Set(A, X), Set(B, C)]),
        ("SET a = b + :x", [Set(A, Arithmetic("+", B, X))]),
        ("SET a = b-:x", [Set(A, Arithmetic("-", B, X))]),
        ("SET a = ((b) + (:x))", [Set(A, Arithmetic("+", B, X))]),
        ("SET a = (:x)", [Set(A, X)]),
        (
            "SET a = if_not_exists(b, :x) + :y",
            [Set(A, Arithmetic("+", Call("if_not_exists", (B, X)), Y))],
        ),
        ("REMOVE a, b", [Remove(A), Remove(B)]),
        ("ADD a :x, b :y", [Add(A, X), Add(B, Y)]),
        (
            "DELETE a :x REMOVE b SET c = :z",
            [Delete(A, X), Remove(B), Set(C, Z)],
        ),
    ],
)
def test_an_update_is_read_clause_by_clause(text: str, actions: list[object]) -> None:
    update, _sections = parse_update(text)
    assert list(update.actions) == actions


def refusal(text: str, kind: str = "condition") -> str:
    read = {"condition": parse_condition, "projection": parse_projection, "update": parse_update}
    with pytest.raises(ValidationException) as caught:
        read[kind](text)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a = :x b", "b", ":x b"),
        ("a == :x", "=", "== :x"),
        ("a x :x", "x", "a x :x"),
        ("= :x", "=", "= :x"),
        ("  = :x", "=", "  = :x"),
        ("a  =  =  :x", "=", "=  =  :x"),
        ("a =", "<EOF>", "="),
        ("a =  ", "<EOF>", "=  "),
        ("a", "<EOF>", "a"),
        ("  ", "<EOF>", "  "),
        ("(a = :x", "<EOF>", ":x"),
        ("a = :x)", ")", ":x)"),
        ("()", ")", "()"),
        ("NOT", "<EOF>", "NOT"),
        ("a != :x", "!", "a !="),
        ("a < > :x", ">", "< > :x"),
        ("a.[3] = :x", "[", ".[3"),
        ("a[3]b = :x", "b", "]b ="),
        ("a[-1] = :x", "-", "[-1"),
        ("a[01] = :x", "1", "01]"),
        ("a[:x] = :x", ":x", "[:x]"),
        ("a IN ()", ")", "()"),
        ("a IN :x", ":x", "IN :x"),
        ("a BETWEEN :x OR :y", "OR", ":x OR :y"),
        ("a + :x = :y", "+", "a + :x"),
        ("a = 'x'", "'", "= 'x"),
        ("a = 5", "5", "= 5"),
        ("a = :", ":", "= :"),
        ("# = a", "#", "# ="),
        ("a = :x.b", ".", ":x.b"),
        ("_a = :x", "_", "_a"),
        ("é = :x", "é", "é ="),
        ("a = :x\u00a0AND b = :y", "\u00a0", ":x\u00a0AND"),
        ("and = :x", "and", "and ="),
        ("a.set = :x", "set", ".set ="),
        ("not(a)", "<EOF>", ")"),
        ("a = :x AND :y", "<EOF>", ":y"),
        ("(a = :x) = :y", "=", ") = :y"),
        ("(a) AND b", "AND", ") AND b"),
        ("(a = :x AND (b))", ")", "))"),
        ("a = (b = c)", "=", "b = c"),
        ("((a)) b", "b", ") b"),
        ("((a))", "<EOF>", ")"),
    ],
)
def test_a_syntax_error_names_the_token_and_its_neighbours(
    text: str, token: str, near: str
) -> None:
    assert refusal(text) == f'Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a = :x", "a", "a ="),
        ("SET", "<EOF>", "SET"),
        ("SET a", "<EOF>", "a"),
        ("SET a = :x,", "<EOF>", ","),
        ("SET a = :x b = :y", "b", ":x b ="),
        ("SETa = :x", "SETa", "SETa ="),
        ("ADD a b", "b", "a b"),
        ("REMOVE a = :x", "=", "a = :x"),
        ("SET a = :x + :y + :z", "+", ":y + :z"),
        ("SET a = (:x + :y) + :z", "+", ") + :z"),
        ("SET a = :x + (:y + :z)", "+", ":y + :z"),
        ("SET a = -:x", "-", "= -:x"),
        ("SET (a) = :x", "(", "SET (a"),
    ],
)
def test_an_update_has_syntax_errors_too(text: str, token: str, near: str) -> None:
    assert refusal(text, "update") == f'Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize(
    "text", ["(a)", "a = b", "size(a)", ":a", "a,", "a,,b", ",a", "a b", "set"]
)
def test_a_projection_has_nothing_but_paths(text: str) -> None:
    assert refusal(text, "projection").startswith("Syntax error; token: ")


@pytest.mark.parametrize(
    "text",
    [
        "((a = :x))",
        "((a)) = :x",
        "a = ((b))",
        "NOT ((a = :x))",
        "((a = :x)) AND",
        "((size(a))) > :x",
        "attribute_exists(((a)))",
        "a IN (((:x)))",
        "((a = :x) AND ((b = :y)))",
    ],
)
def test_parentheses_around_parentheses_are_refused(text: str) -> None:
    assert refusal(text) == "The expression has redundant parentheses;"


def test_an_expression_is_neither_empty_nor_longer_than_4096() -> None:
    too_long = "Expression size has exceeded the maximum allowed size;"
    assert refusal("") == "The expression can not be empty;"
    assert refusal("a = :x" + " " * 4091) == f"{too_long} expression size: 4097"
    assert refusal("SET a = :x" + " " * 4091, "update") == too_long
    assert refusal("a" + " " * 4096, "projection") == too_long
    assert parse_condition("a = :x" + " " * 4090) == A_IS_X


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(" * 1900 + "a = :x" + ")" * 1900, "redundant parentheses"),
        ("(" * 4096, "<EOF>"),
        ("NOT " * 1000, "<EOF>"),
        ("size(" * 800, "<EOF>"),
        ("a = :x AND (" * 340, "<EOF>"),
        ("(" * 100_000, "maximum allowed size"),
        ("NOT " * 25_000 + "a = :x", "maximum allowed size"),
    ],
)
def test_text_nested_thousands_deep_is_refused_at_once(text: str, said: str) -> None:
    start = time.process_time()
    assert said in refusal(text)
    assert time.process_time() - start < 1
