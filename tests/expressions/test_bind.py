"""Binding: names and values, used and unused, and which fault is told first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable.engine.shapes.canonical import canonical
from singletable.errors import ValidationException
from singletable.expressions import bind
from tests.expressions.cases import (
    CONDITION,
    FILTER,
    KEY_CONDITION,
    PROJECTION,
    UPDATE,
    bound,
    refusal,
    request,
)

NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"
X = {"S": "x"}


def test_a_request_without_expressions_binds_nothing() -> None:
    nothing = bind({"TableName": "t", "Key": {"pk": X}}, PROJECTION)
    assert (nothing.condition, nothing.projection, nothing.update) == (None, None, None)


def test_the_same_text_serves_requests_with_other_values_and_names() -> None:
    item = {"a": {"S": "x"}, "b": {"S": "y"}}
    for name, value, holds in [("a", "x", True), ("a", "y", False), ("b", "y", True)]:
        given = request("#n = :v", values={":v": {"S": value}}, names={"#n": name})
        condition = bind(given, CONDITION).condition
        assert condition is not None
        assert condition.evaluate(item) is holds


def test_values_of_other_types_are_checked_anew() -> None:
    assert bound("a < :v", values={":v": {"N": "1"}}).condition
    assert refusal(request("a < :v", values={":v": {"BOOL": True}})).endswith("operand type: BOOL")


def test_values_come_in_canonical_form() -> None:
    condition = bound("a = :v", values={":v": {"NS": ["2.0", "1"]}}).condition
    assert condition is not None
    assert condition.evaluate({"a": {"NS": ["1", "2"]}})


def test_a_condition_knows_its_attributes() -> None:
    condition = bound("b = :s AND size(#x.y) > :n OR a = b", names={"#x": "c"}).condition
    assert condition is not None
    assert condition.attributes == ("b", "c", "a")


def test_paths_do_not_lead_into_keys() -> None:
    nested = bound("a.b = :s AND c[0] = :n")
    nested.check_keys(["pk", "sk"], ["gsi"])
    message = (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' "
        "are not allowed: {}"
    )
    with pytest.raises(ValidationException) as caught:
        nested.check_keys(["pk", "a"], ["c"])
    assert caught.value.message == message.format("Key: a")
    with pytest.raises(ValidationException) as caught:
        nested.check_keys(["pk"], ["c"])
    assert caught.value.message == message.format("IndexKey: c")
    for first, second in (("a", "c"), ("c", "a")):
        with pytest.raises(ValidationException) as caught:
            nested.check_keys([first, second])
        assert caught.value.message == message.format(f"Key: {first}")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({}, "must not be empty"),
        ({"a": "a"}, 'contains invalid key: Syntax error; key: "a"'),
        ({"#": "a"}, 'contains invalid key: Syntax error; key: "#"'),
        ({"#a-b": "a"}, 'contains invalid key: Syntax error; key: "#a-b"'),
        ({"": "a"}, "contains invalid key: The expression attribute map contains an empty key;"),
        (
            {"#" + "a" * 255: "a"},
            (
                "contains invalid key: The expression attribute map contains a key that is "
                "too long; size of key: 256"
            ),
        ),
        ({"#a": ""}, "contains invalid value: Empty attribute name for key #a"),
        (
            {"#a": "é" * 32768},
            (
                "contains invalid value: Attribute name is too large, must be less than 65536 "
                "bytes for key #a"
            ),
        ),
    ],
)
def test_names_must_be_well_formed(names: dict[str, str], message: str) -> None:
    assert refusal({CONDITION: "#a = b", NAMES: names}) == f"{NAMES} {message}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "must not be empty"),
        ({"a": X}, 'contains invalid key: Syntax error; key: "a"'),
        ({":a b": X}, 'contains invalid key: Syntax error; key: ":a b"'),
        ({"": X}, "contains invalid key: The expression attribute map contains an empty key;"),
        (
            {":" + "a" * 255: X},
            "contains invalid key: The expression attribute map contains a key that is too long;",
        ),
        (
            {":a": {"NULL": False}},
            (
                "contains invalid value: One or more parameter values were invalid: "
                "Null attribute value types must have the value of true for key :a"
            ),
        ),
        (
            {":a": {}},
            (
                "contains invalid value: Supplied AttributeValue is empty, must contain exactly "
                "one of the supported datatypes for key :a"
            ),
        ),
        ({":a": {"S": "x" * 2 * 1024 * 1024}}, "exceeds max size"),
        ({":a": {"NULL": False}, "b": X}, 'contains invalid key: Syntax error; key: "b"'),
    ],
)
def test_values_must_be_well_formed(values: dict[str, Any], message: str) -> None:
    assert refusal({CONDITION: "a = :a", VALUES: values}) == f"{VALUES} {message}"


@pytest.mark.parametrize("given", [dict, canonical], ids=["dict", "canonical"])
def test_names_and_values_are_2_mb_at_most(given: Callable[[Any], Any]) -> None:
    def sized(names: int, values: int) -> dict[str, Any]:
        """Ask with names and values of so many bytes, their placeholders included."""
        return {
            CONDITION: "#a = :a",
            NAMES: {"#a": "x" * (names - len("#a"))},
            VALUES: given({":a": {"S": "x" * (values - len(":a"))}}),
        }

    most = 2 * 1024 * 1024
    bind(sized(10, most - 10), CONDITION)
    for _ in range(2):  # planned, and planned for already
        assert refusal(sized(10, most + 1)) == f"{VALUES} exceeds max size"
        assert refusal(sized(10, most - 9)) == (
            f"Combined size of {NAMES} and {VALUES} exceeds max size"
        )


def test_names_are_2_mb_at_most() -> None:
    names = {f"#a{n}": "x" * 65_000 for n in range(33)}
    assert refusal({CONDITION: "#a1 = #a2", NAMES: names}) == f"{NAMES} exceeds max size"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {CONDITION: "a = = b", NAMES: {"a": "b"}, VALUES: {}},
            f'{NAMES} contains invalid key: Syntax error; key: "a"',
        ),
        (
            {CONDITION: "a = = b", NAMES: {"a": "b"}, VALUES: {":a": {"NULL": False}}},
            f'{NAMES} contains invalid key: Syntax error; key: "a"',
        ),
        ({CONDITION: "a = = b", VALUES: {}}, f"{VALUES} must not be empty"),
        (
            {CONDITION: "", VALUES: {":a": X}},
            f"Invalid {CONDITION}: The expression can not be empty;",
        ),
        (
            {CONDITION: "#a = :u", NAMES: {"#a": "a", "#z": "z"}, VALUES: {":a": X}},
            (
                f"Invalid {CONDITION}: An expression attribute value used in expression is not "
                "defined; attribute value: :u"
            ),
        ),
        (
            {CONDITION: "#a = :a", NAMES: {"#a": "a", "#z": "z"}, VALUES: {":a": X, ":z": X}},
            f"Value provided in {NAMES} unused in expressions: keys: {{#z}}",
        ),
        (
            {CONDITION: "a = b", VALUES: {":a": X, ":b": X, ":n": X}},
            f"Value provided in {VALUES} unused in expressions: keys: {{:n, :a, :b}}",
        ),
    ],
)
def test_names_come_before_values_before_expressions_before_what_is_unused(
    members: dict[str, Any], message: str
) -> None:
    assert refusal(members) == message


def test_names_and_values_may_be_used_by_any_expression() -> None:
    members = {
        UPDATE: "SET #a = :x",
        CONDITION: "#b = :y",
        NAMES: {"#a": "a", "#b": "b"},
        VALUES: {":x": X, ":y": X},
    }
    assert bind(members, UPDATE, CONDITION).condition
    del members[CONDITION]
    assert refusal(members, UPDATE, CONDITION).endswith("unused in expressions: keys: {#b}")


@pytest.mark.parametrize(
    ("parameters", "members", "message"),
    [
        (
            (CONDITION,),
            {NAMES: {"#a": "a"}},
            f"{NAMES} can only be specified when using expressions",
        ),
        (
            (CONDITION,),
            {VALUES: {":a": X}},
            f"{VALUES} can only be specified when using expressions: {CONDITION} is null",
        ),
        (
            (UPDATE, CONDITION),
            {VALUES: {":a": X}},
            (
                f"{VALUES} can only be specified when using expressions: "
                f"{UPDATE} and {CONDITION} are null"
            ),
        ),
        (
            (KEY_CONDITION, PROJECTION, FILTER),
            {PROJECTION: "a", VALUES: {":a": X}},
            (
                f"{VALUES} can only be specified when using expressions: "
                f"{FILTER} and {KEY_CONDITION} are null"
            ),
        ),
    ],
)
def test_names_and_values_want_expressions(
    parameters: tuple[str, ...], members: dict[str, Any], message: str
) -> None:
    assert refusal(members, *parameters) == message


def test_empty_names_and_values_without_expressions_are_nothing() -> None:
    assert bind({NAMES: {}, VALUES: {}}, CONDITION).condition is None


@pytest.mark.parametrize(
    ("members", "first"),
    [
        ({UPDATE: "a b", CONDITION: "b c"}, UPDATE),
        ({UPDATE: "SET a = :u", CONDITION: "status = b"}, UPDATE),
        ({FILTER: "a b", PROJECTION: "b c", KEY_CONDITION: "c d"}, FILTER),
        ({PROJECTION: "b c", KEY_CONDITION: "c d"}, PROJECTION),
    ],
)
def test_expressions_are_looked_at_one_after_the_other(members: dict[str, str], first: str) -> None:
    parameters = (KEY_CONDITION, PROJECTION, FILTER, CONDITION, UPDATE)
    assert refusal(members, *parameters).startswith(f"Invalid {first}: ")
