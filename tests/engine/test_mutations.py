"""What a change leaves: its size, counted from what it touched, and no more pages than it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from singletable.engine import Engine, writing
from singletable.errors import (
    ItemCollectionSizeLimitExceededException,
    TransactionCanceledException,
)
from tests.engine.support import create, definitions, index, key_schema

PAGE_IN_LOG_BYTES = 24 + 4096
ITEM = {
    "pk": {"S": "a"},
    "text": {"S": "grün"},
    "count": {"N": "100"},
    "map": {"M": {"one": {"N": "1"}, "two": {"S": "2"}, "in": {"M": {"list": {"L": []}}}}},
    "list": {"L": [{"M": {"a": {"S": "b"}}}, {"N": "1"}, {"S": "3"}]},
}


def size(engine: Engine) -> int:
    """Give the bytes that the table's statistics have."""
    return int(engine.call("DescribeTable", {"TableName": "things"})["Table"]["TableSizeBytes"])


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        (
            "SET #text = :s, #count = #count + :n",
            {":s": {"S": "longer than it was"}, ":n": {"N": "1"}},
        ),
        ("SET #map.one = :s, #map.three = :s", {":s": {"S": "three"}}),
        ("REMOVE #map.one, #map.two, #text", None),
        ("SET #map.#in.#list[7] = :s, #map.#in.four = :s", {":s": {"S": "four"}}),
        ("SET #map.#in = :s REMOVE #map.one", {":s": {"S": "no map"}}),
        ("SET #list[0].a = :s, #list[0].e = :s, #list[8] = :s REMOVE #list[1]", {":s": {"S": "x"}}),
        ("SET fresh = :s REMOVE #count", {":s": {"L": [{"S": "é"}, {"NULL": True}]}}),
        ("ADD tags :s, tags2 :s", {":s": {"SS": ["x", "yz"]}}),
        ("REMOVE absent", None),
    ],
)
def test_an_updated_item_has_the_size_of_one_put_whole(
    engine: Engine, expression: str, values: dict[str, Any] | None
) -> None:
    create(engine)
    engine.put_item(TableName="things", Item=ITEM)
    names = {
        f"#{name}": name
        for name in ("text", "count", "map", "in", "list")
        if f"#{name}" in expression
    }
    given = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    after = engine.update_item(
        TableName="things",
        Key={"pk": {"S": "a"}},
        UpdateExpression=expression,
        ReturnValues="ALL_NEW",
        **{name: each for name, each in given.items() if each},
    )["Attributes"]
    updated = size(engine)
    engine.delete_item(TableName="things", Key={"pk": {"S": "a"}})
    engine.put_item(TableName="things", Item=after)
    assert updated == size(engine)


def test_replacing_an_item_by_one_as_large_logs_one_page(tmp_path: Path) -> None:
    log = tmp_path / "database-wal"
    with Engine(tmp_path / "database", durable=False) as engine:
        create(engine)
        engine.put_item(TableName="things", Item=ITEM)
        before = log.stat().st_size
        engine.put_item(TableName="things", Item={**ITEM, "count": {"N": "200"}})
        assert log.stat().st_size == before + PAGE_IN_LOG_BYTES


def test_an_item_collection_may_not_grow_beyond_its_limit(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "COLLECTION_BYTES_MAX", 20)
    create(
        engine,
        KeySchema=key_schema("pk", "sk:RANGE"),
        AttributeDefinitions=definitions("pk", "sk", "at"),
        LocalSecondaryIndexes=[index("by-at", "pk", "at:RANGE")],
    )
    first, second = ({"pk": {"S": "a"}, "sk": {"S": f"{number:08}"}} for number in range(2))
    engine.put_item(TableName="things", Item=first)
    with pytest.raises(ItemCollectionSizeLimitExceededException) as caught:
        engine.put_item(TableName="things", Item=second)
    assert caught.value.message == "Collection size exceeded"
    with pytest.raises(TransactionCanceledException) as cancelled:
        engine.transact_write_items(
            TransactItems=[{"Put": {"TableName": "things", "Item": second}}]
        )
    assert cancelled.value.fields["CancellationReasons"] == [
        {"Code": "ItemCollectionSizeLimitExceeded", "Message": "Collection size exceeded"}
    ]
    assert engine.scan(TableName="things")["Items"] == [first]
