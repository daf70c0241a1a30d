"""Signal handlers and callbacks in the midst of a call: what they write, and what they raise.

Python hears signals where a function begins and where one of C's has returned. A profiler is called
at the same places, and raises like a handler: so each of them is tried, not some by chance.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from singletable import Engine
from singletable.errors import SingletableError
from tests.crash.audit import audit
from tests.engine.support import create, definitions, index, keys, put

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
TABLE: dict[str, Any] = {
    "AttributeDefinitions": definitions("pk", "kind"),
    "GlobalSecondaryIndexes": [index("by_kind", "kind")],
    "StreamSpecification": STREAM,
}


class HandlerRaised(Exception):
    """What a signal handler raises, as for a time limit."""


@pytest.fixture(params=["file", "memory"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "t.db" if request.param == "file" else None
    with Engine(path, durable=False, ttl_interval=None) as made:
        create(made, **TABLE)
        yield made


@contextmanager
def interrupted(place: int, handler: Callable[[], None]) -> Iterator[list[int]]:
    """Have a handler called at the n-th place; the list is empty if there are not so many."""
    places, come = count(1), []

    def look(frame: FrameType, event: str, _: object) -> None:
        is_place = event in ("call", "c_return") and frame.f_code.co_name != "__del__"
        if is_place and next(places) == place:
            sys.setprofile(None)
            come.append(place)
            handler()

    sys.setprofile(look)
    try:
        yield come
    finally:
        sys.setprofile(None)


def put_twice(engine: Engine, number: int) -> None:
    """Put a new item and one that was there, whose entry in the index moves."""
    put(engine, "things", f"new-{number}", "old", kind={"S": str(number)})


def transact(engine: Engine, number: int) -> None:
    keys = {"new": f"new-{number}", "old": "old"}
    items = [{"pk": {"S": key}, "kind": {"S": str(number)}} for key in keys.values()]
    puts = [{"Put": {"TableName": "things", "Item": item}} for item in items]
    engine.call("TransactWriteItems", {"TransactItems": puts})


def write_together(engine: Engine, number: int) -> None:
    """Go on in the block after an interruption, as code with a time limit for each write does."""
    with engine.together():
        for write in (put_twice, transact):
            with suppress(HandlerRaised):
                write(engine, number)


def load(engine: Engine, number: int) -> None:
    names = (f"new-{number}", "old")
    items = [{"pk": {"S": name}, "kind": {"S": str(number)}} for name in names]
    engine.prepare("things", items).write()


def alter(engine: Engine, number: int) -> None:
    change = {"TableName": "things", "DeletionProtectionEnabled": bool(number % 2)}
    engine.call("UpdateTable", change)


WRITES = [put_twice, transact, write_together, load, alter]


@pytest.mark.parametrize("write", WRITES)
def test_a_call_that_a_handler_ends_leaves_nothing_open(
    engine: Engine, write: Callable[[Engine, int], None]
) -> None:
    """Wherever it is ended: others can write at once, and all that is derived is right."""

    def handler() -> None:
        raise HandlerRaised

    for place in count(1):
        with suppress(HandlerRaised, SingletableError), interrupted(place, handler) as come:
            write(engine, place)
        if not come:
            break
        other = threading.Thread(target=put, args=(engine, "things", "other"), daemon=True)
        other.start()
        other.join(20)
        assert not other.is_alive(), f"nobody else can write after an end at place {place}"
        put(engine, "things", "next")
    assert place > 100
    audit(engine)


@pytest.mark.parametrize("outer", WRITES)
@pytest.mark.parametrize("inner", [put_twice, write_together, alter])
def test_what_a_handler_writes_is_whole_or_refused_and_harms_nothing(
    engine: Engine,
    outer: Callable[[Engine, int], None],
    inner: Callable[[Engine, int], None],
) -> None:
    refused: list[str] = []

    def handler() -> None:
        try:
            inner(engine, 10**6 + place)
        except SingletableError as error:
            refused.append(str(error))

    for place in count(1, 3):
        with interrupted(place, handler) as come:
            outer(engine, place)
        if not come:
            break
    assert {text[:43] for text in refused} <= {
        "this thread is in the midst of another writ",
        "this thread writes together already: leave ",
    }
    assert 20 < len(refused) < place / 3
    audit(engine)


def test_a_handler_may_read_at_any_place(engine: Engine) -> None:
    put(engine, "things", "there")
    seen: list[set[str]] = []
    for place in count(1):
        with interrupted(place, lambda: seen.append(keys(engine, "things"))) as come:
            put_twice(engine, place)
        if not come:
            break
    assert all("there" in names for names in seen)
    assert len(seen) == place - 1


def test_a_handler_may_close_the_engine_in_the_midst_of_a_write(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the thread that deletes expired items waits for that very write."""
    monkeypatch.setattr("singletable.engine.sweeping.STOP_SECONDS_MAX", 0.1)

    def sweep() -> None:
        with suppress(SingletableError):
            put(engine, "things", "theirs")

    def close() -> None:
        with engine.together():
            sweeper.start()
            engine.close()

    sweeper = engine._sweeper._thread = threading.Thread(target=sweep, daemon=True)
    with pytest.raises(SingletableError):
        close()


def test_what_a_handler_closed_holds_no_other_up(tmp_path: Path) -> None:
    """SQLite would keep a write open, and its lock, as long as one statement is not at its end."""
    for place in count(1, 7):
        path = tmp_path / f"{place}.db"
        with Engine(path, durable=False, ttl_interval=None) as engine:
            create(engine, **TABLE)
            with suppress(SingletableError), interrupted(place, engine.close) as come:
                transact(engine, place)
            if not come:
                break
            with Engine(path, durable=False, ttl_interval=None) as other:
                put(other, "things", "next")
                audit(other)
    assert place > 300
