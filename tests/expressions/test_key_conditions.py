"""Key conditions: what a query asks of a key, and what it cannot ask."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import ValidationException
from singletable.expressions import KeyRange
from tests.expressions.cases import KEY_CONDITION, VALUES, bound

S, N = VALUES[":s"], VALUES[":n"]
TYPES = {"pk": "S", "sk": "N", "h1": "S", "h2": "N", "r1": "S", "r2": "N", "r3": "S"}
GIVEN = {":n2": {"N": "2"}, ":empty": {"S": ""}}


def asked(text: str, schema: str = "pk sk") -> KeyRange:
    """Match a key condition against the schema: names with h or pk are HASH, the others RANGE."""
    names = schema.split()
    hash_names = [name for name in names if name[0] in "hp"]
    condition = bound(text, KEY_CONDITION, values=GIVEN).key_condition
    assert condition is not None
    return condition.match(hash_names, [name for name in names if name not in hash_names], TYPES)


def refused(text: str, schema: str = "pk sk") -> str:
    with pytest.raises(ValidationException) as caught:
        asked(text, schema)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pk = :s", KeyRange((S,))),
        (":s = pk", KeyRange((S,))),
        ("(pk = :s) AND (sk = :n)", KeyRange((S,), (N,))),
        ("sk = :n AND pk = :s", KeyRange((S,), (N,))),
        ("pk = :s AND sk > :n", KeyRange((S,), (), ">", (N,))),
        ("pk = :s AND :n < sk", KeyRange((S,), (), ">", (N,))),
        ("pk = :s AND :n >= sk", KeyRange((S,), (), "<=", (N,))),
        (
            "pk = :s AND sk BETWEEN :n AND :n2",
            KeyRange((S,), (), "BETWEEN", (N, {"N": "2"})),
        ),
    ],
)
def test_a_key_is_asked_for_by_hash_and_range(text: str, expected: KeyRange) -> None:
    assert asked(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h1 = :s AND h2 = :n", KeyRange((S, N))),
        ("h2 = :n AND r1 = :s AND h1 = :s", KeyRange((S, N), (S,))),
        ("h1 = :s AND h2 = :n AND r1 > :s", KeyRange((S, N), (), ">", (S,))),
        ("h1 = :s AND h2 = :n AND r1 = :s AND r2 < :n", KeyRange((S, N), (S,), "<", (N,))),
        (
            "h1 = :s AND h2 = :n AND r1 = :s AND r2 = :n AND begins_with(r3, :s)",
            KeyRange((S, N), (S, N), "begins_with", (S,)),
        ),
    ],
)
def test_a_key_may_have_several_attributes(text: str, expected: KeyRange) -> None:
    assert asked(text, "h1 h2 r1 r2 r3") == expected


MISMATCH = (
    "One or more parameter values were invalid: Condition parameter type does not match schema type"
)
INVALID = "Invalid condition in KeyConditionExpression: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pk = :s OR sk = :n", "Invalid operator used in KeyConditionExpression: OR"),
        ("NOT pk = :s", "Invalid operator used in KeyConditionExpression: NOT"),
        ("pk <> :s", "Invalid operator used in KeyConditionExpression: <>"),
        ("pk IN (:s)", "Invalid operator used in KeyConditionExpression: IN"),
        ("contains(pk, :s)", "Invalid operator used in KeyConditionExpression: contains"),
        (
            "pk = :s AND attribute_exists(sk)",
            "Invalid operator used in KeyConditionExpression: attribute_exists",
        ),
        ("size(pk) = :n", "KeyConditionExpressions cannot contain nested operations"),
        ("x.a = :s", "KeyConditionExpressions cannot have conditions on nested attributes"),
        ("pk = sk", INVALID + "Multiple attribute names used in one condition"),
        (":s = :s", INVALID + "No key attribute specified"),
        (
            ":n BETWEEN sk AND sk",
            INVALID + "BETWEEN operator must have the key attribute as its first operand",
        ),
        (
            "pk = :s AND begins_with(:s, sk)",
            INVALID + "begins_with operator must have the key attribute as its first operand",
        ),
        ("pk = :s AND pk = :s", "KeyConditionExpressions must only contain one condition per key"),
        (
            "pk = :s AND sk > :n AND sk < :n2",
            "KeyConditionExpressions must only contain one condition per key",
        ),
        ("pk = :n AND a = :n AND b = :n", "Conditions can be of length 1 or 2 only"),
        ("sk = :s", "Query condition missed key schema element: pk"),
        ("pk = :s AND a = :n", "Query condition missed key schema element: sk"),
        ("pk > :s", "Query key condition not supported"),
        ("pk > :s AND sk = :s", "Query key condition not supported"),
        ("pk > :n", MISMATCH),
        ("pk = :n AND a = :s", MISMATCH),
        ("pk = :s AND sk = :s", MISMATCH),
        ("pk = :s AND begins_with(sk, :s)", MISMATCH),
        ("pk = :ss", MISMATCH),
        (
            "pk = :empty",
            (
                "One or more parameter values are not valid. The AttributeValue for a key "
                "attribute cannot contain an empty string value. Key: pk"
            ),
        ),
    ],
)
def test_a_key_cannot_be_asked_for_otherwise(text: str, message: str) -> None:
    assert refused(text) == message


def test_a_key_without_range_has_one_condition() -> None:
    assert asked("pk = :s", "pk") == KeyRange((S,))
    assert refused("pk = :n AND a = :n", "pk") == "Query key condition not supported"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "r1 = :s",
            "HASH key attributes h1, h2 must have equality conditions specified in the query",
        ),
        (
            "h1 = :n AND h2 > :n",
            "HASH key attributes h2 must have equality conditions specified in the query",
        ),
        (
            "h1 = :s AND h2 = :n AND r2 = :n",
            (
                "RANGE key attributes r1 must have equality conditions specified in the query "
                "because a condition is present on key attribute r2"
            ),
        ),
        (
            "h1 = :s AND h2 = :n AND begins_with(r1, :s) AND r3 = :s",
            (
                "RANGE key attributes r1, r2 must have equality conditions specified in the query "
                "because a condition is present on key attribute r3"
            ),
        ),
        ("h1 = :n AND h2 = :n AND a = :s", MISMATCH),
        (
            "h1 = :s AND h2 = :n AND r1 = :s AND a = :s",
            "Query condition missed key schema element: r2",
        ),
        (
            "h1 = :n AND h2 = :n AND r1 = :s AND r2 = :n AND r3 = :s AND a = :s",
            "Query key condition not supported",
        ),
    ],
)
def test_several_attributes_are_tested_from_left_to_right(text: str, message: str) -> None:
    assert refused(text, "h1 h2 r1 r2 r3") == message


def test_its_own_faults_come_when_it_is_matched_not_when_it_is_bound() -> None:
    """The service looks at keys and at what is unused before."""
    condition: Any = bound("pk = :s OR sk = :n", KEY_CONDITION).key_condition
    with pytest.raises(ValidationException):
        condition.match(["pk"], ["sk"], TYPES)
