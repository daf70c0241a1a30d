"""Limits: the largest that is accepted, and the first that is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .support import CONDITION_FAILED, Client, create, index, invalid, item, refusal, unique, values

ITEM_MAX = 400 * 1024
ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"
UPDATE_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S", "sk:S")


def sized(size: int) -> dict[str, Any]:
    """An item of so many bytes: names and values of pk, sk and body."""
    return item(pk="p", sk="s", body="x" * (size - len("pk" + "p" + "sk" + "s" + "body")))


def test_an_item_has_at_most_400_kb(client: Client, table: str) -> None:
    client.put_item(TableName=table, Item=sized(ITEM_MAX))
    refused = refusal(client.put_item, TableName=table, Item=sized(ITEM_MAX + 1))
    assert refused == invalid(ITEM_TOO_LARGE)
    client.delete_item(TableName=table, Key=item(pk="p", sk="s"))


@pytest.mark.parametrize("more", [item(t="x"), item(t={"x"})], ids=["plain", "with-a-set"])
def test_that_an_item_is_too_large_is_told_before_other_faults(
    client: Client, table: str, more: dict[str, Any]
) -> None:
    large = sized(ITEM_MAX + len("sk" + "s")) | more
    keyless = {name: value for name, value in large.items() if name != "sk"}
    for request in ({"Item": keyless}, {"Item": large, "ConditionExpression": "a ="}):
        refused = refusal(client.put_item, TableName=table, **request)
        assert refused == invalid(ITEM_TOO_LARGE)


@pytest.mark.parametrize("operation", ["get_item", "delete_item", "update_item"])
def test_a_key_larger_than_an_item_is_refused_as_an_item(
    client: Client, table: str, operation: str
) -> None:
    call, key = getattr(client, operation), sized(ITEM_MAX + 1)
    assert refusal(call, TableName=table, Key=key) == invalid(ITEM_TOO_LARGE)


def test_a_batch_refuses_such_a_key_alike(client: Client, table: str) -> None:
    wanted = {table: {"Keys": [sized(ITEM_MAX + 1)]}}
    assert refusal(client.batch_get_item, RequestItems=wanted) == invalid(ITEM_TOO_LARGE)


@pytest.mark.parametrize("held", [{"L": []}, {"M": {}}], ids=["list", "map"])
def test_a_list_or_map_may_not_hold_more_than_an_item(
    client: Client, table: str, held: dict[str, Any]
) -> None:
    def holding(size: int) -> dict[str, Any]:
        text = {"S": "x" * (size - len("k") * ("M" in held))}
        return {"M": {"k": text}} if "M" in held else {"L": [text]}

    key = item(pk="p", sk="s")
    condition = {"TableName": table, "Key": key, "ConditionExpression": "a = :a"}
    most = {":a": holding(ITEM_MAX)}
    refused = refusal(client.delete_item, **condition, ExpressionAttributeValues=most)
    assert refused == CONDITION_FAILED
    over = holding(ITEM_MAX + 1)
    refused = refusal(client.delete_item, **condition, ExpressionAttributeValues={":a": over})
    assert refused == invalid(
        f"ExpressionAttributeValues contains invalid value: {ITEM_TOO_LARGE} for key :a"
    )
    updates = {"a": {"Action": "PUT", "Value": over}}
    refused = refusal(client.update_item, TableName=table, Key=key, AttributeUpdates=updates)
    assert refused == invalid(ITEM_TOO_LARGE)


def test_a_list_that_grows_too_large_is_an_item_too_large(client: Client, table: str) -> None:
    key = item(pk="grown", sk="s")
    half = {"L": [{"S": "x" * (ITEM_MAX // 2)}]}
    client.put_item(TableName=table, Item=key | {"m": {"M": {"l": half}}})
    refused = refusal(
        client.update_item,
        TableName=table,
        Key=key,
        UpdateExpression="SET m.l = list_append(m.l, :half)",
        ExpressionAttributeValues={":half": half},
    )
    assert refused == invalid(UPDATE_TOO_LARGE)


@pytest.fixture(scope="module")
def indexed(client: Client) -> str:
    local = [index("by-t", "pk", "t")]
    return create(client, "pk:S", "sk:S", indexed="t:S", LocalSecondaryIndexes=local)


def test_an_item_and_its_entry_in_a_local_index_have_at_most_400_kb(
    client: Client, indexed: str
) -> None:
    half = sized(ITEM_MAX // 2 - len("t" + "x")) | item(t="x")
    client.put_item(TableName=indexed, Item=half)
    over = sized(ITEM_MAX // 2 - len("t" + "x") + 1) | item(t="x")
    assert refusal(client.put_item, TableName=indexed, Item=over) == invalid(ITEM_TOO_LARGE)
    client.put_item(TableName=indexed, Item=sized(ITEM_MAX))


@pytest.mark.parametrize("count", [2, 5])
def test_the_entries_in_all_local_indexes_count(client: Client, count: int) -> None:
    """An item of a few dozen KB may be too large, with a copy of it in each index."""
    keys = [f"t{number}" for number in range(count)]
    name = create(
        client,
        "pk:S",
        "sk:S",
        indexed=" ".join(f"{key}:S" for key in keys),
        LocalSecondaryIndexes=[index(f"by-{key}", "pk", key) for key in keys],
    )
    more = item(**dict.fromkeys(keys, "x"))
    most = ITEM_MAX // (count + 1) - sum(len(key) + len("x") for key in keys)
    client.put_item(TableName=name, Item=sized(most) | more)
    over = sized(most + 1) | more
    assert refusal(client.put_item, TableName=name, Item=over) == invalid(ITEM_TOO_LARGE)
    fewer = {key: value for key, value in over.items() if key != keys[0]}
    client.put_item(TableName=name, Item=fewer)


def test_an_update_may_not_grow_an_item_and_its_entry_beyond_400_kb(
    client: Client, indexed: str
) -> None:
    client.put_item(TableName=indexed, Item=sized(ITEM_MAX // 2))
    refused = refusal(
        client.update_item,
        TableName=indexed,
        Key=item(pk="p", sk="s"),
        UpdateExpression="SET t = :t",
        ExpressionAttributeValues=values(t="x"),
    )
    assert refused == invalid(UPDATE_TOO_LARGE)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        pytest.param({"S": "é" * 10}, 20, id="string-by-bytes"),
        pytest.param({"B": b"x" * 10}, 10, id="binary-raw"),
        pytest.param({"BOOL": True}, 1, id="boolean"),
        pytest.param({"NULL": True}, 1, id="null"),
        pytest.param({"SS": ["ab", "cde"]}, 5, id="string-set"),
        pytest.param({"L": []}, 3, id="empty-list"),
        pytest.param({"M": {}}, 3, id="empty-map"),
        pytest.param({"L": [{"S": "ab"}, {"S": "c"}]}, 3 + 3 + 2, id="list"),
        pytest.param({"M": {"key": {"S": "ab"}}}, 3 + 1 + 3 + 2, id="map"),
        pytest.param({"N": "1"}, 2, id="one-digit"),
        pytest.param({"N": "100"}, 2, id="trailing-zeros"),
        pytest.param({"N": "12345"}, 4, id="five-digits"),
        pytest.param({"N": "-1"}, 3, id="negative"),
        pytest.param({"N": "0"}, 1, id="zero"),
    ],
)
def test_sizes_of_values(client: Client, table: str, value: dict[str, Any], size: int) -> None:
    """A value takes just as much of the 400 KB as the documentation says."""
    whole = sized(ITEM_MAX - len("v") - size) | {"v": value}
    client.put_item(TableName=table, Item=whole)
    over = sized(ITEM_MAX - len("v") - size + 1) | {"v": value}
    assert refusal(client.put_item, TableName=table, Item=over) == invalid(ITEM_TOO_LARGE)


def test_an_update_may_not_grow_an_item_beyond_400_kb(client: Client, table: str) -> None:
    key = item(pk="grow", sk=unique())
    half = "x" * (ITEM_MAX // 2)
    client.put_item(TableName=table, Item=key | item(a=half))
    refused = refusal(
        client.update_item,
        TableName=table,
        Key=key,
        UpdateExpression="SET b = a",
    )
    assert refused == invalid(UPDATE_TOO_LARGE)
    assert set(client.get_item(TableName=table, Key=key)["Item"]) == {"pk", "sk", "a"}


@pytest.mark.parametrize(
    ("attribute", "most", "message"),
    [
        pytest.param(
            "pk",
            2048,
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
            "size limit of2048 bytes",
            id="partition-key",
        ),
        pytest.param(
            "sk",
            1024,
            "One or more parameter values were invalid: Aggregated size of all range keys has "
            "exceeded the size limit of 1024 bytes",
            id="sort-key",
        ),
    ],
)
def test_key_sizes(client: Client, table: str, attribute: str, most: int, message: str) -> None:
    def key(size: int) -> dict[str, Any]:
        return item(pk="p", sk="s") | {attribute: {"S": "é" * (size // 2) + "x" * (size % 2)}}

    client.put_item(TableName=table, Item=key(most))
    assert refusal(client.put_item, TableName=table, Item=key(most + 1)) == invalid(message)
    assert refusal(client.get_item, TableName=table, Key=key(most + 1)) == invalid(message)
    client.delete_item(TableName=table, Key=key(most))


def test_an_index_key_has_the_same_limits(client: Client) -> None:
    name = create(
        client,
        "pk:S",
        indexed="g:S s:B",
        GlobalSecondaryIndexes=[index("by-g", "g", "s")],
    )
    client.put_item(TableName=name, Item=item(pk="p", g="x" * 2048, s=b"x" * 1024))
    for attribute, value, most in (("g", "x" + "é" * 1024, 2048), ("s", b"x" * 1025, 1024)):
        large = item(pk="p", **{attribute: value})
        assert refusal(client.put_item, TableName=name, Item=large) == invalid(
            "One or more parameter values were invalid: Size limit exceeded for Index Key "
            f"{attribute} Actual Size: {most + 1} bytes Max Size: {most} bytes IndexName: by-g"
        )


def nested(depth: int, innermost: dict[str, Any] | None = None) -> dict[str, Any]:
    value = innermost or {"S": "x"}
    for level in range(depth - 1):
        value = {"L": [value]} if level % 2 else {"M": {"k": value}}
    return value


def test_nesting_of_32_levels(client: Client, table: str) -> None:
    key = item(pk="deep", sk=unique())
    client.put_item(TableName=table, Item=key | {"v": nested(32)})
    assert client.get_item(TableName=table, Key=key)["Item"]["v"] == nested(32)
    refused = refusal(client.put_item, TableName=table, Item=key | {"v": nested(33)})
    assert refused == invalid(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
        "beyond supported limit"
    )


@pytest.mark.parametrize("empty", [{"L": []}, {"M": {}}], ids=["list", "map"])
def test_an_empty_list_or_map_is_a_level_more(
    client: Client, table: str, empty: dict[str, Any]
) -> None:
    key = item(pk="deep", sk=unique())
    client.put_item(TableName=table, Item=key | {"v": nested(31, empty)})
    refused = refusal(client.put_item, TableName=table, Item=key | {"v": nested(32, empty)})
    assert refused == invalid(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
        "beyond supported limit"
    )
    client.put_item(TableName=table, Item=key | item(v={}))
    below = {"TableName": table, "Key": key, "UpdateExpression": "SET v.a = :deep"}
    client.update_item(**below, ExpressionAttributeValues={":deep": nested(30, empty)})
    deeper = {":deep": nested(31, empty)}
    refused = refusal(client.update_item, **below, ExpressionAttributeValues=deeper)
    assert refused == invalid("Nesting Levels have exceeded supported limits")


def test_an_update_may_not_nest_deeper(client: Client, table: str) -> None:
    key = item(pk="deep", sk=unique())
    client.put_item(TableName=table, Item=key | {"v": {"M": {"a": {"S": "x"}}}})
    refused = refusal(
        client.update_item,
        TableName=table,
        Key=key,
        UpdateExpression="SET v.a = :deep",
        ExpressionAttributeValues={":deep": nested(32)},
    )
    assert refused[0] == "ValidationException"
    assert "nest" in refused[1].lower()


def test_attribute_names_may_be_64_kb_but_key_names_255(client: Client, table: str) -> None:
    key = item(pk="name", sk=unique())
    long = "n" * 65535
    client.put_item(TableName=table, Item=key | {long: {"S": "x"}})
    assert long in client.get_item(TableName=table, Key=key)["Item"]
    code, _ = refusal(client.put_item, TableName=table, Item=key | {"n" * 65536: {"S": "x"}})
    assert code == "ValidationException"


NAME_TOO_LARGE = "Attribute name is too large, must be less than 65536 bytes"


def test_attribute_names_are_measured_in_bytes(client: Client, table: str) -> None:
    def request(length: int) -> dict[str, Any]:
        return {
            "TableName": table,
            "Key": item(pk="bytes", sk=unique()),
            "UpdateExpression": "SET #n = :v",
            "ExpressionAttributeNames": {"#n": "é" * length},
            "ExpressionAttributeValues": values(v=1),
        }

    client.update_item(**request(32767))
    assert refusal(client.update_item, **request(32768)) == invalid(
        f"ExpressionAttributeNames contains invalid value: {NAME_TOO_LARGE} for key #n"
    )


NAMING: dict[str, Callable[[dict[str, Any], str], dict[str, Any]]] = {
    "in-an-item": lambda key, name: {"Item": key | {name: {"S": "x"}}},
    "in-a-map": lambda key, name: {"Item": key | {"m": {"M": {name: {"S": "x"}}}}},
    "in-a-legacy-update": lambda key, name: {
        "Key": key,
        "AttributeUpdates": {name: {"Value": {"S": "x"}}},
    },
}


@pytest.mark.parametrize("named", NAMING.values(), ids=NAMING)
def test_attribute_names_that_are_written_are_measured_in_bytes(
    client: Client, table: str, named: Callable[[dict[str, Any], str], dict[str, Any]]
) -> None:
    def request(length: int) -> dict[str, Any]:
        return {"TableName": table, **named(item(pk="bytes", sk=unique()), "é" * length)}

    write = client.put_item if "Item" in request(1) else client.update_item
    write(**request(32767))
    assert refusal(write, **request(32768)) == invalid(NAME_TOO_LARGE)


def test_expressions_have_at_most_300_operators(client: Client, table: str) -> None:
    """OR over 301 comparisons has exactly 300 ORs and 301 equals: more than 300 in all."""
    names = {f"#{n:x}": f"a{n}" for n in range(200)}

    def request(count: int) -> dict[str, Any]:
        used = dict(list(names.items())[:count])
        return {
            "TableName": table,
            "Item": item(pk="ops", sk=unique()),
            "ConditionExpression": " OR ".join(f"{name} <> :v" for name in used),
            "ExpressionAttributeNames": used,
            "ExpressionAttributeValues": values(v=1),
        }

    client.put_item(**request(150))
    assert refusal(client.put_item, **request(151)) == invalid(
        "Invalid ConditionExpression: The expression contains too many operators; "
        "operator count: 301"
    )


def test_deep_expressions_are_refused_or_answered_not_fatal(client: Client, table: str) -> None:
    """Thousands of parentheses: a ValidationException, and the next request is answered."""
    deep = "(" * 1500 + "attribute_exists(pk)" + ")" * 1500
    code, _ = refusal(
        client.put_item, TableName=table, Item=item(pk="p", sk="s"), ConditionExpression=deep
    )
    assert code == "ValidationException"
    client.get_item(TableName=table, Key=item(pk="p", sk="s"))


@pytest.mark.parametrize(
    ("names", "value", "what"),
    [
        pytest.param(33, 0, "ExpressionAttributeNames", id="names"),
        pytest.param(0, 2 * 1024 * 1024 - 1, "ExpressionAttributeValues", id="values"),
        pytest.param(
            17,
            1_000_000,
            "Combined size of ExpressionAttributeNames and ExpressionAttributeValues",
            id="both",
        ),
    ],
)
def test_names_and_values_have_at_most_2_mb_with_their_placeholders(
    client: Client, table: str, names: int, value: int, what: str
) -> None:
    refused = refusal(
        client.delete_item,
        TableName=table,
        Key=item(pk="p", sk="s"),
        ConditionExpression="a = :v",
        ExpressionAttributeNames={f"#n{n}": "x" * 65_000 for n in range(names)} or {"#n": "n"},
        ExpressionAttributeValues=values(v="x" * value),
    )
    assert refused == invalid(f"{what} exceeds max size")
