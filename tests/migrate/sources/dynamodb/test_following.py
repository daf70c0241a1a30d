"""Changes are told from before the copy on, each in its order; what may be missing is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import repeat
from typing import Any

import pytest

from singletable import UsageError
from singletable.backends import Backend
from singletable.backends.address import as_backend
from singletable.engine import Engine
from singletable.errors import Unreachable
from singletable.migrate.sources.dynamodb import UNTYPED, DynamoSource
from singletable.migrate.sources.dynamodb.following import Follower
from singletable.migrate.sources.errors import ChangesLost, SourceUnusable
from singletable.migrate.sources.source import Changed

from .support import create, put

HOUR = 3600.0
IMAGES: dict[str, Any] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.time = 1_772_366_400.0

    def __call__(self) -> float:
        return self.time

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time, UTC)


def drained(source: DynamoSource, position: str, limit: int = 1000) -> tuple[list[Changed], str]:
    """Give all changes after a position."""
    changes: list[Changed] = []
    while True:
        more, position = source.changes(position, limit)
        if not more:
            return changes, position
        assert len(more) <= limit
        changes += more


def stream(backend: Backend, table: str) -> dict[str, Any]:
    described = backend.call("DescribeTable", {"TableName": table})["Table"]
    found: dict[str, Any] = described.get("StreamSpecification", {})
    return found


def turn(backend: Backend, table: str, *, on: bool) -> None:
    how = IMAGES if on else {"StreamEnabled": False}
    backend.call("UpdateTable", {"TableName": table, "StreamSpecification": how})


def test_changes_are_told_with_what_was_there_before(backend: Backend) -> None:
    create(backend, "things", "id", "n:N")
    put(backend, "things", id="a", n=1, text="old")
    source = DynamoSource(backend)
    begun = source.begin()
    assert source.begin() == begun
    put(backend, "things", id="a", n=1, text="new")
    put(backend, "things", id="b", n=2, raw=b"\x00")
    key = {"id": {"S": "b"}, "n": {"N": "2"}}
    backend.call("DeleteItem", {"TableName": "things", "Key": key})
    changes, after = drained(source, begun)
    old = {"id": "a", "n": 1, "text": "old"}
    assert changes == [
        Changed("things", ("a", 1), old),
        Changed("things", ("b", 2), None),
        Changed("things", ("b", 2), {"id": "b", "n": 2, "raw": b"\x00"}),
    ]
    assert drained(source, after)[0] == []
    assert source.backlog(begun) == 3
    assert source.backlog(after) == 0


def test_a_position_is_gone_on_from_by_anybody(backend: Backend) -> None:
    create(backend, "one", "id")
    create(backend, "two", "id:N")
    position = DynamoSource(backend).begin()
    for n in range(10):
        put(backend, "one", id=str(n))
        put(backend, "two", id=n)
    told: list[Changed] = []
    while True:
        more, position = DynamoSource(backend).changes(position, 3)
        if not more:
            break
        assert len(more) <= 3
        told += more
        json.loads(position)
    assert [one.id for one in told if one.kind == "one"] == [(str(n),) for n in range(10)]
    assert [one.id for one in told if one.kind == "two"] == [(n,) for n in range(10)]


def test_a_stream_that_was_off_is_off_in_the_end(backend: Backend) -> None:
    create(backend, "off", "id")
    create(backend, "was_on", "id", StreamSpecification=IMAGES)
    source = DynamoSource(backend)
    position = source.begin()
    assert stream(backend, "off") == stream(backend, "was_on") == IMAGES
    DynamoSource(backend).end()
    assert stream(backend, "off") == IMAGES, "whoever has not begun it does not end it"
    DynamoSource(backend).end(position)
    assert stream(backend, "off") == {}
    assert stream(backend, "was_on") == IMAGES
    source.end()
    assert stream(backend, "was_on") == IMAGES


def test_one_who_read_changes_knows_what_to_end(memory: Backend) -> None:
    create(memory, "off", "id")
    position = DynamoSource(memory).begin()
    other = DynamoSource(memory)
    other.changes(position, 10)
    other.end()
    assert stream(memory, "off") == {}


def test_what_a_stream_had_before_is_not_told(backend: Backend) -> None:
    create(backend, "things", "id:N", StreamSpecification=IMAGES)
    for n in range(30):
        put(backend, "things", id=n)
    source = DynamoSource(backend)
    position = source.begin()
    for n in range(30, 35):
        put(backend, "things", id=n)
    assert [one.id for one in drained(source, position, 2)[0]] == [(n,) for n in range(30, 35)]


@pytest.mark.parametrize("view", ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE"])
def test_a_stream_without_all_images_is_refused(memory: Backend, view: str) -> None:
    how = {"StreamEnabled": True, "StreamViewType": view}
    create(memory, "first", "id")
    create(memory, "things", "id", StreamSpecification=how)
    with pytest.raises(SourceUnusable, match=f"'things' has {view}, and to be followed it needs"):
        DynamoSource(memory).begin()
    assert stream(memory, "first") == {}, "it is seen before anything is turned on"


def test_types_are_told_as_they_were_and_as_they_are(memory: Backend) -> None:
    create(memory, "app", "id")
    source = DynamoSource(memory, table="app", type_attribute="T")
    position = source.begin()
    put(memory, "app", id="1", T="User")
    put(memory, "app", id="1", T="Admin")
    put(memory, "app", id="2")
    memory.call("DeleteItem", {"TableName": "app", "Key": {"id": {"S": "1"}}})
    assert drained(source, position)[0] == [
        Changed("User", ("1",), None),
        Changed("User", ("1",), {"id": "1", "T": "User"}),
        Changed("Admin", ("1",), None),
        Changed(UNTYPED, ("2",), None),
        Changed("Admin", ("1",), {"id": "1", "T": "Admin"}),
    ]


def test_changes_of_types_that_are_not_named_are_passed_over(memory: Backend) -> None:
    create(memory, "app", "id")
    source = DynamoSource(memory, table="app", type_attribute="T", types=["User"])
    position = source.begin()
    for number in range(5):
        put(memory, "app", id=str(number), T="Other")
    put(memory, "app", id="1", T="User")
    assert source.backlog(position) == 1
    changes, position = source.changes(position, 2)
    assert changes == [Changed("User", ("1",), None)]
    put(memory, "app", id="2", T="Other")
    assert source.backlog(position) == 0
    assert source.changes(position, 2)[0] == []


def test_types_that_are_not_named_may_be_written_without_a_rest(
    memory: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(memory, "app", "id")
    clock = iter(map(datetime.fromtimestamp, range(100), repeat(UTC)))
    source = DynamoSource(
        memory, table="app", type_attribute="T", types=["User"], clock=clock.__next__
    )
    position, reads, whole = source.begin(), iter(range(100)), Follower.read

    def read(follower: Follower, *given: Any) -> Any:
        put(memory, "app", id=str(next(reads)), T="Other")
        return whole(follower, *given)

    monkeypatch.setattr(Follower, "read", read)
    assert source.changes(position, 5)[0] == []


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=[1, 3])
def engine(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Engine]:
    """Give an engine whose streams have one shard, or three."""
    with Engine(clock=clock, stream_shards=request.param) as made:
        yield made


@pytest.mark.parametrize("on", [True, False])
def test_shards_are_read_after_their_parents(engine: Engine, clock: Clock, on: bool) -> None:
    backend = as_backend(engine)
    how: dict[str, Any] = {"StreamSpecification": IMAGES} if on else {}
    create(backend, "things", "id", "n:N", **how)
    put(backend, "things", id="before", n=0)
    clock.time += 4.5 * HOUR
    put(backend, "things", id="before", n=1)
    position = DynamoSource(engine, clock=clock.now).begin()
    for n in range(40):
        put(backend, "things", id=f"x{n % 4}", n=n)
        clock.time += 0.45 * HOUR if n % 2 else 0
    told: list[Changed] = []
    source = DynamoSource(engine, clock=clock.now)
    while len(told) < 40:
        more, position = source.changes(position, 7)
        assert more
        told += more
    for name in ("x0", "x1", "x2", "x3"):
        numbers = [one.id[1] for one in told if one.id[0] == name]
        assert numbers == sorted(numbers)
    assert len({one.id for one in told}) == 40


def test_it_follows_for_days_and_its_position_stays_small(engine: Engine, clock: Clock) -> None:
    backend = as_backend(engine)
    create(backend, "things", "id:N")
    source = DynamoSource(engine, clock=clock.now)
    position = source.begin()
    told: list[Changed] = []
    for n in range(60):
        put(backend, "things", id=n)
        clock.time += 2 * HOUR
        if n % 3 == 0:
            changes, position = drained(source, position)
            told += changes
    told += drained(source, position)[0]
    assert sorted(one.id for one in told) == [(n,) for n in range(60)]
    assert len(position) < 4000


def test_a_position_that_is_a_day_old_is_refused(engine: Engine, clock: Clock) -> None:
    create(as_backend(engine), "things", "id")
    source = DynamoSource(engine, clock=clock.now)
    position = source.begin()
    clock.time += 23 * HOUR
    later = source.changes(position, 10)[1]
    clock.time += 2 * HOUR
    source.changes(later, 10)
    with pytest.raises(ChangesLost, match="24 hours ago or more"):
        source.changes(position, 10)


def test_changes_that_were_gone_before_they_were_read_are_an_error(
    engine: Engine, clock: Clock
) -> None:
    """The clock of who follows need not be that of the stream: what is gone shows all the same."""
    backend = as_backend(engine)
    create(backend, "things", "id:N")
    stands = clock.now()
    source = DynamoSource(engine, clock=lambda: stands)
    position = source.begin()
    for n in range(12):
        put(backend, "things", id=n)
    some = source.changes(position, 1)[1]
    for n in range(12, 100):
        put(backend, "things", id=n)
        clock.time += 0.5 * HOUR
    for old in (position, some):
        for who in (source, DynamoSource(engine, clock=lambda: stands)):
            with pytest.raises(ChangesLost, match="'things' are gone before they were read"):
                drained(who, old)


@pytest.mark.parametrize("on_again", [False, True])
def test_a_stream_that_was_turned_off_meanwhile_is_an_error(
    backend: Backend, on_again: bool
) -> None:
    create(backend, "things", "id")
    source = DynamoSource(backend)
    position = source.begin()
    turn(backend, "things", on=False)
    if on_again:
        turn(backend, "things", on=True)
    with pytest.raises(ChangesLost, match="'things' was turned off"):
        source.changes(position, 10)


def test_a_table_that_was_not_begun_with_is_an_error(memory: Backend) -> None:
    create(memory, "one", "id")
    position = DynamoSource(memory, ["one"]).begin()
    create(memory, "two", "id")
    with pytest.raises(ChangesLost, match="'two' is not in the position"):
        DynamoSource(memory).changes(position, 10)


def test_what_is_no_position_is_refused(memory: Backend) -> None:
    for text in ("", "{}", '{"read": 1, "tables": {}}', "[]"):
        with pytest.raises(UsageError, match="no position"):
            DynamoSource(memory).changes(text, 10)


class Between:
    """A backend whose reads of streams can fail, or give nothing for a while."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.fails_at = 0
        self.empty = 0
        self.reads = 0

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation == "GetRecords":
            self.reads += 1
            if self.reads == self.fails_at:
                raise Unreachable("gone for a moment")
            if self.empty:
                self.empty -= 1
                return {"Records": [], "NextShardIterator": request["ShardIterator"]}
        return self._backend.call(operation, request)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return self.call(operation, request)

    def close(self) -> None:
        self._backend.close()

    async def aclose(self) -> None:
        self.close()


@pytest.mark.parametrize("fails_at", range(1, 7))
def test_a_read_that_fails_loses_nothing(engine: Engine, clock: Clock, fails_at: int) -> None:
    between = Between(as_backend(engine))
    create(between, "things", "id:N")
    source = DynamoSource(between, clock=clock.now)
    position = source.begin()
    for n in range(30):
        put(between, "things", id=n)
    between.fails_at = fails_at
    told: list[Changed] = []
    failed = 0
    while len(told) < 30:
        try:
            more, position = source.changes(position, 5)
        except Unreachable:
            failed += 1
        else:
            assert more
            told += more
    assert failed == 1
    assert sorted(one.id for one in told) == [(n,) for n in range(30)]


def test_a_read_without_records_is_not_the_end(memory: Backend) -> None:
    between = Between(memory)
    create(between, "things", "id")
    source = DynamoSource(between)
    position = source.begin()
    put(between, "things", id="1")
    between.empty = 3
    assert [one.id for one in source.changes(position, 5)[0]] == [("1",)]


def test_time_is_kept_to_the_retention_of_a_stream() -> None:
    from singletable.engine.streams import RETENTION_SECONDS
    from singletable.migrate.sources.dynamodb.positions import RETENTION

    assert timedelta(seconds=RETENTION_SECONDS) == RETENTION
