"""Eventually consistent reads and indexes that are some requests behind."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from singletable import Hardships
from singletable.engine import Engine
from tests.engine.support import Clock, create, definitions, index

LAG = 4
Read = Callable[[Engine], int]


def _get(**more: Any) -> Read:
    def read(engine: Engine) -> int:
        body = {"TableName": "things", "Key": {"pk": {"S": "a"}}, **more}
        return int(engine.call("GetItem", body)["Item"]["n"]["N"])

    return read


def _only(operation: str, **body: Any) -> Read:
    def read(engine: Engine) -> int:
        [item] = engine.call(operation, body)["Items"]
        return int(item["n"]["N"])

    return read


def _batch(**more: Any) -> Read:
    def read(engine: Engine) -> int:
        wanted = {"things": {"Keys": [{"pk": {"S": "a"}}], **more}}
        [item] = engine.call("BatchGetItem", {"RequestItems": wanted})["Responses"]["things"]
        return int(item["n"]["N"])

    return read


def _transaction(engine: Engine) -> int:
    get = {"Get": {"TableName": "things", "Key": {"pk": {"S": "a"}}}}
    [found] = engine.call("TransactGetItems", {"TransactItems": [get]})["Responses"]
    return int(found["Item"]["n"]["N"])


SAME = "pk = :pk"
VALUES = {":pk": {"S": "a"}}
TABLE = {"TableName": "things", "KeyConditionExpression": SAME, "ExpressionAttributeValues": VALUES}
BY_G = {**TABLE, "IndexName": "by_g", "KeyConditionExpression": "g = :pk"}
STATEMENT = "SELECT * FROM things WHERE pk = 'a'"
LAGGING = {
    "GetItem": _get(),
    "Query": _only("Query", **TABLE),
    "Scan": _only("Scan", TableName="things"),
    "BatchGetItem": _batch(),
    "ExecuteStatement": _only("ExecuteStatement", Statement=STATEMENT),
    "index": _only("Query", **BY_G),
    "scan of an index": _only("Scan", TableName="things", IndexName="by_g"),
}
CURRENT = {
    "GetItem": _get(ConsistentRead=True),
    "Query": _only("Query", **TABLE, ConsistentRead=True),
    "Scan": _only("Scan", TableName="things", ConsistentRead=True),
    "BatchGetItem": _batch(ConsistentRead=True),
    "ExecuteStatement": _only("ExecuteStatement", Statement=STATEMENT, ConsistentRead=True),
    "TransactGetItems": _transaction,
}


@pytest.fixture(params=["memory", "file"])
def things(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Any:
    """Give an engine, in memory and in a file, with a table and an index."""
    path = tmp_path / "things.db" if request.param == "file" else None
    with Engine(path, durable=False, clock=clock) as engine:
        create(
            engine,
            AttributeDefinitions=definitions("pk", "g"),
            GlobalSecondaryIndexes=[index("by_g", "g")],
        )
        yield engine


def _write(engine: Engine, number: int) -> None:
    item = {"pk": {"S": "a"}, "g": {"S": "a"}, "n": {"N": str(number)}}
    engine.call("PutItem", {"TableName": "things", "Item": item})


def _lags(engine: Engine, read: Read) -> list[int]:
    """Read behind each of some writes, and give how many of them each read has not seen."""
    hard = engine.under(Hardships(lag=LAG, seed=3))
    _write(hard, 0)
    lags = []
    for number in range(1, 40):
        _write(hard, number)
        lags.append(number - read(hard))
    return lags


@pytest.mark.parametrize("read", LAGGING.values(), ids=LAGGING)
def test_a_read_may_miss_the_last_writes(read: Read, things: Engine) -> None:
    lags = _lags(things, read)
    assert 0 in lags
    assert 0 < max(lags) <= LAG


@pytest.mark.parametrize("read", CURRENT.values(), ids=CURRENT)
def test_a_consistent_read_misses_nothing(read: Read, things: Engine) -> None:
    assert set(_lags(things, read)) == {0}


def test_what_lags_comes_to_see_all(things: Engine) -> None:
    hard = things.under(Hardships(lag=LAG))
    for number in range(10):
        _write(hard, number)
    assert [_get()(hard) for _ in range(LAG + 2)][-1] == 9


def test_a_table_and_its_index_may_disagree(things: Engine) -> None:
    hard = things.under(Hardships(lag=LAG))
    _write(hard, 0)
    disagreed = 0
    for number in range(40):
        _write(hard, number)
        disagreed += _get()(hard) != LAGGING["index"](hard)
    assert disagreed


def test_a_table_that_is_new_is_found(things: Engine) -> None:
    hard = things.under(Hardships(lag=100))
    _write(hard, 0)
    assert _get()(hard) == 0
    create(hard, TableName="others")
    assert hard.call("Scan", {"TableName": "others"})["Items"] == []


def test_an_index_that_is_new_is_found(engine: Engine) -> None:
    create(engine)
    hard = engine.under(Hardships(lag=100))
    assert hard.call("Scan", {"TableName": "things"})["Count"] == 0
    made = {"Create": index("by_g", "g")}
    more = {"AttributeDefinitions": definitions("g"), "GlobalSecondaryIndexUpdates": [made]}
    hard.call("UpdateTable", {"TableName": "things", **more})
    by_g = {"TableName": "things", "IndexName": "by_g"}
    assert hard.call("Scan", by_g)["Count"] == 0


def test_threads_may_share_what_lags(things: Engine) -> None:
    """One holds the engine's lock when it reads, as the server does, another does not."""
    hard = things.under(Hardships(lag=1))
    _write(hard, 0)

    def read(number: int) -> int:
        if number % 2 and hard.in_memory:
            with things._db.storage.lock:
                return _get()(hard)
        return _get()(hard)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(read, range(400), timeout=60)) == {0}


def test_a_thread_sees_what_it_writes_together(things: Engine) -> None:
    hard = things.under(Hardships(lag=100))
    _write(hard, 0)
    assert _get()(hard) == 0
    with hard.together():
        _write(hard, 1)
        assert _get()(hard) == 1
