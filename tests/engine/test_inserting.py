"""Rows that are inserted many with each statement."""

import sqlite3
from collections.abc import Iterator

import pytest

from singletable.engine.inserting import ROWS_AT_ONCE, insert
from tests.databases import sqlite_database

UNLESS = "ON CONFLICT (name) DO NOTHING"


@pytest.fixture
def file() -> Iterator[sqlite3.Connection]:
    with sqlite_database(":memory:") as made:
        made.execute("CREATE TABLE things (name TEXT PRIMARY KEY, size INTEGER)")
        yield made


@pytest.mark.parametrize("count", [0, 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 3 * ROWS_AT_ONCE])
def test_all_rows_are_inserted_in_their_order(file: sqlite3.Connection, count: int) -> None:
    rows = [(f"{number}", number) for number in range(count)]
    assert insert(file.execute, "things", rows) == count
    assert file.execute("SELECT name, size FROM things ORDER BY rowid").fetchall() == rows


def test_some_columns_are_enough(file: sqlite3.Connection) -> None:
    insert(file.execute, "things (name)", [("one",), ("two",)])
    assert file.execute("SELECT * FROM things").fetchall() == [("one", None), ("two", None)]


def test_it_is_told_how_many_were_not_there(file: sqlite3.Connection) -> None:
    insert(file.execute, "things", [("7", 0), ("40", 0)])
    rows = [(f"{number}", number) for number in range(60)]
    assert insert(file.execute, "things", rows, UNLESS) == 58
    assert insert(file.execute, "things", rows, UNLESS) == 0
