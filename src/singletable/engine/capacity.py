"""Capacity units: how many a read or a write consumes, and how an answer reports them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .schema import Table

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024

Access = Literal["Read", "Write"]


def read_units(size: int, *, consistent: bool = False) -> float:
    """Give the units of reading so many bytes at once; of nothing, the least there is."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2


def write_units(size: int) -> float:
    """Give the units of writing an item of that size."""
    return float(max(1, -(-size // WRITE_UNIT_BYTES)))


@dataclass
class Consumed:
    """Sums up what a request consumed of one table, as the request names it, and its indexes."""

    table: Table
    name: str
    units: float = 0.0
    indexes: dict[str, float] = field(default_factory=dict)

    def add(self, units: float, indexes: dict[str, float] | None = None) -> None:
        """Add units of the table and of its indexes."""
        self.units += units
        if indexes:
            for name, more in indexes.items():
                self.indexes[name] = self.indexes.get(name, 0.0) + more

    @property
    def total(self) -> float:
        """Give the units of the table and all indexes."""
        return self.units + sum(self.indexes.values())

    def report(self, mode: str, transactional: Access | None = None) -> dict[str, Any]:
        """Give the ConsumedCapacity member, for TOTAL or INDEXES."""
        answer: dict[str, Any] = {"TableName": self.name, **_units(self.total, transactional)}
        if mode == "INDEXES":
            answer["Table"] = _units(self.units, transactional)
            for scope, member in _INDEX_MEMBERS.items():
                part = self._of_scope(scope, transactional)
                if part:
                    answer[member] = part
        return answer

    def _of_scope(self, scope: str, transactional: Access | None) -> dict[str, Any]:
        found = self.table.indexes
        return {
            name: _units(units, transactional)
            for name, units in self.indexes.items()
            if found[name].scope == scope
        }


class Bill:
    """Sums up what a request consumed, table by table."""

    def __init__(self, transactional: Access | None = None) -> None:
        self._transactional = transactional
        self._tables: dict[int, Consumed] = {}

    def add(
        self, table: Table, name: str, units: float, indexes: dict[str, float] | None = None
    ) -> None:
        """Add units of a table, in the request's name for it; in a transaction they count twice."""
        total = self._tables.get(table.id)
        if total is None:
            total = self._tables[table.id] = Consumed(table, name)
        total.add(units, indexes)
        if self._transactional:
            total.add(units, indexes)

    def report(self, mode: str) -> list[dict[str, Any]]:
        """Give the ConsumedCapacity member, for TOTAL or INDEXES."""
        return [each.report(mode, self._transactional) for each in self._tables.values()]


_INDEX_MEMBERS = {"LSI": "LocalSecondaryIndexes", "GSI": "GlobalSecondaryIndexes"}


def _units(units: float, transactional: Access | None) -> dict[str, float]:
    answer = {"CapacityUnits": units}
    if transactional:
        answer[f"{transactional}CapacityUnits"] = units
    return answer
