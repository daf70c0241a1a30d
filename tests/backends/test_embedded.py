"""The embedded engine as a backend."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from singletable.backends.embedded import EmbeddedBackend
from singletable.engine import Engine

from .conftest import TABLE

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}
GET = {"TableName": "Music", "Key": KEY}
PUT = {"TableName": "Music", "Item": KEY}


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Engine]:
    """Give an engine on a file that has the table Music."""
    with Engine(tmp_path / "music.db") as engine:
        engine.call("CreateTable", TABLE)
        yield engine


def thread_of(engine: Engine, operation: str, request: dict[str, Any]) -> int:
    """Await an operation; tell which thread carried it out."""
    seen: list[int] = []

    def watched(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        seen.append(threading.get_ident())
        return {}

    with mock.patch.object(engine, "call", watched):
        asyncio.run(EmbeddedBackend(engine).acall(operation, request))
    [thread] = seen
    return thread


@pytest.mark.parametrize(("operation", "request_"), [("GetItem", GET), ("PutItem", PUT)])
def test_in_memory_nothing_waits_for_a_thread(
    engine: Engine, operation: str, request_: dict[str, Any]
) -> None:
    assert thread_of(engine, operation, request_) == threading.get_ident()


def test_a_file_is_read_at_once(file: Engine) -> None:
    assert thread_of(file, "GetItem", GET) == threading.get_ident()


def test_a_file_is_written_in_a_thread(file: Engine) -> None:
    assert thread_of(file, "PutItem", PUT) != threading.get_ident()


def test_a_writer_that_waits_does_not_stop_the_event_loop(file: Engine, tmp_path: Path) -> None:
    """Another process holds the file's lock; the event loop goes on, and lets go of it."""
    other = sqlite3.connect(tmp_path / "music.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def write_while_locked() -> None:
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(EmbeddedBackend(file).acall("PutItem", PUT))
            await asyncio.sleep(0.05)
            assert not writing.done()
            other.execute("ROLLBACK")

    asyncio.run(write_while_locked())
    other.close()
    assert file.call("GetItem", GET) == {"Item": KEY}


def test_closing_leaves_an_engine_open_that_is_not_owned(engine: Engine) -> None:
    backend = EmbeddedBackend(engine)
    backend.close()
    asyncio.run(backend.aclose())
    assert engine.call("ListTables", {}) == {"TableNames": ["Music"]}


@pytest.mark.parametrize("awaited", [False, True])
def test_closing_closes_an_engine_that_is_owned(awaited: bool) -> None:
    engine = Engine()
    backend = EmbeddedBackend(engine, owned=True)
    asyncio.run(backend.aclose()) if awaited else backend.close()
    with pytest.raises(Exception, match="closed"):
        engine.call("ListTables", {})
