"""Capacity units: how many a read or a write consumes, and how an answer reports them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from .schema import Index, Table

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024

Access = Literal["Read", "Write"]

PARTITION_UNITS: dict[Access, float] = {"Read": 3000, "Write": 1000}
"""What one partition key may take in a second."""


def read_units(size: int, *, consistent: bool = False) -> float:
    """Give the units of reading so many bytes at once; of nothing, the least there is."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2


def write_units(size: int) -> float:
    """Give the units of writing an item of that size."""
    return float(max(1, -(-size // WRITE_UNIT_BYTES)))


Charge = tuple[bytes, float, Index | None]
"""Units, and what they were for: the key of a row, or that before a range of rows, and the index
that it is of; None for the table. The key before all rows, as of a scan, is in no partition."""


class Consumed:
    """Lists what a request consumed of one table, as the request names it, and its indexes."""

    __slots__ = ("access", "charges", "name", "table", "transactional")

    def __init__(
        self, table: Table, name: str, access: Access, *, transactional: bool = False
    ) -> None:
        self.table = table
        self.name = name
        self.access: Access = access
        self.transactional = transactional
        self.charges: list[Charge] = []

    def add(self, key: bytes, units: float, index: Index | None = None) -> None:
        """Charge units; in a transaction they count twice."""
        self.charges.append((key, 2 * units if self.transactional else units, index))

    @property
    def tables(self) -> Collection[Consumed]:
        """Give itself, as a bill gives what it has of each table."""
        return (self,)

    def report(self, mode: str) -> dict[str, Any]:
        """Give the ConsumedCapacity member, for TOTAL or INDEXES."""
        total = 0.0
        indexes: dict[str, float] = {}
        for _, units, index in self.charges:
            total += units
            if index:
                indexes[index.name] = indexes.get(index.name, 0.0) + units
        answer: dict[str, Any] = {"TableName": self.name, **self._units(total)}
        if mode == "INDEXES":
            answer["Table"] = self._units(total - sum(indexes.values()) if indexes else total)
            for scope, member in _INDEX_MEMBERS.items():
                part = self._of_scope(scope, indexes)
                if part:
                    answer[member] = part
        return answer

    def _of_scope(self, scope: str, indexes: dict[str, float]) -> dict[str, Any]:
        found = self.table.indexes
        return {
            name: self._units(units)
            for name, units in indexes.items()
            if found[name].scope == scope
        }

    def _units(self, units: float) -> dict[str, float]:
        answer = {"CapacityUnits": units}
        if self.transactional:
            answer[f"{self.access}CapacityUnits"] = units
        return answer


class Bill:
    """Lists what a request consumed, table by table."""

    def __init__(self, access: Access, *, transactional: bool = False) -> None:
        self._access: Access = access
        self._transactional = transactional
        self._tables: dict[int, Consumed] = {}

    def of(self, table: Table, name: str) -> Consumed:
        """Give what is consumed of a table, in the request's name for it, to add to."""
        found = self._tables.get(table.id)
        if found is None:
            found = Consumed(table, name, self._access, transactional=self._transactional)
            self._tables[table.id] = found
        return found

    @property
    def tables(self) -> Collection[Consumed]:
        """Give what was consumed of each table."""
        return self._tables.values()

    def report(self, mode: str) -> list[dict[str, Any]]:
        """Give the ConsumedCapacity member, for TOTAL or INDEXES."""
        return [each.report(mode) for each in self.tables]


_INDEX_MEMBERS = {"LSI": "LocalSecondaryIndexes", "GSI": "GlobalSecondaryIndexes"}
