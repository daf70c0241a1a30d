"""Connections, snapshots, transactions; and files that are not what they should be."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from singletable.engine import Engine
from singletable.engine.connections import APPLICATION_ID, Connection
from singletable.engine.storage import Storage
from singletable.errors import (
    DatabaseCorrupt,
    DatabaseUnusable,
    InternalServerError,
    SingletableError,
)
from tests.databases import sqlite_database
from tests.engine.support import create, keys, put


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give the path of a database with a table and an item, closed."""
    path = tmp_path / "database"
    with Engine(path, durable=False) as engine:
        create(engine)
        put(engine, "things", "a")
    return path


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    """Give a storage with one number in it."""
    storage = Storage(str(tmp_path / "storage"), durable=False)
    with storage.write() as tx:
        tx.execute("CREATE TABLE numbers (number INTEGER)")
        tx.execute("INSERT INTO numbers VALUES (1)")
    yield storage
    storage.close()


def number_in(tx: Connection) -> int:
    (number,) = tx.execute("SELECT number FROM numbers").fetchone()
    return int(number)


def set_number(storage: Storage, number: int) -> None:
    with storage.write() as tx:
        tx.execute("UPDATE numbers SET number = ?", (number,))


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 0)])
def test_the_file_is_in_wal_mode_and_fully_synchronous_unless_asked(
    tmp_path: Path, durable: bool, level: int
) -> None:
    storage = Storage(str(tmp_path / "database"), durable=durable)
    for open_one in (storage.write, storage.read):
        with open_one() as tx:
            assert tx.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert tx.execute("PRAGMA synchronous").fetchone() == (level,)
    storage.close()


def test_a_block_that_raises_writes_nothing_and_the_next_one_works(storage: Storage) -> None:
    def fail() -> None:
        with storage.write() as tx:
            tx.execute("UPDATE numbers SET number = 2")
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            fail()
    with storage.read() as tx:
        assert number_in(tx) == 1
    set_number(storage, 3)
    assert storage.fetchone("SELECT number FROM numbers", ()) == (3,)


def test_a_reader_sees_one_moment_and_does_not_wait_for_the_writer(storage: Storage) -> None:
    with storage.read() as reader, ThreadPoolExecutor(1) as pool:
        assert number_in(reader) == 1
        pool.submit(set_number, storage, 2).result(timeout=60)
        assert number_in(reader) == 1
    with storage.write() as tx, ThreadPoolExecutor(1) as pool:
        tx.execute("UPDATE numbers SET number = 3")
        read = pool.submit(storage.fetchone, "SELECT number FROM numbers", ())
        assert read.result(timeout=60) == (2,)


def test_calls_that_fail_use_up_no_connections(path: Path) -> None:
    opened = []

    def connect(path: str) -> Connection:
        opened.append(path)
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False)

    with Engine(path, connect=connect, ttl_interval=None) as engine:
        for _ in range(20):
            with pytest.raises(engine.exceptions.ResourceNotFoundException):
                engine.call("DescribeTable", {"TableName": "no-such-table"})
    # One that writes, one that reads.
    assert len(opened) == 2


def test_an_engine_that_is_closed_says_so(path: Path) -> None:
    engine = Engine(path)
    engine.close()
    engine.close()
    for call in (lambda: keys(engine, "things"), lambda: put(engine, "things", "b")):
        with pytest.raises(SingletableError, match="the engine is closed"):
            call()


@pytest.mark.parametrize("in_file", [True, False], ids=["file", "memory"])
def test_an_engine_may_be_closed_under_those_who_use_it(path: Path, in_file: bool) -> None:
    """Calls under way end well; the next ones are told."""
    engine = Engine(path if in_file else None, durable=False)
    if not in_file:
        create(engine)
    started = threading.Barrier(5)

    def use() -> None:
        started.wait(60)
        while True:
            put(engine, "things", "b", note={"S": "x" * 10_000})
            keys(engine, "things")

    with ThreadPoolExecutor(4) as pool:
        users = [pool.submit(use) for _ in range(4)]
        started.wait(60)
        engine.close()
        for user in users:
            with pytest.raises(SingletableError, match="the engine is closed"):
                user.result(timeout=60)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 1000)
    with pytest.raises(DatabaseCorrupt, match=rf"{path} cannot be read .*give another path"):
        Engine(path)
    assert path.read_text() == "Dear diary, " * 1000


@pytest.mark.parametrize("kept", [0.9, 0.5, 0.1])
def test_a_file_that_was_cut_short_is_refused(path: Path, kept: float) -> None:
    size = path.stat().st_size
    os.truncate(path, int(size * kept))
    with pytest.raises(DatabaseCorrupt, match=rf"{path} cannot be read .*from a backup"):
        Engine(path)


def test_an_item_that_is_damaged_is_told_as_the_files_damage(path: Path) -> None:
    """SQLite keeps no checksums, and so takes the bytes for good."""
    with Engine(path, ttl_interval=None) as engine:
        with engine._db.storage.write() as tx:
            tx.execute(f"UPDATE {engine._db.table('things').rows} SET item = ?", (b'{"pk":\xff}',))
        named = {"TableName": "things", "Key": {"pk": {"S": "a"}}}
        for operation in ("GetItem", "UpdateItem"):
            with pytest.raises(DatabaseCorrupt, match=rf"{path} cannot be read .*from a backup"):
                engine.call(operation, named)
        put(engine, "things", "c")


def test_a_schema_that_is_damaged_is_told_as_the_files_damage(path: Path) -> None:
    """SQLite's message quotes what is no text any more."""
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE meta", b"CREATE TABLE \xff\xfe\xfda"))
    with pytest.raises(DatabaseCorrupt, match=rf"{path} cannot be read .*from a backup"):
        Engine(path)


def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "their.db"
    with sqlite_database(path) as theirs:
        theirs.execute("CREATE TABLE meta (theirs TEXT)")
    before = path.read_bytes()
    with pytest.raises(DatabaseCorrupt, match=rf"{path} is the database of another program"):
        Engine(path)
    assert path.read_bytes() == before


def test_a_format_of_the_future_is_refused_and_left_alone(path: Path) -> None:
    later = sqlite3.connect(path, isolation_level=None)
    later.execute("UPDATE meta SET value = 99 WHERE name = 'format'")
    later.execute("ALTER TABLE shards RENAME TO bits")
    later.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseCorrupt, match=rf"{path} has format 99, .* use the version that"):
        Engine(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path], "a connection was left open"


def test_a_path_that_cannot_be_opened_is_named_with_what_to_do(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "such" / "folder", tmp_path):
        with pytest.raises(
            DatabaseUnusable, match=rf"{path} cannot be opened .*folder that exists"
        ):
            Engine(path)


def test_a_path_is_meant_for_good_wherever_the_process_changes_to(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers open the file when they are first needed."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(path.parent)
    with Engine(path.name) as engine:
        monkeypatch.chdir(elsewhere)
        with engine._db.storage.read(), engine._db.storage.read():
            assert keys(engine, "things") == {"a"}
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["file:x?mode=memory", "a?b", "a#b", "a%20b", "a\nb", os.fsdecode(b"\xff")]
)
def test_a_name_is_a_name_whatever_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Engine(name) as engine:
        create(engine)
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_what_came_into_the_place_of_the_file_is_not_read(path: Path, is_replaced: bool) -> None:
    """Nor does a new file come there because one reads."""
    other = path.with_name("other")
    Engine(other).close()
    with Engine(path) as engine, engine._db.storage.read():
        with suppress(IndexError):
            engine._db.storage._idle_readers.pop().close()
        path.rename(path.with_name("moved"))
        if is_replaced:
            other.rename(path)
        with pytest.raises(DatabaseUnusable, match=f"{path} was removed or replaced"):
            keys(engine, "things")
        assert path.exists() == is_replaced


def open_as_nobody(path: Path) -> str:
    """Open a database without the rights of root; give the error."""
    if os.geteuid() == 0:
        os.seteuid(65534)
    try:
        Engine(path).close()
    except DatabaseUnusable as error:
        return str(error)
    return "opened"


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_a_file_that_may_only_be_read_is_named_with_what_to_do(path: Path, mode: int) -> None:
    """In a process of its own, which gives up the rights of root where it has them."""
    with TemporaryDirectory() as folder, get_context("spawn").Pool(1) as pool:
        Path(folder).chmod(mode)
        copy = Path(shutil.copy(path, folder))
        copy.chmod(0o444)
        said = pool.apply(open_as_nobody, (copy,))
    assert f"{copy} cannot be opened" in said
    assert "the file and its folder must be writable" in said


def test_opening_a_new_file_waits_for_others_who_are_at_it(tmp_path: Path) -> None:
    """SQLite does not wait by itself when a file is turned to WAL."""
    path = tmp_path / "database"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    other.execute("BEGIN")
    other.execute("SELECT * FROM sqlite_master").fetchall()
    timer = threading.Timer(0.2, other.close)
    timer.start()
    with Engine(path) as engine:
        create(engine)
    timer.join()


def test_a_writer_that_waits_too_long_is_told(path: Path) -> None:
    def connect(path: str) -> Connection:
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0.01)

    with Engine(path, connect=connect, ttl_interval=None) as engine:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InternalServerError, match="nothing was written: database is locked"):
            put(engine, "things", "b")
        assert keys(engine, "things") == {"a"}
        other.execute("ROLLBACK")
        other.close()
        put(engine, "things", "b")
