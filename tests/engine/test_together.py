"""Writes that reach the disk together: all of them, or none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from singletable import Engine
from singletable.engine import writing
from singletable.engine.storage import Storage
from singletable.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
    ItemCollectionSizeLimitExceededException,
    SingletableError,
    TransactionCanceledException,
    ValidationException,
)
from tests.engine.stream_reading import records

KEYS: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(params=["file", "memory"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "t.db" if request.param == "file" else None) as made:
        made.create_table(TableName="items", **KEYS)
        yield made


def put(engine: Engine, name: str, **options: Any) -> None:
    engine.put_item(TableName="items", Item={"PK": {"S": name}}, **options)


def names(engine: Engine) -> set[str]:
    return {item["PK"]["S"] for item in engine.scan(TableName="items")["Items"]}


def test_all_is_there_after_the_block(engine: Engine) -> None:
    with engine.together():
        for number in range(50):
            put(engine, str(number))
    assert len(names(engine)) == 50
    assert engine.describe_table(TableName="items")["Table"]["ItemCount"] == 50


def test_nothing_is_there_if_the_block_raises(engine: Engine) -> None:
    def fail() -> None:
        with engine.together():
            put(engine, "in it")
            raise ConnectionError

    put(engine, "before")
    with pytest.raises(ConnectionError):
        fail()
    assert names(engine) == {"before"}
    put(engine, "after")
    assert names(engine) == {"before", "after"}


def test_a_write_that_is_refused_takes_back_itself_alone(engine: Engine) -> None:
    put(engine, "there")
    with engine.together():
        put(engine, "one")
        with pytest.raises(ConditionalCheckFailedException):
            put(engine, "there", ConditionExpression="attribute_not_exists(PK)")
        put(engine, "two")
    assert names(engine) == {"there", "one", "two"}


def test_what_is_put_again_is_replaced(tmp_path: Path) -> None:
    index = {
        "IndexName": "by_kind",
        "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    kinds = [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "kind")]
    with Engine(tmp_path / "t.db") as engine:
        engine.create_table(
            TableName="items",
            **{**KEYS, "AttributeDefinitions": kinds},
            GlobalSecondaryIndexes=[index],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        )
        with engine.together():
            for kind in ("first", "second", "second"):
                change = {"PutRequest": {"Item": {"PK": {"S": "one"}, "kind": {"S": kind}}}}
                engine.batch_write_item(RequestItems={"items": [change]})
        found = engine.scan(TableName="items", IndexName="by_kind")["Items"]
        assert found == [{"PK": {"S": "one"}, "kind": {"S": "second"}}]
        table = engine.describe_table(TableName="items")["Table"]
        assert (table["ItemCount"], table["TableSizeBytes"]) == (1, 5 + 10)
        seen = records(engine, table["LatestStreamArn"])
        assert [record["eventName"] for record in seen] == ["INSERT", "MODIFY"]


def test_a_batch_that_is_refused_takes_back_itself_alone(engine: Engine) -> None:
    index = {
        "IndexName": "by_kind",
        "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    engine.update_table(
        TableName="items",
        AttributeDefinitions=[{"AttributeName": "kind", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": index}],
    )
    kinds = {"good": {"S": "k"}, "bad": {"N": "1"}}
    puts = [
        {"PutRequest": {"Item": {"PK": {"S": name}, "kind": kind}}} for name, kind in kinds.items()
    ]
    with engine.together():
        put(engine, "one")
        with pytest.raises(ValidationException, match="Type mismatch for Index Key kind"):
            engine.batch_write_item(RequestItems={"items": puts})
        put(engine, "two")
    assert names(engine) == {"one", "two"}


def test_a_transaction_that_is_cancelled_takes_back_itself_alone(engine: Engine) -> None:
    def change(name: str, **options: Any) -> dict[str, Any]:
        return {"Put": {"TableName": "items", "Item": {"PK": {"S": name}}, **options}}

    refused = change("there", ConditionExpression="attribute_not_exists(PK)")
    put(engine, "there")
    with engine.together():
        put(engine, "one")
        with pytest.raises(TransactionCanceledException):
            engine.transact_write_items(TransactItems=[change("lost"), refused])
        put(engine, "two")
    assert names(engine) == {"there", "one", "two"}


def test_a_request_that_fails_halfway_takes_all_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is not taken back alone, the rest must not be kept either."""
    monkeypatch.setattr(writing, "COLLECTION_BYTES_MAX", 50)
    local = {
        "IndexName": "local",
        "KeySchema": [
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "at", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }
    names_ = [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "at")]
    keys = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]

    def fill(engine: Engine, at_once: int, then: Callable[[Engine], object] = id) -> None:
        items = [{"PK": {"S": "one"}, "SK": {"S": f"{number:08}"}} for number in range(8)]
        with engine.together():
            for start in range(0, 8, at_once):
                puts = [{"PutRequest": {"Item": each}} for each in items[start : start + at_once]]
                with suppress(ItemCollectionSizeLimitExceededException):
                    engine.batch_write_item(RequestItems={"items": puts})
            then(engine)

    def transact_next(engine: Engine) -> None:
        put = {"TableName": "items", "Item": {"PK": {"S": "one"}, "SK": {"S": "next"}}}
        with pytest.raises(SingletableError, match="none of them was kept: send them again"):
            engine.transact_write_items(TransactItems=[{"Put": put}])

    with Engine(tmp_path / "t.db") as engine:
        engine.create_table(
            TableName="items",
            KeySchema=keys,
            AttributeDefinitions=names_,
            LocalSecondaryIndexes=[local],
            BillingMode="PAY_PER_REQUEST",
        )
        with pytest.raises(SingletableError, match="none of them was kept: send them again"):
            fill(engine, at_once=2, then=transact_next)
        assert engine.scan(TableName="items")["Count"] == 0
        fill(engine, at_once=1)
        assert engine.scan(TableName="items")["Count"] == 50 // 15
        monkeypatch.undo()
        fill(engine, at_once=2)
        assert engine.scan(TableName="items")["Count"] == 8


def test_a_block_that_the_database_has_rolled_back_does_not_go_on(engine: Engine) -> None:
    """A full disk ends the transaction: what comes after would be written by itself."""
    storage = engine._db.storage
    for number in range(20):
        put(engine, f"before {number}")
    [(pages,)] = storage.execute("PRAGMA page_count").fetchall()

    def fill() -> None:
        with engine.together():
            for number in range(200):
                item = {"PK": {"S": f"in it {number}"}, "text": {"S": "x" * 5000}}
                with suppress(InternalServerError):
                    engine.put_item(TableName="items", Item=item)

    storage.execute(f"PRAGMA max_page_count = {pages + 20}").fetchall()
    with pytest.raises(SingletableError, match="none of them was kept: send them again"):
        fill()
    storage.execute("PRAGMA max_page_count = 1073741823").fetchall()
    assert names(engine) == {f"before {number}" for number in range(20)}
    assert engine.describe_table(TableName="items")["Table"]["ItemCount"] == 20
    fill()
    assert len(names(engine)) == 220


def test_a_table_is_written_to_as_another_process_has_made_it(tmp_path: Path) -> None:
    index = {
        "IndexName": "by_kind",
        "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    with Engine(tmp_path / "t.db") as engine, Engine(tmp_path / "t.db") as other:
        other.create_table(TableName="items", **KEYS)
        put(engine, "before")
        other.update_table(
            TableName="items",
            AttributeDefinitions=[{"AttributeName": "kind", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[{"Create": index}],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        )
        with engine.together():
            engine.put_item(TableName="items", Item={"PK": {"S": "in it"}, "kind": {"S": "k"}})
        assert engine.scan(TableName="items", IndexName="by_kind")["Count"] == 1
        table = engine.describe_table(TableName="items")["Table"]
        assert len(records(engine, table["LatestStreamArn"])) == 1


def test_others_wait_to_write_and_see_nothing_before(tmp_path: Path) -> None:
    with Engine(tmp_path / "t.db") as engine, Engine(tmp_path / "t.db") as other:
        engine.create_table(TableName="items", **KEYS)
        writer = threading.Thread(target=put, args=(other, "theirs"))
        with engine.together():
            put(engine, "ours")
            writer.start()
            assert names(other) == set()
            writer.join(0.05)
            assert writer.is_alive()
        writer.join(50)
        assert names(engine) == {"ours", "theirs"}


def test_who_writes_sees_it_and_other_threads_do_not(tmp_path: Path) -> None:
    seen: list[set[str]] = []
    with Engine(tmp_path / "t.db") as engine:
        engine.create_table(TableName="items", **KEYS)
        with engine.together():
            put(engine, "ours")
            assert names(engine) == {"ours"}
            assert engine.get_item(TableName="items", Key={"PK": {"S": "ours"}}).get("Item")
            reader = threading.Thread(target=lambda: seen.append(names(engine)))
            reader.start()
            reader.join(50)
        assert seen == [set()]
        assert names(engine) == {"ours"}


def test_a_reader_meanwhile_keeps_no_definition_for_the_writer(tmp_path: Path) -> None:
    """It sees the table as it was, without the index that the block makes."""
    indexed: dict[str, Any] = {
        "IndexName": "by_kind",
        "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }

    def add(to: Engine, name: str) -> None:
        to.put_item(TableName="items", Item={"PK": {"S": name}, "kind": {"S": "k"}})

    with Engine(tmp_path / "t.db") as engine:
        engine.create_table(TableName="items", **KEYS)
        with engine.together():
            engine.update_table(
                TableName="items",
                AttributeDefinitions=[{"AttributeName": "kind", "AttributeType": "S"}],
                GlobalSecondaryIndexUpdates=[{"Create": indexed}],
            )
            reader = threading.Thread(target=names, args=(engine,))
            reader.start()
            reader.join(50)
            add(engine, "in the block")
        add(engine, "after it")
        assert engine.scan(TableName="items", IndexName="by_kind")["Count"] == 2


def test_a_definition_that_was_taken_back_is_forgotten(engine: Engine) -> None:
    def fail() -> None:
        with engine.together():
            engine.delete_table(TableName="items")
            engine.create_table(TableName="items", **KEYS)
            put(engine, "lost")
            raise ConnectionError

    with pytest.raises(ConnectionError):
        fail()
    put(engine, "kept")
    assert names(engine) == {"kept"}


def test_there_is_no_block_in_a_block(engine: Engine) -> None:
    with engine.together():
        put(engine, "kept")
        with pytest.raises(SingletableError, match="together already"), engine.together():
            put(engine, "lost")
    assert names(engine) == {"kept"}


def test_who_loads_takes_memory_for_it_and_keeps_it(tmp_path: Path) -> None:
    """SQLite's own way is a file of pages for each write that may have to be taken back."""
    settings = ("temp_store", "wal_autocheckpoint", "cache_size")
    storage = Storage(str(tmp_path / "t.db"))

    def found() -> list[int]:
        with storage.write() as tx:
            return [tx.execute(f"PRAGMA {one}").fetchone()[0] for one in settings]

    assert found() == [0, 1000, -16_384]
    for _ in range(2):
        with storage.together():
            pass
        assert found() == [2, 65_536, -32_768]
    storage.close()


def test_a_closed_engine_writes_nothing_together(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "t.db")
    engine.close()
    with pytest.raises(SingletableError, match="closed"), engine.together():
        pass


def test_tasks_of_a_thread_share_its_block(engine: Engine) -> None:
    """Which is why nothing is to be awaited in it."""

    async def fail() -> None:
        with suppress(ConnectionError), engine.together():
            await asyncio.sleep(0)
            raise ConnectionError

    async def write() -> None:
        put(engine, "of another task")

    async def both() -> None:
        await asyncio.gather(fail(), write())

    asyncio.run(both())
    assert names(engine) == set()
