"""The parameters of before expressions, which real SDKs still send."""

from __future__ import annotations

from typing import Any

import pytest

from .support import (
    CONDITION_FAILED,
    Client,
    create,
    fill,
    invalid,
    item,
    plain,
    plains,
    refusal,
    unique,
    values,
)

BODY = {
    "n": 10,
    "s": "hello",
    "b": b"\x01\x02",
    "yes": True,
    "nothing": None,
    "ss": {"a", "b"},
    "ns": {1, 2},
    "l": [1, "x"],
    "m": {"k": 1},
}


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S", "sk:N")
    fill(client, name, [item(pk="many", sk=n, parity=n % 2, word=f"w{n}") for n in range(10)])
    fill(client, name, [item(pk="one", sk=0, **BODY)])
    return name


@pytest.fixture
def there(client: Client, table: str) -> dict[str, Any]:
    """The table and key of a fresh item."""
    key = item(pk=unique(), sk=0)
    client.put_item(TableName=table, Item=key | item(**BODY))
    return {"TableName": table, "Key": key}


def condition(operator: str, *operands: Any) -> dict[str, Any]:
    """One legacy condition with its operator and values."""
    made: dict[str, Any] = {"ComparisonOperator": operator}
    if operands:
        made["AttributeValueList"] = [item(v=each)["v"] for each in operands]
    return made


CONDITIONS = [
    ("n", condition("EQ", 10), True),
    ("n", condition("EQ", 11), False),
    ("n", condition("EQ", "10"), False),
    ("zzz", condition("EQ", 1), False),
    ("ss", condition("EQ", {"b", "a"}), True),
    ("l", condition("EQ", [1, "x"]), True),
    ("m", condition("EQ", {"k": 1}), True),
    ("n", condition("NE", 11), True),
    ("n", condition("NE", 10), False),
    ("zzz", condition("NE", 1), True),
    ("n", condition("LT", 11), True),
    ("n", condition("LT", 10), False),
    ("n", condition("LE", 10), True),
    ("n", condition("GT", 9), True),
    ("n", condition("GE", 11), False),
    ("s", condition("GT", 1), False),
    ("b", condition("LT", b"\x02"), True),
    ("n", condition("BETWEEN", 5, 10), True),
    ("n", condition("BETWEEN", 11, 12), False),
    ("n", condition("IN", 1, 10), True),
    ("n", condition("IN", 1, 2), False),
    ("s", condition("BEGINS_WITH", "hel"), True),
    ("s", condition("BEGINS_WITH", "lo"), False),
    ("b", condition("BEGINS_WITH", b"\x01"), True),
    ("s", condition("CONTAINS", "ell"), True),
    ("s", condition("CONTAINS", "zzz"), False),
    ("ss", condition("CONTAINS", "a"), True),
    ("ns", condition("CONTAINS", 2), True),
    ("l", condition("CONTAINS", "x"), True),
    ("s", condition("NOT_CONTAINS", "zzz"), True),
    ("ss", condition("NOT_CONTAINS", "a"), False),
    ("zzz", condition("NOT_CONTAINS", "a"), False),
    ("n", condition("NOT_NULL"), True),
    ("nothing", condition("NOT_NULL"), True),
    ("zzz", condition("NOT_NULL"), False),
    ("zzz", condition("NULL"), True),
    ("n", condition("NULL"), False),
]
IDS = [
    f"{name}-{each['ComparisonOperator']}-{number}"
    for number, (name, each, _) in enumerate(CONDITIONS)
]


@pytest.mark.parametrize(("name", "each", "holds"), CONDITIONS, ids=IDS)
def test_expected(client: Client, table: str, name: str, each: dict[str, Any], holds: bool) -> None:
    request = {
        "TableName": table,
        "Item": item(pk="one", sk=0, **BODY),
        "Expected": {name: each},
    }
    if holds:
        client.put_item(**request)
    else:
        assert refusal(client.put_item, **request) == CONDITION_FAILED


@pytest.mark.parametrize(("name", "each", "holds"), CONDITIONS[::2], ids=IDS[::2])
def test_query_filter(
    client: Client, table: str, name: str, each: dict[str, Any], holds: bool
) -> None:
    answer = client.query(
        TableName=table,
        KeyConditions={"pk": condition("EQ", "one")},
        QueryFilter={name: each},
    )
    assert (answer["Count"], answer["ScannedCount"]) == (int(holds), 1)


@pytest.mark.parametrize(("name", "each", "holds"), CONDITIONS[1::4], ids=IDS[1::4])
def test_scan_filter(
    client: Client, table: str, name: str, each: dict[str, Any], holds: bool
) -> None:
    narrowed = {"pk": condition("EQ", "one"), name: each}
    answer = client.scan(TableName=table, ScanFilter=narrowed)
    assert answer["Count"] == int(holds)


@pytest.mark.parametrize(
    ("expected", "holds"),
    [
        pytest.param({"n": {"Value": {"N": "10"}}}, True, id="value"),
        pytest.param({"n": {"Value": {"N": "11"}}}, False, id="other-value"),
        pytest.param({"n": {"Exists": True, "Value": {"N": "10"}}}, True, id="exists-with-value"),
        pytest.param({"zzz": {"Exists": False}}, True, id="not-exists"),
        pytest.param({"n": {"Exists": False}}, False, id="not-exists-but-does"),
        pytest.param({"n": {"Value": {"N": "10"}}, "zzz": {"Exists": False}}, True, id="both-hold"),
        pytest.param({"n": {"Value": {"N": "10"}}, "s": {"Exists": False}}, False, id="one-fails"),
    ],
)
def test_expected_values(
    client: Client, there: dict[str, Any], expected: dict[str, Any], holds: bool
) -> None:
    if holds:
        client.delete_item(**there, Expected=expected)
        assert "Item" not in client.get_item(**there)
    else:
        assert refusal(client.delete_item, **there, Expected=expected) == CONDITION_FAILED


@pytest.mark.parametrize(("operator", "holds"), [("AND", False), ("OR", True)])
def test_conditional_operator(
    client: Client, there: dict[str, Any], operator: str, holds: bool
) -> None:
    request = there | {
        "Expected": {"n": condition("EQ", 10), "s": condition("EQ", "zzz")},
        "ConditionalOperator": operator,
    }
    if holds:
        client.update_item(**request)
    else:
        assert refusal(client.update_item, **request) == CONDITION_FAILED


@pytest.mark.parametrize(
    ("updates", "changes"),
    [
        pytest.param({"n": {"Action": "PUT", "Value": {"S": "x"}}}, {"n": "x"}, id="put"),
        pytest.param({"n": {"Value": {"N": "1"}}}, {"n": 1}, id="put-by-default"),
        pytest.param({"n": {"Action": "ADD", "Value": {"N": "5"}}}, {"n": 15}, id="add"),
        pytest.param({"x": {"Action": "ADD", "Value": {"N": "5"}}}, {"x": 5}, id="add-creates"),
        pytest.param(
            {"ss": {"Action": "ADD", "Value": {"SS": ["c"]}}}, {"ss": {"a", "b", "c"}}, id="add-set"
        ),
        pytest.param(
            {"l": {"Action": "ADD", "Value": {"L": [{"N": "2"}]}}},
            {"l": [1, "x", 2]},
            id="add-appends-to-a-list",
        ),
        pytest.param({"n": {"Action": "DELETE"}}, {"n": ...}, id="delete"),
        pytest.param(
            {"ss": {"Action": "DELETE", "Value": {"SS": ["a"]}}}, {"ss": {"b"}}, id="delete-member"
        ),
        pytest.param(
            {"ss": {"Action": "DELETE", "Value": {"SS": ["a", "b"]}}},
            {"ss": ...},
            id="delete-all-members",
        ),
        pytest.param({"zzz": {"Action": "DELETE"}}, {}, id="delete-missing"),
        pytest.param(
            {"n": {"Action": "DELETE"}, "x": {"Value": {"S": "new"}}},
            {"n": ..., "x": "new"},
            id="two",
        ),
        pytest.param({}, {}, id="nothing"),
    ],
)
def test_attribute_updates(
    client: Client, there: dict[str, Any], updates: dict[str, Any], changes: dict[str, Any]
) -> None:
    client.update_item(**there, AttributeUpdates=updates)
    expected = plain(there["Key"]) | BODY | changes
    got = plain(client.get_item(**there)["Item"])
    assert got == {name: value for name, value in expected.items() if value is not ...}


@pytest.mark.parametrize(
    "deletion", [{"Action": "DELETE"}, {"Action": "DELETE", "Value": {"SS": ["a"]}}]
)
def test_deletions_make_no_item(client: Client, table: str, deletion: dict[str, Any]) -> None:
    there = {"TableName": table, "Key": item(pk=unique(), sk=0)}
    answer = client.update_item(
        **there,
        AttributeUpdates={"a": deletion, "b": {"Action": "DELETE"}},
        ReturnValues="ALL_NEW",
        ReturnConsumedCapacity="TOTAL",
    )
    assert "Attributes" not in answer
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 1.0
    assert "Item" not in client.get_item(**there)


@pytest.mark.parametrize(
    "updates",
    [
        {"a": {"Action": "DELETE"}, "n": {"Action": "ADD", "Value": {"N": "1"}}},
        {"a": {"Action": "DELETE"}, "n": {"Action": "PUT", "Value": {"N": "1"}}},
    ],
)
def test_other_updates_beside_deletions_make_one(
    client: Client, table: str, updates: dict[str, Any]
) -> None:
    key = item(pk=unique(), sk=0)
    client.update_item(TableName=table, Key=key, AttributeUpdates=updates)
    assert client.get_item(TableName=table, Key=key)["Item"] == key | item(n=1)


def test_no_updates_make_an_item_of_its_key(client: Client, table: str) -> None:
    key = item(pk=unique(), sk=0)
    client.update_item(TableName=table, Key=key, AttributeUpdates={})
    assert client.get_item(TableName=table, Key=key)["Item"] == key


def test_attribute_updates_return_values(client: Client, there: dict[str, Any]) -> None:
    updates = {"n": {"Action": "ADD", "Value": {"N": "1"}}, "s": {"Action": "DELETE"}}
    old = client.update_item(**there, AttributeUpdates=updates, ReturnValues="UPDATED_OLD")
    assert old["Attributes"] == item(n=10, s="hello")
    new = client.update_item(**there, AttributeUpdates=updates, ReturnValues="UPDATED_NEW")
    assert new["Attributes"] == item(n=12)


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        pytest.param({}, list(range(10)), id="partition"),
        pytest.param({"sk": condition("EQ", 3)}, [3], id="equal"),
        pytest.param({"sk": condition("LT", 3)}, [0, 1, 2], id="less"),
        pytest.param({"sk": condition("LE", 1)}, [0, 1], id="at-most"),
        pytest.param({"sk": condition("GT", 7)}, [8, 9], id="greater"),
        pytest.param({"sk": condition("GE", 9)}, [9], id="at-least"),
        pytest.param({"sk": condition("BETWEEN", 2, 4)}, [2, 3, 4], id="between"),
    ],
)
def test_key_conditions(
    client: Client, table: str, conditions: dict[str, Any], expected: list[int]
) -> None:
    whole = {"pk": condition("EQ", "many")} | conditions
    answer = client.query(TableName=table, KeyConditions=whole)
    assert [each["sk"] for each in plains(answer["Items"])] == expected


def test_filters_combine_by_or(client: Client, table: str) -> None:
    answer = client.query(
        TableName=table,
        KeyConditions={"pk": condition("EQ", "many")},
        QueryFilter={"parity": condition("EQ", 1), "word": condition("EQ", "w2")},
        ConditionalOperator="OR",
    )
    assert [each["sk"] for each in plains(answer["Items"])] == [1, 2, 3, 5, 7, 9]


def test_attributes_to_get(client: Client, table: str) -> None:
    got = client.get_item(
        TableName=table, Key=item(pk="one", sk=0), AttributesToGet=["n", "zzz", "m"]
    )
    assert got["Item"] == item(n=10, m={"k": 1})
    found = client.query(
        TableName=table,
        KeyConditions={"pk": condition("EQ", "many")},
        AttributesToGet=["sk"],
        Limit=2,
    )
    assert found["Items"] == [item(sk=0), item(sk=1)]
    scanned = client.scan(
        TableName=table, AttributesToGet=["word"], ScanFilter={"word": condition("EQ", "w3")}
    )
    assert scanned["Items"] == [item(word="w3")]


BAD = "One or more parameter values were invalid: "


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {"Expected": {"n": {"Exists": True}}},
            BAD + "Value must be provided when Exists is true for Attribute: n",
            id="exists-without-value",
        ),
        pytest.param(
            {"Expected": {"n": {"Exists": False, "Value": {"N": "1"}}}},
            BAD + "Value cannot be used when Exists is false for Attribute: n",
            id="not-exists-with-value",
        ),
        pytest.param(
            {"Expected": {"n": {}}},
            BAD + "Value must be provided when Exists is null for Attribute: n",
            id="nothing",
        ),
        pytest.param(
            {"Expected": {"n": condition("EQ", 1) | {"Value": {"N": "1"}}}},
            BAD + "Value and AttributeValueList cannot be used together for Attribute: n",
            id="value-and-list",
        ),
        pytest.param(
            {"Expected": {"n": condition("EQ", 1) | {"Exists": False}}},
            BAD + "Exists and ComparisonOperator cannot be used together for Attribute: n",
            id="exists-and-operator",
        ),
        pytest.param(
            {"Expected": {"n": condition("EQ", 1) | {"Exists": True, "Value": {"N": "1"}}}},
            BAD + "Exists and ComparisonOperator cannot be used together for Attribute: n",
            id="everything-at-once",
        ),
        pytest.param(
            {"Expected": {"": condition("EQ")}},
            BAD + "Value or AttributeValueList must be used with ComparisonOperator: EQ for "
            "Attribute: ",
            id="operator-without-list-before-empty-name",
        ),
        pytest.param(
            {"Expected": {"": condition("EQ") | {"AttributeValueList": [{"SS": []}]}}},
            BAD + "An string set  may not be empty",
            id="bad-value-before-empty-name",
        ),
        pytest.param(
            {"Expected": {"": condition("EQ", 1, 2)}},
            "Empty attribute name",
            id="empty-name-before-too-many-arguments",
        ),
        pytest.param(
            {"Expected": {"n": condition("EQ", 1)}, "ConditionExpression": ""},
            "Invalid ConditionExpression: The expression can not be empty;",
            id="beside-an-empty-expression",
        ),
        pytest.param(
            {"Expected": {"n": {"AttributeValueList": [{"N": "1"}]}}},
            BAD + "AttributeValueList can only be used with a ComparisonOperator for Attribute: n",
            id="list-without-operator",
        ),
        pytest.param(
            {"Expected": {"n": condition("EQ")}},
            BAD + "Value or AttributeValueList must be used with ComparisonOperator: EQ for "
            "Attribute: n",
            id="operator-without-list",
        ),
        pytest.param(
            {"Expected": {"n": condition("EQ", 1, 2)}},
            BAD + "Invalid number of argument(s) for the EQ ComparisonOperator",
            id="too-many-arguments",
        ),
        pytest.param(
            {"Expected": {"n": condition("BETWEEN", 1)}},
            BAD + "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
            id="too-few-arguments",
        ),
        pytest.param(
            {"Expected": {"n": condition("NULL", 1)}},
            BAD + "Invalid number of argument(s) for the NULL ComparisonOperator",
            id="null-with-argument",
        ),
        pytest.param(
            {"Expected": {"n": condition("LT", {1})}},
            BAD + "ComparisonOperator LT is not valid for NS AttributeValue type",
            id="less-than-a-set",
        ),
        pytest.param(
            {"Expected": {"n": condition("BEGINS_WITH", 1)}},
            BAD + "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
            id="begins-with-a-number",
        ),
        pytest.param(
            {"Expected": {"n": condition("IN", 1, "x")}},
            BAD + "AttributeValues inside AttributeValueList must be of same type",
            id="in-of-two-types",
        ),
        pytest.param(
            {"Expected": {"n": condition("BETWEEN", 1, "x")}},
            BAD + "AttributeValues inside AttributeValueList must be of same type",
            id="between-of-two-types",
        ),
        pytest.param(
            {"Expected": {"n": condition("BETWEEN", 2, 1)}},
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound",
            id="between-reversed",
        ),
        pytest.param(
            {"ConditionalOperator": "OR"},
            "ConditionalOperator cannot be used without Filter or Expected",
            id="operator-without-conditions",
        ),
        pytest.param(
            {"Expected": {"n": condition("EQ", 1)}, "ConditionalOperator": "OR"},
            "ConditionalOperator can only be used when Filter or Expected has two or more elements",
            id="operator-with-one-condition",
        ),
    ],
)
def test_refused_conditions(client: Client, table: str, part: dict[str, Any], message: str) -> None:
    request = {"TableName": table, "Item": item(pk="one", sk=1)} | part
    assert refusal(client.put_item, **request) == invalid(message)


@pytest.mark.parametrize(
    ("updates", "message"),
    [
        pytest.param(
            {"n": {"Action": "ADD", "Value": {"S": "x"}}},
            BAD + "ADD action is not supported for the type STRING",
            id="add-a-string",
        ),
        pytest.param(
            {"n": {"Action": "PUT"}},
            BAD + "Only DELETE action is allowed when no attribute value is specified",
            id="put-without-value",
        ),
        pytest.param(
            {"ss": {"Action": "DELETE", "Value": {"S": "a"}}},
            BAD + "DELETE action with value is not supported for the type STRING",
            id="delete-a-string",
        ),
        pytest.param(
            {"pk": {"Value": {"S": "x"}}},
            BAD + "Cannot update attribute pk. This attribute is part of the key",
            id="key",
        ),
        pytest.param(
            {"sk": {"Value": {"N": "1"}}, "pk": {"Value": {"S": "x"}}},
            BAD + "Cannot update attribute sk. This attribute is part of the key",
            id="both-keys",
        ),
        pytest.param(
            {"s": {"Action": "ADD", "Value": {"N": "1"}}},
            "Type mismatch for attribute to update",
            id="add-to-a-string",
        ),
        pytest.param(
            {"ss": {"Action": "DELETE", "Value": {"NS": ["1"]}}},
            "Type mismatch for attribute to update",
            id="delete-of-another-type",
        ),
    ],
)
def test_refused_updates(
    client: Client, there: dict[str, Any], updates: dict[str, Any], message: str
) -> None:
    assert refusal(client.update_item, **there, AttributeUpdates=updates) == invalid(message)


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        pytest.param({}, "Conditions must be at least length 1", id="none"),
        pytest.param(
            {"sk": condition("EQ", 1)}, "Query condition missed key schema element: pk", id="no-pk"
        ),
        pytest.param(
            {"pk": condition("GT", "a")}, "Query key condition not supported", id="inequality"
        ),
        pytest.param(
            {"pk": condition("EQ", "a"), "x": condition("EQ", 1)},
            "Query condition missed key schema element: sk",
            id="not-a-key",
        ),
        pytest.param(
            {"pk": condition("EQ", "a"), "sk": condition("NE", 1)},
            "Attempted conditional constraint is not an indexable operation",
            id="not-equal",
        ),
        pytest.param(
            {"pk": condition("EQ", "a"), "sk": condition("CONTAINS", 1)},
            "Attempted conditional constraint is not an indexable operation",
            id="contains",
        ),
        pytest.param(
            {"pk": condition("NOT_NULL")},
            "Only scalar types can be used as Hash Key values",
            id="partition-key-not-null",
        ),
        pytest.param(
            {"pk": condition("EQ", "a"), "sk": condition("NULL")},
            "Only scalar types can be used as Range Key values",
            id="sort-key-null",
        ),
        pytest.param(
            {"pk": condition("EQ", 1)},
            BAD + "Condition parameter type does not match schema type",
            id="type",
        ),
    ],
)
def test_refused_key_conditions(
    client: Client, table: str, conditions: dict[str, Any], message: str
) -> None:
    assert refusal(client.query, TableName=table, KeyConditions=conditions) == invalid(message)


@pytest.mark.parametrize("empty", ["KeyConditions", "QueryFilter"])
def test_empty_conditions_beside_an_expression_are_none(
    client: Client, table: str, empty: str
) -> None:
    answer = client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=values(pk="one"),
        **{empty: {}},
    )
    assert answer["Count"] > 0


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        pytest.param(["n", "n"], BAD + "Duplicate value in attribute name: n", id="twice"),
    ],
)
def test_refused_attributes_to_get(
    client: Client, table: str, wanted: list[str], message: str
) -> None:
    refused = refusal(
        client.get_item, TableName=table, Key=item(pk="one", sk=0), AttributesToGet=wanted
    )
    assert refused == invalid(message)
