"""Threads share an engine and processes share a file: counts are exact, definitions never stale."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.schema import Table
from singletable.errors import (
    ConditionalCheckFailedException,
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)
from tests.crash.audit import audit, contents
from tests.crash.workload import CREATE, TABLE
from tests.engine.support import create, definitions, index, key_schema, keys, put

ROOT = Path(__file__).parents[2]
THREADS = 8
PROCESSES = 3
ROUNDS = 40

COUNTER = {"pk": {"S": "shared"}, "sk": {"S": "counter"}}
VERSIONED = {"pk": {"S": "shared"}, "sk": {"S": "versioned"}}


def open_engine(path: Path | None) -> Engine:
    return Engine(path, durable=False, ttl_interval=None)


def work(engine: Engine, name: str) -> None:
    """Write in every way; each round counts up by two, and by one on condition."""
    with suppress(ResourceInUseException):
        engine.call("CreateTable", CREATE)
    for number in range(ROUNDS):
        mine = {"pk": {"S": name}, "sk": {"S": f"{number:03d}"}, "n": {"N": str(number)}}
        engine.call("PutItem", {"TableName": TABLE, "Item": {**mine, "color": {"S": "red"}}})
        update = {
            "TableName": TABLE,
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
        engine.call("UpdateItem", {**update, "Key": COUNTER})
        _count_up_by_version(engine)
        other = {"pk": {"S": name}, "sk": {"S": f"other-{number}"}}
        actions = [{"Update": {**update, "Key": COUNTER}}, {"Update": {**update, "Key": other}}]
        engine.call("TransactWriteItems", {"TransactItems": actions})
        writes = [{"DeleteRequest": {"Key": other}}]
        engine.call("BatchWriteItem", {"RequestItems": {TABLE: writes}})
        _see_own_items(engine, name, number + 1)


def _count_up_by_version(engine: Engine) -> None:
    """Read, and write on the condition that nobody wrote since, until that comes true."""
    while True:
        found = engine.call("GetItem", {"TableName": TABLE, "Key": VERSIONED}).get("Item")
        n = int(found["n"]["N"]) if found else 0
        request = {
            "TableName": TABLE,
            "Item": {**VERSIONED, "n": {"N": str(n + 1)}},
            "ConditionExpression": "n = :n OR :n = :zero AND attribute_not_exists(pk)",
            "ExpressionAttributeValues": {":n": {"N": str(n)}, ":zero": {"N": "0"}},
        }
        with suppress(ConditionalCheckFailedException):
            engine.call("PutItem", request)
            return


def _see_own_items(engine: Engine, name: str, count: int) -> None:
    """Read by an index what this one alone writes: always as of its own last write."""
    answer = engine.call(
        "Query",
        {
            "TableName": TABLE,
            "IndexName": "by_n",
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": name}},
        },
    )
    assert [item["n"]["N"] for item in answer["Items"]] == [str(n) for n in range(count)]


def check_counts(engine: Engine, workers: int) -> None:
    rounds = workers * ROUNDS
    found = contents(engine, TABLE)
    assert len(found) == rounds + 2
    by_key = {item["sk"]["S"]: item for item in found.values() if item["pk"]["S"] == "shared"}
    assert by_key["counter"]["n"]["N"] == str(2 * rounds)
    assert by_key["versioned"]["n"]["N"] == str(rounds)
    audit(engine)


@pytest.mark.parametrize("name", ["database", None], ids=["file", "memory"])
def test_threads_that_share_an_engine_count_exactly(tmp_path: Path, name: str | None) -> None:
    with open_engine(tmp_path / name if name else None) as engine:
        with ThreadPoolExecutor(THREADS) as pool:
            done = [pool.submit(work, engine, f"worker-{each}") for each in range(THREADS)]
        _results(done)
        check_counts(engine, THREADS)


@pytest.fixture
def processes() -> Iterator[ProcessPoolExecutor]:
    """Processes that begin from nothing, as programs of users do."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        yield pool


def test_processes_that_share_a_file_count_exactly(
    tmp_path: Path, processes: ProcessPoolExecutor
) -> None:
    """They also make the file and the table together: whoever comes first."""
    path = tmp_path / "database"
    _results([processes.submit(alone, path, work, f"worker-{n}") for n in range(PROCESSES)])
    with open_engine(path) as engine:
        check_counts(engine, PROCESSES)


def test_a_process_that_forks_loses_nothing_and_is_told_to_open_its_own_engine(
    tmp_path: Path,
) -> None:
    """SQLite's locks do not survive a fork: writes of the child would vanish with the parent."""
    path = tmp_path / "database"
    command = [sys.executable, "-m", "tests.crash.forking", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.endswith("before this process forked: open one in each process")
    with open_engine(path) as engine:
        assert keys(engine, "things") == {"parent", "parent again", "early", "late"}
        audit(engine)


@pytest.mark.parametrize("path", ["database", ":memory:"])
def test_a_forked_process_is_told_at_once_whoever_was_writing(path: str, tmp_path: Path) -> None:
    """The lock of a thread that did not come along would be waited for without end."""
    place = path if path == ":memory:" else str(tmp_path / path)
    command = [sys.executable, "-m", "tests.crash.forking_at_work", place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    read, written, closed = done.stdout.splitlines()
    assert read == written
    assert "opened before this process forked" in read
    assert read.endswith("share a file" if path == ":memory:" else "open one in each process")
    assert closed == "closed"


def change_tables(engine: Engine, rounds: int) -> None:
    """Add an index and drop it, drop the table and make it again."""
    for _ in range(rounds):
        _add_index(engine)
        drop = {"Delete": {"IndexName": "by_size"}}
        engine.call("UpdateTable", {"TableName": TABLE, "GlobalSecondaryIndexUpdates": [drop]})
        _add_index(engine)
        engine.call("DeleteTable", {"TableName": TABLE})
        engine.call("CreateTable", CREATE)
    _add_index(engine)


def _add_index(engine: Engine, table_name: str = TABLE) -> None:
    engine.call(
        "UpdateTable",
        {
            "TableName": table_name,
            "AttributeDefinitions": definitions("size:N"),
            "GlobalSecondaryIndexUpdates": [{"Create": index("by_size", "size")}],
        },
    )


def write_meanwhile(engine: Engine, name: str, rounds: int) -> int:
    """Put items and read them by the index that comes and goes; give how many were put.

    It goes on until it has put one: on a busy machine the table may be away all the while.
    """
    written = 0
    for number in count():
        if number >= rounds and written:
            break
        key = {"pk": {"S": name}, "sk": {"S": str(number)}}
        item = {**key, "size": {"N": "1"}, "n": {"N": str(number)}}
        with suppress(ResourceNotFoundException):
            engine.call("PutItem", {"TableName": TABLE, "Item": item})
            written += 1
            engine.call("GetItem", {"TableName": TABLE, "Key": key})
        with suppress(ResourceNotFoundException, ValidationException):
            engine.call("Scan", {"TableName": TABLE, "IndexName": "by_size", "Limit": 5})
    return written


def check_index(engine: Engine) -> None:
    audit(engine)
    assert contents(engine, TABLE, IndexName="by_size") == contents(engine, TABLE)


@pytest.mark.parametrize("name", ["database", None], ids=["file", "memory"])
def test_a_thread_may_change_tables_while_others_use_them(tmp_path: Path, name: str | None) -> None:
    with open_engine(tmp_path / name if name else None) as engine:
        engine.call("CreateTable", CREATE)
        with ThreadPoolExecutor(THREADS) as pool:
            changing = pool.submit(change_tables, engine, 15)
            writing = [pool.submit(write_meanwhile, engine, f"w{n}", 200) for n in range(4)]
        _results([changing])
        assert all(written > 0 for written in _results(writing))
        check_index(engine)


def alone(path: Path, function: Callable[..., Any], *arguments: Any) -> Any:
    """Open the database in this process and do something with it."""
    with open_engine(path) as engine:
        return function(engine, *arguments)


def test_a_process_may_change_tables_while_others_use_them(
    tmp_path: Path, processes: ProcessPoolExecutor
) -> None:
    path = tmp_path / "database"
    with open_engine(path) as engine:
        engine.call("CreateTable", CREATE)
    changing = processes.submit(alone, path, change_tables, 15)
    writing = [processes.submit(alone, path, write_meanwhile, f"w{n}", 800) for n in range(2)]
    _results([changing])
    assert all(written > 0 for written in _results(writing))
    with open_engine(path) as engine:
        check_index(engine)


def _results(done: list[Future[Any]]) -> list[Any]:
    return [each.result(timeout=120) for each in done]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Engine, Engine]]:
    """Two engines on one file, as in two processes; both know the table ``things``."""
    with open_engine(tmp_path / "database") as one, open_engine(tmp_path / "database") as other:
        create(one)
        put(one, "things", "a", size={"N": "1"})
        assert keys(other, "things") == {"a"}
        yield one, other


def test_an_index_added_elsewhere_gets_what_is_written_here(two: tuple[Engine, Engine]) -> None:
    one, other = two
    _add_index(one, "things")
    put(other, "things", "b", size={"N": "1"})
    assert keys(one, "things", IndexName="by_size") == {"a", "b"}
    audit(one)


def test_an_index_added_elsewhere_can_be_read_here(two: tuple[Engine, Engine]) -> None:
    """Even by one who never writes, and so never sees by itself that something changed."""
    one, other = two
    _add_index(one, "things")
    assert keys(other, "things", IndexName="by_size") == {"a"}


def test_a_table_made_anew_elsewhere_is_the_one_that_is_used_here(
    two: tuple[Engine, Engine],
) -> None:
    one, other = two
    one.call("DeleteTable", {"TableName": "things"})
    with pytest.raises(ResourceNotFoundException):
        keys(other, "things")
    create(one)
    assert keys(other, "things") == set()
    put(other, "things", "c")
    assert keys(one, "things") == {"c"}
    audit(one)


KEY = {"id": {"S": "1"}}
SELECT = {"Statement": "SELECT * FROM things WHERE id = '1'"}
READS: dict[str, dict[str, Any]] = {
    "GetItem": {"TableName": "things", "Key": KEY},
    "BatchGetItem": {"RequestItems": {"things": {"Keys": [KEY]}}},
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "things", "Key": KEY}}]},
    "Query": {
        "TableName": "things",
        "KeyConditionExpression": "id = :id",
        "ExpressionAttributeValues": {":id": KEY["id"]},
    },
    "ExecuteStatement": SELECT,
    "BatchExecuteStatement": {"Statements": [SELECT]},
    "ExecuteTransaction": {"TransactStatements": [SELECT]},
}


@pytest.mark.parametrize("operation", READS)
def test_a_table_made_anew_elsewhere_by_another_key_is_read_by_that(
    two: tuple[Engine, Engine], operation: str
) -> None:
    """The key that is known here would refuse the request before the table is looked at."""
    one, other = two
    one.call("DeleteTable", {"TableName": "things"})
    create(one, KeySchema=key_schema("id"), AttributeDefinitions=definitions("id"))
    one.call("PutItem", {"TableName": "things", "Item": {**KEY, "is": {"S": "found"}}})
    assert "found" in str(other.call(operation, READS[operation]))


def test_a_policy_goes_by_the_key_of_a_table_made_anew_elsewhere(
    two: tuple[Engine, Engine],
) -> None:
    one, other = two
    own = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["1"]}}
    allowed = {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": own}
    role = other.as_role({"Version": "2012-10-17", "Statement": [allowed]})
    one.call("DeleteTable", {"TableName": "things"})
    create(one, KeySchema=key_schema("id"), AttributeDefinitions=definitions("id"))
    assert role.call("GetItem", READS["GetItem"]) == {}


def test_an_index_made_anew_elsewhere_by_another_key_is_read_by_that(
    two: tuple[Engine, Engine],
) -> None:
    one, other = two
    _add_index(one, "things")
    assert keys(other, "things", IndexName="by_size") == {"a"}
    for change in ({"Delete": {"IndexName": "by_size"}}, {"Create": index("by_size", "color")}):
        update = {"TableName": "things", "AttributeDefinitions": definitions("color")}
        one.call("UpdateTable", {**update, "GlobalSecondaryIndexUpdates": [change]})
    put(one, "things", "b", color={"S": "red"})
    query = {
        "TableName": "things",
        "IndexName": "by_size",
        "KeyConditionExpression": "color = :red",
        "ExpressionAttributeValues": {":red": {"S": "red"}},
    }
    assert other.call("Query", query)["Count"] == 1


def test_what_is_refused_by_the_present_definition_stays_refused(
    two: tuple[Engine, Engine],
) -> None:
    one, other = two
    create(one, TableName="others")
    with pytest.raises(ValidationException, match="does not match the schema"):
        other.call("GetItem", READS["GetItem"])


def test_a_time_to_live_set_elsewhere_is_heeded_here(two: tuple[Engine, Engine]) -> None:
    one, other = two
    put(one, "things", "b", expires={"N": "1600000000"})
    setting = {"Enabled": True, "AttributeName": "expires"}
    one.call("UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": setting})
    put(one, "things", "c", expires={"N": str(int(time.time()) - 1)})
    assert other.expire() == 1
    assert keys(one, "things") == {"a", "b"}


def test_a_reader_that_is_slow_to_learn_a_definition_leaves_no_stale_one(
    two: tuple[Engine, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It read the definition before an index was added, and remembers it only afterwards."""
    one, other = two
    reading, go_on = threading.Event(), threading.Event()

    def slow(*definition: Any) -> Table:
        if threading.current_thread() is not threading.main_thread():
            reading.set()
            assert go_on.wait(60)
        return Table(*definition)

    monkeypatch.setattr("singletable.engine.catalog.Table", slow)
    other._db.catalog.forget()
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(keys, other, "things")
        assert reading.wait(60)
        _add_index(one, "things")
        put(other, "things", "b", size={"N": "1"})
        go_on.set()
        assert read.result(timeout=60) == {"a", "b"}
    put(other, "things", "c", size={"N": "1"})
    assert keys(one, "things", IndexName="by_size") == {"a", "b", "c"}
    audit(one)
