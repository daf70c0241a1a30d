"""The parameters that expressions replaced."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import ValidationException
from singletable.expressions import KeyRange, bind
from tests.expressions.cases import CONDITION, FILTER, KEY_CONDITION, PROJECTION, UPDATE, refusal

S, N = {"S": "x"}, {"N": "1"}
OPERATIONS = {
    "GetItem": (PROJECTION,),
    "PutItem": (CONDITION,),
    "UpdateItem": (UPDATE, CONDITION),
    "Query": (FILTER, PROJECTION, KEY_CONDITION),
    "Scan": (FILTER, PROJECTION),
}
ITEM: dict[str, Any] = {
    "s": {"S": "hello"},
    "n": {"N": "5"},
    "b": {"B": b"\x01\x02"},
    "nu": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "l": {"L": [{"N": "1"}]},
    "m": {"M": {"a": S}},
}
INVALID = "One or more parameter values were invalid:"


def compared(operator: str, *values: Any) -> dict[str, Any]:
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


def said(operation: str, **members: Any) -> str:
    return refusal(members, *OPERATIONS[operation])


def holds(expected: dict[str, Any], **members: Any) -> bool:
    condition = bind({"Expected": expected, **members}, CONDITION).condition
    assert condition is not None
    return condition.evaluate(ITEM)


@pytest.mark.parametrize(
    ("name", "expectation", "expected"),
    [
        ("s", {"Value": {"S": "hello"}}, True),
        ("s", {"Value": S}, False),
        ("s", {"Exists": True, "Value": {"S": "hello"}}, True),
        ("s", {"Exists": False}, False),
        ("zz", {"Exists": False}, True),
        ("n", {"ComparisonOperator": "GT", "Value": {"N": "4.5"}}, True),
        ("n", compared("EQ", {"N": "5.0"}), True),
        ("n", compared("LE", {"N": "4"}), False),
        ("zz", compared("NE", S), True),
        ("s", compared("NE", N), True),
        ("n", compared("IN", {"N": "4"}, {"N": "5.0"}), True),
        ("n", compared("BETWEEN", {"N": "4"}, {"N": "6"}), True),
        ("s", compared("BEGINS_WITH", {"S": "he"}), True),
        ("zz", compared("NULL"), True),
        ("nu", compared("NULL"), False),
        ("nu", {"ComparisonOperator": "NOT_NULL"}, True),
        ("s", compared("CONTAINS", {"S": "ell"}), True),
        ("b", compared("CONTAINS", {"B": b"\x02"}), True),
        ("ss", compared("CONTAINS", {"S": "a"}), True),
        ("l", compared("CONTAINS", N), True),
        ("m", compared("CONTAINS", {"S": "a"}), False),
        ("s", compared("NOT_CONTAINS", N), True),
        ("zz", compared("NOT_CONTAINS", S), False),
        ("m.a", {"Value": S}, False),
    ],
)
def test_expectations_are_conditions(
    name: str, expectation: dict[str, Any], expected: bool
) -> None:
    assert holds({name: expectation}) is expected


def test_expectations_hold_together_or_one_of_them() -> None:
    one_of_two = {"zz": {"Exists": False}, "s": {"Value": S}}
    assert not holds(one_of_two)
    assert not holds(one_of_two, ConditionalOperator="AND")
    assert holds(one_of_two, ConditionalOperator="OR")


@pytest.mark.parametrize(
    ("expectation", "message"),
    [
        ({}, "Value must be provided when Exists is null"),
        ({"Exists": True}, "Value must be provided when Exists is true"),
        ({"Exists": False, "Value": S}, "Value cannot be used when Exists is false"),
        (
            {"ComparisonOperator": "EQ"},
            "Value or AttributeValueList must be used with ComparisonOperator: EQ",
        ),
        (
            {"Value": S, "AttributeValueList": [S]},
            "Value and AttributeValueList cannot be used together",
        ),
        (
            {"AttributeValueList": [S]},
            "AttributeValueList can only be used with a ComparisonOperator",
        ),
        (
            {"Exists": False, "ComparisonOperator": "NULL"},
            "Exists and ComparisonOperator cannot be used together",
        ),
    ],
)
def test_an_expectation_says_one_thing(expectation: dict[str, Any], message: str) -> None:
    expected = f"{INVALID} {message} for Attribute: a"
    assert said("PutItem", Expected={"a": expectation}) == expected


@pytest.mark.parametrize(
    ("comparison", "message"),
    [
        *(
            (each, f"{INVALID} Invalid number of argument(s) for the {name} ComparisonOperator")
            for name, each in [
                ("EQ", compared("EQ")),
                ("EQ", compared("EQ", S, S)),
                ("NULL", compared("NULL", S)),
                ("BETWEEN", compared("BETWEEN", S)),
                ("IN", compared("IN")),
            ]
        ),
        *(
            (
                each,
                (
                    f"{INVALID} ComparisonOperator {each['ComparisonOperator']} is not valid for "
                    f"{kind} AttributeValue type"
                ),
            )
            for kind, each in [
                ("SS", compared("LT", {"SS": ["a"]})),
                ("L", compared("BETWEEN", {"L": []}, {"L": []})),
                ("BOOL", compared("IN", {"BOOL": True})),
                ("N", compared("BEGINS_WITH", N)),
                ("M", compared("NOT_CONTAINS", {"M": {}})),
            ]
        ),
        (
            compared("IN", S, N),
            f"{INVALID} AttributeValues inside AttributeValueList must be of same type",
        ),
        (
            compared("BETWEEN", S, {"S": "a"}),
            (
                "The BETWEEN condition was provided a range where the lower bound is greater "
                "than the upper bound"
            ),
        ),
        ({}, "Comparison type does not exist in DynamoDB"),
    ],
)
def test_arguments_must_fit_the_operator(comparison: dict[str, Any], message: str) -> None:
    assert said("Scan", ScanFilter={"a": comparison}) == message
    assert said("Query", QueryFilter={"a": comparison}, KeyConditions={"pk": compared("EQ", S)})


def test_a_filter_is_a_condition() -> None:
    tests = {"s": compared("EQ", S), "n": compared("EQ", {"N": "5"})}
    both = bind({"ScanFilter": tests}, *OPERATIONS["Scan"]).filter
    either = bind({"ScanFilter": tests, "ConditionalOperator": "OR"}, *OPERATIONS["Scan"]).filter
    assert both is not None
    assert either is not None
    assert (both.evaluate(ITEM), either.evaluate(ITEM)) == (False, True)
    assert both.attributes == ("s", "n")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "ConditionalOperator cannot be used without Filter or Expected"),
        ({"Expected": {}}, "ConditionalOperator cannot be used without Filter or Expected"),
        (
            {"Expected": {"a": {"Exists": False}}},
            "ConditionalOperator can only be used when Filter or Expected has two or more elements",
        ),
    ],
)
def test_an_operator_joins_two_or_more(members: dict[str, Any], message: str) -> None:
    assert said("PutItem", ConditionalOperator="OR", **members) == message


def ranged(**tests: Any) -> KeyRange:
    condition = bind({"KeyConditions": tests}, *OPERATIONS["Query"]).key_condition
    assert condition is not None
    return condition.match(["pk"], ["sk"], {"pk": "S", "sk": "N"})


def test_key_conditions_ask_for_a_key() -> None:
    equal = compared("EQ", S)
    assert ranged(pk=equal) == KeyRange((S,))
    assert ranged(pk=equal, sk=compared("EQ", N)) == KeyRange((S,), (N,))
    assert ranged(pk=equal, sk=compared("GE", N)) == KeyRange((S,), (), ">=", (N,))
    assert ranged(pk=equal, sk=compared("BETWEEN", N, N)) == KeyRange((S,), (), "BETWEEN", (N, N))


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ({}, "Conditions must be at least length 1"),
        ({"pk": compared("GT", S)}, "Query key condition not supported"),
        ({"pk": compared("NE", S)}, "Query key condition not supported"),
        ({"sk": compared("EQ", N)}, "Query condition missed key schema element: pk"),
        (
            {"pk": compared("EQ", S), "sk": compared("IN", N)},
            "Attempted conditional constraint is not an indexable operation",
        ),
        (
            {"pk": compared("EQ", N)},
            f"{INVALID} Condition parameter type does not match schema type",
        ),
    ],
)
def test_key_conditions_must_fit_the_key(tests: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationException) as caught:
        ranged(**tests)
    assert caught.value.message == message


def updated(**updates: Any) -> dict[str, Any]:
    update = bind({"AttributeUpdates": updates}, *OPERATIONS["UpdateItem"]).update
    assert update is not None
    return update.touched(update.apply(ITEM))


def test_attribute_updates_are_updates() -> None:
    assert updated(a={"Value": S}) == {"a": S}
    assert updated(a={"Action": "PUT", "Value": S}) == {"a": S}
    assert updated(s={"Action": "DELETE"}) == {}
    assert updated(n={"Action": "ADD", "Value": N}) == {"n": {"N": "6"}}
    assert updated(zz={"Action": "ADD", "Value": N}) == {"zz": N}
    assert updated(ss={"Action": "ADD", "Value": {"SS": ["c"]}}) == {"ss": {"SS": ["a", "b", "c"]}}
    assert updated(ss={"Action": "DELETE", "Value": {"SS": ["a"]}}) == {"ss": {"SS": ["b"]}}


def test_unlike_an_expression_add_joins_lists() -> None:
    more = {"Action": "ADD", "Value": {"L": [S]}}
    assert updated(l=more) == {"l": {"L": [N, S]}}
    assert updated(zz=more) == {"zz": {"L": [S]}}


@pytest.mark.parametrize(
    ("update", "message"),
    [
        ({}, f"{INVALID} Only DELETE action is allowed when no attribute value is specified"),
        (
            {"Action": "ADD"},
            f"{INVALID} Only DELETE action is allowed when no attribute value is specified",
        ),
        (
            {"Action": "ADD", "Value": S},
            f"{INVALID} ADD action is not supported for the type STRING",
        ),
        (
            {"Action": "DELETE", "Value": N},
            f"{INVALID} DELETE action with value is not supported for the type NUMBER",
        ),
        ({"Action": "ADD", "Value": N}, "Type mismatch for attribute to update"),
        ({"Action": "DELETE", "Value": {"SS": ["a"]}}, "Type mismatch for attribute to update"),
    ],
)
def test_attribute_updates_must_fit(update: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationException) as caught:
        updated(s=update)
    assert caught.value.message == message


def test_attributes_to_get_are_names_not_paths() -> None:
    projection = bind({"AttributesToGet": ["n", "m.a"]}, PROJECTION).projection
    assert projection is not None
    assert projection.apply({**ITEM, "m.a": N}) == {"n": {"N": "5"}, "m.a": N}
    assert said("GetItem", AttributesToGet=["a", "b", "a"]) == (
        f"{INVALID} Duplicate value in attribute name: a"
    )


@pytest.mark.parametrize(
    ("operation", "members", "old", "new"),
    [
        ("GetItem", {"AttributesToGet": ["a"], PROJECTION: "a b"}, "AttributesToGet", PROJECTION),
        (
            "UpdateItem",
            {"AttributeUpdates": {"a": {}}, "Expected": {"a": {}}, UPDATE: "x", CONDITION: "y"},
            "AttributeUpdates, Expected",
            f"{UPDATE}, {CONDITION}",
        ),
        ("UpdateItem", {"ConditionalOperator": "OR", UPDATE: "x"}, "ConditionalOperator", UPDATE),
        (
            "Query",
            {"KeyConditions": {"a": {}}, "QueryFilter": {"a": {}}, KEY_CONDITION: "x"},
            "QueryFilter, KeyConditions",
            KEY_CONDITION,
        ),
        (
            "Scan",
            {"ScanFilter": {"a": {}}, "AttributesToGet": ["a"], FILTER: "x", PROJECTION: "y"},
            "AttributesToGet, ScanFilter",
            f"{PROJECTION}, {FILTER}",
        ),
    ],
)
def test_a_request_is_of_one_kind(
    operation: str, members: dict[str, Any], old: str, new: str
) -> None:
    assert said(operation, **members) == (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{old}}} Expression parameters: {{{new}}}"
    )


def test_key_conditions_may_stand_beside_a_filter_expression() -> None:
    members = {"KeyConditions": {"pk": compared("EQ", S)}, FILTER: "attribute_exists(a)"}
    bound = bind(members, *OPERATIONS["Query"])
    assert bound.filter is not None
    assert bound.key_condition is not None


def test_empty_legacy_parameters_are_none() -> None:
    assert bind({"AttributeUpdates": {}, UPDATE: "REMOVE a"}, *OPERATIONS["UpdateItem"]).update
    assert bind({"Expected": {}}, CONDITION).condition is None
