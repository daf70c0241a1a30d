"""Global secondary indexes: what they hold, in which order, and what may be asked of them."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, index, invalid, item, plains, refusal, unique, values


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(
        client,
        "pk:S",
        "sk:S",
        indexed="g:S h:N",
        GlobalSecondaryIndexes=[
            index("everything", "g", "h"),
            index("keys", "g", "", "KEYS_ONLY"),
            index("some", "g", "h", "INCLUDE", "a", "b"),
            index("turned", "sk", "pk"),
        ],
    )


def query(client: Client, table: str, name: str, **equal: Any) -> list[dict[str, Any]]:
    answer = client.query(
        TableName=table,
        IndexName=name,
        KeyConditionExpression=" AND ".join(f"{each} = :{each}" for each in equal),
        ExpressionAttributeValues=values(**equal),
    )
    return plains(answer["Items"])


def test_projections(client: Client, table: str) -> None:
    g = unique()
    whole = {"pk": "p", "sk": "s" + g, "g": g, "h": 1, "a": 1, "c": 3}
    client.put_item(TableName=table, Item=item(**whole))
    assert query(client, table, "everything", g=g) == [whole]
    assert query(client, table, "keys", g=g) == [{"pk": "p", "sk": "s" + g, "g": g}]
    assert query(client, table, "some", g=g) == [{"pk": "p", "sk": "s" + g, "g": g, "h": 1, "a": 1}]
    assert query(client, table, "turned", sk="s" + g) == [whole]


def test_an_item_without_all_keys_is_not_in_the_index(client: Client, table: str) -> None:
    g = unique()
    client.put_item(TableName=table, Item=item(pk="p", sk=unique(), g=g))
    assert query(client, table, "everything", g=g) == []
    assert len(query(client, table, "keys", g=g)) == 1


def test_order_and_conditions_on_the_sort_key(client: Client, table: str) -> None:
    g = unique()
    fill(client, table, [item(pk=f"p{h}", sk=g, g=g, h=h) for h in (10, 9, -1, 100)])
    assert [each["h"] for each in query(client, table, "everything", g=g)] == [-1, 9, 10, 100]
    answer = client.query(
        TableName=table,
        IndexName="everything",
        KeyConditionExpression="g = :g AND h BETWEEN :low AND :high",
        ExpressionAttributeValues=values(g=g, low=9, high=50),
        ScanIndexForward=False,
    )
    assert [each["h"] for each in plains(answer["Items"])] == [10, 9]


def test_keys_in_an_index_need_not_be_unique(client: Client, table: str) -> None:
    g = unique()
    fill(client, table, [item(pk=f"p{n}", sk=g, g=g, h=1) for n in range(5)])
    assert {each["pk"] for each in query(client, table, "everything", g=g)} == {
        f"p{n}" for n in range(5)
    }


def test_an_index_follows_updates_and_deletes(client: Client, table: str) -> None:
    one, two = unique(), unique()
    key = item(pk="follow", sk=unique())
    client.put_item(TableName=table, Item=key | item(g=one, h=1, c=1))

    def update(expression: str, **operands: Any) -> None:
        more = {"ExpressionAttributeValues": values(**operands)} if operands else {}
        client.update_item(TableName=table, Key=key, UpdateExpression=expression, **more)

    update("SET c = :c", c=2)
    assert query(client, table, "everything", g=one)[0]["c"] == 2
    update("SET g = :g", g=two)
    assert query(client, table, "everything", g=one) == []
    assert len(query(client, table, "everything", g=two)) == 1
    update("REMOVE h")
    assert query(client, table, "everything", g=two) == []
    assert len(query(client, table, "keys", g=two)) == 1
    client.delete_item(TableName=table, Key=key)
    assert query(client, table, "keys", g=two) == []


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        pytest.param(
            item(g=1),
            "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S "
            "Actual: N IndexName: everything",
            id="partition-key-type",
        ),
        pytest.param(
            item(g="x", h="1"),
            "One or more parameter values were invalid: Type mismatch for Index Key h Expected: N "
            "Actual: S IndexName: everything",
            id="sort-key-type",
        ),
        pytest.param(
            item(g=""),
            "One or more parameter values are not valid. A value specified for a secondary index "
            "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
            "string value. IndexName: everything, IndexKey: g",
            id="empty-key",
        ),
        pytest.param(
            item(g=None),
            "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S "
            "Actual: NULL IndexName: everything",
            id="null-key",
        ),
    ],
)
def test_wrong_index_keys(
    client: Client, table: str, attributes: dict[str, Any], message: str
) -> None:
    """With several indexes on one attribute, the service names any one of them."""
    whole = item(pk="bad", sk="bad") | attributes
    code, said = refusal(client.put_item, TableName=table, Item=whole)
    for name in ("keys", "some"):
        said = said.replace(f"IndexName: {name}", "IndexName: everything")
    assert (code, said) == invalid(message)


def test_an_update_to_a_wrong_index_key_is_refused(client: Client, table: str) -> None:
    code, message = refusal(
        client.update_item,
        TableName=table,
        Key=item(pk="bad", sk="bad"),
        UpdateExpression="SET h = :h",
        ExpressionAttributeValues=values(h="text"),
    )
    assert code == "ValidationException"
    assert (
        message
        == "The update expression attempted to update the secondary index key to unsupported type"
    )


@pytest.mark.parametrize("key", ["g", "h"])
def test_an_update_to_an_empty_index_key_is_refused(client: Client, table: str, key: str) -> None:
    """Its type, which for a number is wrong as well, is not looked at."""
    assert refusal(
        client.update_item,
        TableName=table,
        Key=item(pk="bad", sk="bad"),
        UpdateExpression=f"SET {key} = :empty",
        ExpressionAttributeValues=values(empty=""),
    ) == invalid(
        "One or more parameter values are not valid. The update expression attempted to update a "
        "secondary index key to a value that is not supported. The AttributeValue for a key "
        "attribute cannot contain an empty string value."
    )


def test_an_update_without_an_expression_words_it_as_a_put(client: Client) -> None:
    name = create(client, "pk:S", indexed="g:S", GlobalSecondaryIndexes=[index("by_g", "g")])
    assert refusal(
        client.update_item,
        TableName=name,
        Key=item(pk="bad"),
        AttributeUpdates={"g": {"Action": "PUT", "Value": {"S": ""}}},
    ) == invalid(
        "One or more parameter values are not valid. A value specified for a secondary index key "
        "is not supported. The AttributeValue for a key attribute cannot contain an empty string "
        "value. IndexName: by_g, IndexKey: g"
    )


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {"IndexName": "keys", "ConsistentRead": True},
            "Consistent reads are not supported on global secondary indexes",
            id="consistent",
        ),
        pytest.param(
            {"IndexName": "keys", "Select": "ALL_ATTRIBUTES"},
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
            "supported for global secondary index keys because its projection type is not ALL",
            id="all-attributes",
        ),
        pytest.param(
            {"IndexName": "keys", "ProjectionExpression": "g, c"},
            "One or more parameter values were invalid: Global secondary index keys does not "
            "project [c]",
            id="unprojected",
        ),
        pytest.param(
            {"IndexName": "keys", "FilterExpression": "g <> :g"},
            "Filter Expression can only contain non-primary key attributes: "
            "Primary key attribute: g",
            id="filter-on-key",
        ),
        pytest.param(
            {"IndexName": "keys", "FilterExpression": "c = :g"},
            "One or more parameter values were invalid: Secondary index keys does not project one "
            "or more filter attributes: [c]",
            id="filter-on-unprojected",
        ),
        pytest.param(
            {"IndexName": "keys", "ExpressionAttributeValues": values(g="")},
            "One or more parameter values are not valid. A value specified for a secondary index "
            "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
            "string value. IndexName: keys, IndexKey: g",
            id="empty-key",
        ),
        pytest.param(
            {"IndexName": "zzz"},
            "The table does not have the specified index: zzz",
            id="unknown-index",
        ),
        pytest.param(
            {"IndexName": "everything", "ExclusiveStartKey": item(g="g", h=1)},
            "The provided starting key is invalid",
            id="start-key-without-table-key",
        ),
    ],
)
def test_refused_queries(client: Client, table: str, part: dict[str, Any], message: str) -> None:
    request = {
        "TableName": table,
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": values(g="g"),
    } | part
    assert refusal(client.query, **request) == invalid(message)


FAULTS: list[dict[str, Any]] = [
    {"IndexName": "nowhere"},
    {"FilterExpression": "sk.x = :n"},
    {"ConsistentRead": True},
    {"KeyConditionExpression": "g < :g"},
    {"ExclusiveStartKey": item(pk="p")},
    {"FilterExpression": "h = :n"},
    {"FilterExpression": "c = :n"},
    {"Select": "ALL_ATTRIBUTES"},
]
"""In the order in which they are told."""


@pytest.mark.parametrize("at", range(len(FAULTS) - 1))
def test_of_two_faults_of_a_query_the_first_is_told(client: Client, table: str, at: int) -> None:
    def refused(*faults: dict[str, Any]) -> tuple[str, str]:
        request = {"IndexName": "some", "KeyConditionExpression": "g = :g"}
        for fault in faults:
            request |= fault
        used = values(g="g") | (values(n=1) if "FilterExpression" in request else {})
        return refusal(client.query, TableName=table, ExpressionAttributeValues=used, **request)

    told = FAULTS[at]
    alone = refused(told)
    for other in FAULTS[at + 1 :]:
        assert refused(other, told) == alone


def test_projecting_what_the_index_has(client: Client, table: str) -> None:
    g = unique()
    client.put_item(TableName=table, Item=item(pk="p", sk=g, g=g, h=1, a={"x": 1, "y": 2}, c=3))
    answer = client.query(
        TableName=table,
        IndexName="some",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues=values(g=g),
        ProjectionExpression="a.x, pk",
    )
    assert plains(answer["Items"]) == [{"a": {"x": 1}, "pk": "p"}]
