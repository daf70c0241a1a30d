"""Items that are made ready before they are put, any number of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import Engine
from singletable.errors import (
    AccessDeniedException,
    InternalServerError,
    ResourceNotFoundException,
    SingletableError,
    ValidationException,
)
from singletable.values import Item
from tests.engine.stream_reading import records

TABLE = "things"
CREATE: dict[str, Any] = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "S"), ("color", "S"), ("n", "N"))
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_color",
            "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        },
        {
            "IndexName": "by_n",
            "KeySchema": [
                {"AttributeName": "color", "KeyType": "HASH"},
                {"AttributeName": "n", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        },
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
LOCAL = {
    "IndexName": "local",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "color", "KeyType": "RANGE"},
    ],
    "Projection": {"ProjectionType": "ALL"},
}
EXPIRING = {"Enabled": True, "AttributeName": "over"}
RECOVERED = {"PointInTimeRecoveryEnabled": True}


def thing(pk: str, sk: str = "1", **attributes: Any) -> Item:
    return {"pk": {"S": pk}, "sk": {"S": sk}, **attributes}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(stream_shards=3) as made:
        made.create_table(**CREATE)
        yield made


def state(engine: Engine) -> dict[str, Any]:
    """Give all that follows from the items of an engine, but the order of its changes."""
    names = [index["IndexName"] for index in described(engine)["GlobalSecondaryIndexes"]]
    return {
        "items": scanned(engine),
        "indexes": {name: scanned(engine, IndexName=name) for name in names},
        "sizes": [described(engine)[name] for name in ("ItemCount", "TableSizeBytes")],
        "index sizes": [
            [index[name] for name in ("ItemCount", "IndexSizeBytes")]
            for index in described(engine)["GlobalSecondaryIndexes"]
        ],
        "stream": sorted((repr(one["dynamodb"]["Keys"]), one["eventName"]) for one in told(engine)),
    }


def scanned(engine: Engine, **options: Any) -> list[Item]:
    found: list[Item] = engine.scan(TableName=TABLE, **options)["Items"]
    return found


def described(engine: Engine) -> dict[str, Any]:
    found: dict[str, Any] = engine.describe_table(TableName=TABLE)["Table"]
    return found


def told(engine: Engine) -> list[dict[str, Any]]:
    return records(engine, described(engine)["LatestStreamArn"])


def test_all_items_are_put_at_once(engine: Engine) -> None:
    items = [thing(str(number), color={"S": "red"}) for number in range(120)]
    load = engine.prepare(TABLE, items)
    assert len(load) == 120
    assert not scanned(engine)
    load.write()
    assert described(engine)["ItemCount"] == 120
    assert len(scanned(engine, IndexName="by_color")) == 120
    assert not scanned(engine, IndexName="by_n")
    assert {one["eventName"] for one in told(engine)} == {"INSERT"}


def test_nothing_is_put_where_there_is_nothing(engine: Engine) -> None:
    engine.prepare(TABLE, []).write()
    assert not scanned(engine)
    assert not told(engine)


@st.composite
def _things(draw: st.DrawFn) -> Item:
    item = thing(draw(st.sampled_from("abc")), draw(st.sampled_from(["1", "2", "x" * 80])))
    color = draw(st.sampled_from([None, "red", "blue"]))
    number = draw(st.sampled_from([None, "1", "2.50"]))
    over = draw(st.sampled_from([None, "5", "4000000000"]))
    named = {"color": color and {"S": color}, "n": number and {"N": number}}
    named |= {"over": over and {"N": over}, "note": {"S": draw(st.text(max_size=3))}}
    return item | {name: value for name, value in named.items() if value}


@pytest.mark.parametrize("kind", ["plain", "local", "expiring", "recovered", "together"])
@given(loads=st.lists(st.lists(_things(), max_size=40), min_size=1, max_size=3))
def test_it_is_as_if_they_were_put_one_by_one(kind: str, loads: list[list[Item]]) -> None:
    with Engine(ttl_interval=None) as one, Engine(ttl_interval=None) as other:
        for engine in (one, other):
            local = {"LocalSecondaryIndexes": [LOCAL]} if kind == "local" else {}
            engine.create_table(**CREATE, **local)
            if kind == "expiring":
                engine.update_time_to_live(TableName=TABLE, TimeToLiveSpecification=EXPIRING)
            if kind == "recovered":
                engine.update_continuous_backups(
                    TableName=TABLE, PointInTimeRecoverySpecification=RECOVERED
                )
        for items in loads:
            with one.together() if kind == "together" else ExitStack():
                one.prepare(TABLE, items).write()
            for item in items:
                other.put_item(TableName=TABLE, Item=item)
        assert state(one) == state(other)
        assert one.expire() == other.expire()
        assert state(one) == state(other)


def test_the_stream_tells_of_each_item_in_the_order_of_the_load(engine: Engine) -> None:
    notes = [thing("a", note={"S": str(number)}) for number in range(3)]
    engine.prepare(TABLE, [notes[0], thing("b"), *notes[1:]]).write()
    mine = [one["dynamodb"] for one in told(engine) if one["dynamodb"]["Keys"]["pk"] == {"S": "a"}]
    assert [one["NewImage"] for one in mine] == notes
    assert [one.get("OldImage") for one in mine] == [None, *notes[:-1]]


@pytest.mark.parametrize(
    "item",
    [
        {"pk": {"S": "a"}},
        thing(""),
        thing("a", color={"N": "1"}),
        thing("a", n={"N": "one"}),
        thing("a", note={"S": 1}),
        thing("a", note={"S": "x" * 400 * 1024}),
        {"pk": "a", "sk": "1"},
    ],
)
def test_what_putitem_refuses_is_refused_in_its_words(engine: Engine, item: Any) -> None:
    with pytest.raises(SingletableError) as expected:
        engine.put_item(TableName=TABLE, Item=item)
    with pytest.raises(type(expected.value)) as refused:
        engine.prepare(TABLE, [thing("b"), item])
    assert str(refused.value) == str(expected.value)
    assert not scanned(engine)


def test_a_table_that_is_not_there_is_told(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundException):
        engine.prepare("others", [thing("a")])
    with pytest.raises(ValidationException, match="table/index name"):
        engine.prepare("?", [thing("a")])
    load = engine.prepare(TABLE, [thing("a")])
    engine.delete_table(TableName=TABLE)
    with pytest.raises(ResourceNotFoundException):
        load.write()


def test_who_may_not_put_may_not_load(engine: Engine) -> None:
    statement = {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}
    reader = engine.as_role({"Version": "2012-10-17", "Statement": [statement]})
    with pytest.raises(AccessDeniedException, match="PutItem"):
        reader.prepare(TABLE, [thing("a")])


def test_a_table_that_changed_meanwhile_is_written_to_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    index = {
        "IndexName": "by_note",
        "KeySchema": [{"AttributeName": "note", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    with Engine(path) as engine, Engine(path) as other:
        engine.create_table(**CREATE)
        load = engine.prepare(TABLE, [thing("a", note={"S": "here"})])
        other.update_table(
            TableName=TABLE,
            AttributeDefinitions=[{"AttributeName": "note", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[{"Create": index}],
        )
        load.write()
        assert len(scanned(engine, IndexName="by_note")) == 1
        wrong = engine.prepare(TABLE, [thing("b"), thing("c")])
        other.delete_table(TableName=TABLE)
        other.create_table(**{**CREATE, "StreamSpecification": {"StreamEnabled": False}})
        wrong.write()
        assert described(engine)["ItemCount"] == 2


def test_a_table_that_another_process_made_anew_is_looked_up_again(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    other_keys = {
        "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "color", "AttributeType": "S"}],
    }
    with Engine(path) as engine, Engine(path) as other:
        engine.create_table(**CREATE)
        other.delete_table(TableName=TABLE)
        other.create_table(TableName=TABLE, BillingMode="PAY_PER_REQUEST", **other_keys)
        engine.prepare(TABLE, [{"color": {"S": "red"}}]).write()
        assert scanned(engine) == [{"color": {"S": "red"}}]


def test_errors_name_the_operation(engine: Engine) -> None:
    with pytest.raises(ValidationException) as refused:
        engine.prepare(TABLE, [thing("")])
    assert refused.value.operation_name == "PutItem"
    load = engine.prepare(TABLE, [thing("a")])
    engine.delete_table(TableName=TABLE)
    with pytest.raises(ResourceNotFoundException) as missing:
        load.write()
    assert missing.value.operation_name == "PutItem"


def test_a_load_that_fails_halfway_leaves_nothing(tmp_path: Path) -> None:
    """A full disk, by itself and in a block of writes, which it takes with it."""
    with Engine(tmp_path / "t.db") as engine:
        engine.create_table(**CREATE)
        engine.put_item(TableName=TABLE, Item=thing("before"))
        storage = engine._db.storage
        [(pages,)] = storage.execute("PRAGMA page_count").fetchall()
        storage.execute(f"PRAGMA max_page_count = {pages + 120}").fetchall()
        load = engine.prepare(TABLE, [thing(str(n), note={"S": "x" * 5000}) for n in range(200)])

        def in_a_block() -> None:
            with engine.together():
                engine.put_item(TableName=TABLE, Item=thing("in it"))
                with pytest.raises(InternalServerError):
                    load.write()

        with pytest.raises(InternalServerError):
            load.write()
        with pytest.raises(SingletableError, match="none of them was kept"):
            in_a_block()
        storage.execute("PRAGMA max_page_count = 1073741823").fetchall()
        assert scanned(engine) == [thing("before")]
        load.write()
        assert described(engine)["ItemCount"] == 201
