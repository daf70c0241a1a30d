"""The speeds promised, and whether a measured row keeps them.

Ratios are like for like: memory against memory, file against file, the same operation and the
same number of threads in the same run.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ENGINE_TIMES_LOCAL = {
    "GetItem": 20.0,
    "Query": 15.0,
    "UpdateItem": 15.0,
    "PutItem": 15.0,
    "TransactWriteItems": 12.0,
    "BatchWriteItem": 8.0,
}
SERVER_TIMES_LOCAL = 1.0
GET_ITEM_TIMES_SQLITE_MAX = 3.0
SERVER_GET_ITEM_CPU_US_MAX = 300.0
READY_S_MAX = 0.5
QUERY_GROWTH_MAX = 1.5
RESIDENT_MB_MAX = 200.0
MIGRATED_ROWS_PER_S = 10_000
MIGRATED_TIMES_LOOP = 10.0
MIGRATED_RESIDENT_MB_MAX = 300.0
"""Of each process of a migration, however many rows there are."""


@dataclass(frozen=True)
class Row:
    """The figures of one cell; `failure` says why there are none."""

    target: str
    storage: str
    operation: str
    threads: int
    ops_per_s: float = 0.0
    p50_us: float = 0.0
    p99_us: float = 0.0
    cpu_us: float = 0.0
    failure: str | None = None


@dataclass(frozen=True)
class Goal:
    """One promise beside what was measured."""

    promise: str
    measured: float
    met: bool

    def __str__(self) -> str:
        return f"{self.promise}: {'pass' if self.met else 'FAIL'} ({self.measured:.3g})"


def at_least(bound: float, unit: str, measured: float) -> Goal:
    """Promise a lower bound."""
    return Goal(f"≥ {bound:g}{unit}", measured, measured >= bound)


def at_most(bound: float, unit: str, measured: float) -> Goal:
    """Promise an upper bound."""
    return Goal(f"≤ {bound:g}{unit}", measured, measured <= bound)


class Rows:
    """All rows of a run, and how they compare."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.all = list(rows)
        self._by_place = {self._place(row.target, row): row for row in self.all}

    def peer(self, name: str, row: Row) -> Row | None:
        """Find the row of another target that is like this one."""
        found = self._by_place.get(self._place(name, row))
        return found if found is not None and found.failure is None else None

    def times_local(self, row: Row) -> float | None:
        """Divide a row's operations per second by DynamoDB Local's."""
        local = self.peer("local", row)
        return None if local is None else row.ops_per_s / local.ops_per_s

    def goals(self, row: Row) -> Iterator[Goal]:
        """Hold a row against every promise made about it."""
        times_local = self.times_local(row)
        if row.target == "engine" and row.threads == 1 and times_local is not None:
            yield at_least(ENGINE_TIMES_LOCAL[row.operation], "x local", times_local)
        if row.target == "server" and times_local is not None:
            yield at_least(SERVER_TIMES_LOCAL, "x local", times_local)
        if row.operation == "GetItem" and row.threads == 1:
            yield from self._get_item_goals(row)

    def _get_item_goals(self, row: Row) -> Iterator[Goal]:
        sqlite = self.peer("sqlite", row)
        if row.target == "engine" and sqlite is not None:
            yield at_most(GET_ITEM_TIMES_SQLITE_MAX, "x sqlite p50", row.p50_us / sqlite.p50_us)
        if row.target == "server":
            yield at_most(SERVER_GET_ITEM_CPU_US_MAX, " µs CPU", row.cpu_us)

    @staticmethod
    def _place(target: str, row: Row) -> tuple[str, str, str, int]:
        return (target, row.storage, row.operation, row.threads)
