"""Rows into SQLite, many with each statement: to begin one takes about as long as to add a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Protocol

ROWS_AT_ONCE = 25
"""With more there is little to gain, and each number of rows is a statement to keep."""


class _Done(Protocol):
    @property
    def rowcount(self) -> int: ...


def insert(
    execute: Callable[[str, Any], _Done],
    into: str,
    rows: Sequence[tuple[Any, ...]],
    unless: str = "",
) -> int:
    """Insert rows into a table, or some columns of it; give how many were inserted."""
    count = 0
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        sql = _statement(into, len(some), len(some[0]), unless)
        count += execute(sql, [*chain.from_iterable(some)]).rowcount
    return count


@lru_cache(maxsize=1024)
def _statement(into: str, rows: int, columns: int, unless: str) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"INSERT INTO {into} VALUES {', '.join([row] * rows)} {unless}"
