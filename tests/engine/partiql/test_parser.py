"""What statements are read into, and what is said of those that cannot be."""

from __future__ import annotations

import pytest

from singletable.engine.partiql.parser import parse
from singletable.engine.partiql.statements import (
    Delete,
    Exists,
    Insert,
    Order,
    Returning,
    Select,
    Source,
    Update,
)
from singletable.errors import ValidationException
from singletable.expressions import (
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Condition,
    In,
    Not,
    Or,
    Path,
    Placeholder,
    Remove,
    Set,
    Value,
)

A, B, C = (Comparison("=", Path((name,)), Value({"N": "1"})) for name in "abc")


def where(text: str) -> Condition | None:
    return parse(f"SELECT * FROM notes WHERE {text}").where


def refusal(text: str) -> str | None:
    return parse(text).refusal


def test_a_select_has_columns_source_condition_and_order() -> None:
    assert parse(
        'select m.x[0], "order" FROM "notes"."i" WHERE a = 1 order by s desc, p;'
    ) == Select(
        source=Source("notes", "i"),
        columns=(Path(("m", "x", 0)), Path(("order",))),
        where=A,
        order=(Order("s", descending=True), Order("p", descending=False)),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1 OR b = 1 AND c = 1", Or((A, And((B, C))))),
        ("(a = 1 OR b = 1) AND c = 1", And((Or((A, B)), C))),
        ("NOT a = 1 AND b = 1", And((Not(A), B))),
        ("a != 1", Comparison("<>", Path(("a",)), Value({"N": "1"}))),
        ("a NOT IN (1, ?)", Not(In(Path(("a",)), (Value({"N": "1"}), Placeholder("?0"))))),
        ("a IN <<1>>", In(Path(("a",)), (Value({"N": "1"}),))),
        (
            "a BETWEEN 1 AND 2 AND b = 1",
            And((Between(Path(("a",)), Value({"N": "1"}), Value({"N": "2"})), B)),
        ),
        ("a IS MISSING", Call("attribute_not_exists", (Path(("a",)),))),
        ("a IS NOT NULL", Not(Comparison("=", Path(("a",)), Value({"NULL": True})))),
        ("a IS TUPLE", Call("attribute_type", (Path(("a",)), Value({"S": "M"})))),
        ("SIZE(a) > -1", Comparison(">", Call("size", (Path(("a",)),)), Value({"N": "-1"}))),
    ],
)
def test_conditions_are_the_nodes_of_the_expression_language(
    text: str, expected: Condition
) -> None:
    assert where(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it''s'", {"S": "it's"}),
        ("010.50", {"N": "10.5"}),
        ("- -1e2", {"N": "100"}),
        ("TRUE", {"BOOL": True}),
        ("null", {"NULL": True}),
        ("[1, ['a'], {}]", {"L": [{"N": "1"}, {"L": [{"S": "a"}]}, {"M": {}}]}),
        ("{'k': <<'b', 'a'>>}", {"M": {"k": {"SS": ["a", "b"]}}}),
        ("<<10, 9>>", {"NS": ["9", "10"]}),
    ],
)
def test_literals_are_read_in_canonical_form(text: str, value: dict[str, object]) -> None:
    assert where(f"a = {text}") == Comparison("=", Path(("a",)), Value(value))


def test_an_insert_has_literals_and_parameters() -> None:
    statement = parse("INSERT INTO notes VALUE {'pk': ?, 'n': 1, 'b': ?}")
    assert statement == Insert(
        source=Source("notes"),
        item={"pk": Placeholder("?0"), "n": Value({"N": "1"}), "b": Placeholder("?1")},
        parameters=2,
    )


def test_an_update_has_actions_in_the_order_of_the_text() -> None:
    statement = parse(
        "UPDATE notes SET a = a + 1, s = set_add(s, ?) REMOVE l[1] WHERE a = 1 "
        "RETURNING MODIFIED OLD *"
    )
    assert isinstance(statement, Update)
    assert statement.update.actions == (
        Set(Path(("a",)), Arithmetic("+", Path(("a",)), Value({"N": "1"}))),
        Add(Path(("s",)), Placeholder("?0")),
        Remove(Path(("l", 1))),
    )
    assert statement.returning == Returning(modified=True, old=True)


def test_a_delete_and_an_exists_have_conditions() -> None:
    deletion = parse("DELETE FROM notes WHERE a = 1 RETURNING ALL OLD *")
    assert deletion == Delete(
        source=Source("notes"), where=A, returning=Returning(modified=False, old=True)
    )
    exists = parse("EXISTS(SELECT * FROM notes WHERE a = 1)")
    assert exists == Exists(source=Source("notes"), where=A)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "notes",
        "SELECT",
        "SELECT * FROM notes WHERE",
        "SELECT * FROM notes WHERE a = 'open",
        "SELECT * FROM notes /* open",
        "SELECT * FROM notes WHERE a = 0x10",
        "SELECT * FROM notes WHERE #a = 1",
        "SELECT date FROM notes",
        "SELECT * FROM notes WHERE a IN ()",
        "SELECT *, a FROM notes",
        "SELECT * FROM notes;;",
        "INSERT INTO notes VALUES {'a': 1}",
        "SELECT * FROM notes-",
        "DELETE FROM 'notes'",
        "UPDATE notes REMOVE a, b WHERE a = 1",
        "UPDATE notes SET a = 1 RETURNING *",
        "DELETE notes WHERE a = 1",
        "SELECT a AS b FROM notes WHERE",
    ],
)
def test_what_breaks_the_grammar_is_answered_with_the_statement(text: str) -> None:
    with pytest.raises(ValidationException) as caught:
        parse(text)
    assert caught.value.message == f"Statement wasn't well formed, can't be processed: {text}"


@pytest.mark.parametrize("text", ["UPDATE notes", "UPDATE my-notes SET a = 1 WHERE b = 2"])
def test_an_update_without_an_action_is_answered_in_the_service_s_words(text: str) -> None:
    with pytest.raises(ValidationException) as caught:
        parse(text)
    assert caught.value.message == (
        "Statement wasn't well formed, can't be processed: Expected data manipulation"
    )


def test_a_source_may_stand_in_parentheses() -> None:
    assert parse("SELECT * FROM (notes)") == parse("SELECT * FROM notes")


@pytest.mark.parametrize(
    "source",
    [
        "my-notes",
        "notes-2024",
        "-notes",
        "size(notes)",
        "notes = 1",
        "'notes'",
        "(SELECT * FROM a)",
    ],
)
def test_a_source_is_a_table(source: str) -> None:
    assert refusal(f"SELECT * FROM {source}") == "Unexpected from source"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT a AS b FROM notes", "Aliasing is not supported"),
        ("SELECT a FROM notes n", "Aliasing is not supported"),
        ("SELECT a, m.a FROM notes", "Duplicate identifiers in select clause: a"),
        ("SELECT 1 FROM notes", "Unexpected path component at 1:8:1"),
        ("SELECT *\nFROM notes LIMIT 7", "Unsupported clause: LIMIT at 2:18:1"),
        ("SELECT * FROM notes GROUP BY a", "Unsupported clause: GROUP BY"),
        ("SELECT * FROM notes, others", "Only select from a single table or index is supported."),
        ("SELECT * FROM a.b.c", "A path may contain at most 2 components in the FROM clause"),
        (
            "SELECT * FROM notes WHERE a",
            "WHERE clause must contain an expression that resolves to a boolean",
        ),
        ("SELECT * FROM notes WHERE a = 1 AND b", "The arguments to AND/OR must be Expressions"),
        ("SELECT * FROM notes WHERE a = MISSING", "MISSING must be compared using IS operator"),
        ("SELECT * FROM notes WHERE f(a)", "Unrecognized function: f"),
        (
            "SELECT * FROM notes WHERE a + 1 = 2",
            "Unsupported operator in Condition Expression. Operator: +",
        ),
        (
            "SELECT * FROM notes WHERE a[-1] = 2",
            "List index is not within the allowable range; index: [-1] at 1:30:1",
        ),
        (
            "SELECT * FROM notes WHERE a[99999999999] = 2",
            "List index is not within the allowable range; index: [99999999999] at 1:29:11",
        ),
        (
            "INSERT INTO notes VALUE {'a': [b]}",
            "Unsupported data type: VariableReference under key root.0 at 1:32:1",
        ),
        (
            "INSERT INTO notes VALUE {'a': 1, 'a': 2}",
            "Duplicate keys in tuple. Key: a under root at 1:34:3",
        ),
        ("INSERT INTO notes VALUE {'a': <<>>}", "Empty bags are not supported at 1:31:2"),
        (
            "INSERT INTO notes VALUE {'a': [1, +-0e7]}",
            "Negative zero decimal is not supported under key root.1 at 1:37:3",
        ),
        (
            "SELECT * FROM notes WHERE a > -(0.0)",
            "Negative zero decimal is not supported under key root at 1:33:3",
        ),
        ("INSERT INTO notes VALUE {} RETURNING ALL OLD *", "RETURNING is not supported in INSERT"),
        (
            "UPDATE notes SET a = 2 * 3",
            "Unsupported operator in Update Expression. Operator: *",
        ),
        (
            "UPDATE notes SET a = set_add(b, ?)",
            "The first argument to SET_ADD must equal the assignment value",
        ),
        ("UPDATE notes.i SET a = 1", "This operation is not supported on an index"),
        (
            "DELETE FROM notes RETURNING ALL NEW *",
            (
                "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is "
                "allowed in DELETE statements."
            ),
        ),
    ],
)
def test_what_partiql_has_and_dynamodb_has_not_is_refused(text: str, message: str) -> None:
    assert refusal(text) == message


def test_the_first_refusal_counts() -> None:
    assert refusal("SELECT a AS b FROM notes WHERE c") == "Aliasing is not supported"


@pytest.mark.parametrize("depth", [101, 1_000, 4_000])
@pytest.mark.parametrize(
    ("opening", "inner", "closing"),
    [("[", "1", "]"), ("(", "1", ")"), ("- ", "a", ""), ("{'a': ", "1", "}"), ("size(", "a", ")")],
)
def test_values_nested_however_deep_are_only_malformed(
    depth: int, opening: str, inner: str, closing: str
) -> None:
    with pytest.raises(ValidationException, match="Statement wasn't well formed"):
        where(f"a = {opening * depth}{inner}{closing * depth}")


@pytest.mark.parametrize("depth", [101, 1_000, 4_000])
@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("NOT ", "")])
def test_conditions_nested_however_deep_are_only_malformed(
    depth: int, opening: str, closing: str
) -> None:
    with pytest.raises(ValidationException, match="Statement wasn't well formed"):
        where(f"{opening * depth}a = 1{closing * depth}")


def test_a_statement_read_before_is_not_read_again() -> None:
    assert parse("SELECT * FROM notes") is parse("SELECT * FROM notes")
