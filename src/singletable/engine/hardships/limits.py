"""Throughput limits: what a partition, and a table that is provisioned, may consume in a second.

What a request consumes is known when it was carried out. So one that comes while anything is left
is carried out, whatever it takes, and those behind it wait until that is made up for. A refused
condition is free.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from singletable.engine.capacity import PARTITION_UNITS, Bill, Consumed
from singletable.engine.database import Database
from singletable.engine.operations import Answer, Operation, Request
from singletable.engine.operations.answers import run_charged
from singletable.engine.throughput import with_throughput

from .refusals import Limit, throttled
from .touches import Kind, Touch, global_index

BURST_SECONDS = 300
"""For so long a provisioned table keeps what it was not asked for."""
LEVELS_MAX = 10_000

Place = tuple[int, str | None]
"""A table, by its number, or a global index of it."""

Share = tuple[Place, str | None]
"""What all of a place consumes, or one partition key in it."""


class Allowance(NamedTuple):
    """A limit: of one partition key in a table or index, or of all together."""

    place: Place
    kind: Kind
    units_per_s: float
    partition: str | None = None

    @property
    def limit(self) -> Limit:
        """Name it as the service does."""
        whole = self.partition is None
        return "ProvisionedThroughputExceeded" if whole else "KeyRangeThroughputExceeded"

    @property
    def units_max(self) -> float:
        """Give how many units there may be at once."""
        return self.units_per_s * (BURST_SECONDS if self.partition is None else 1)


@dataclass(frozen=True)
class Level:
    """How many units were left at a time."""

    units: float
    at: float

    def left(self, allowance: Allowance, now: float) -> float:
        """Give how many are left now."""
        return min(self.units + (now - self.at) * allowance.units_per_s, allowance.units_max)


class Limits:
    """Knows how much is left of each limit that was touched."""

    def __init__(self) -> None:
        self._levels: dict[Allowance, Level] = {}

    def run(
        self, operation: Operation, db: Database, request: Request, touched: Iterable[Touch]
    ) -> Answer:
        """Carry a request out if something is left of all its limits, and charge them."""
        now, allowances = db.clock(), set[Allowance]()
        for touch in touched:
            for allowance in _allowances(touch):
                if self._left(allowance, now) <= 0:
                    raise throttled(db, replace(touch, index=allowance.place[1]), allowance.limit)
                allowances.add(allowance)
        answer, consumed = run_charged(operation, db, request)
        self._charge(allowances, _units(consumed), now)
        return answer

    def _left(self, allowance: Allowance, now: float) -> float:
        level = self._levels.get(allowance)
        return level.left(allowance, now) if level else allowance.units_max

    def _charge(self, allowances: set[Allowance], units: Mapping[Share, float], now: float) -> None:
        for allowance in allowances:
            left = self._left(allowance, now) - units[allowance.place, allowance.partition]
            self._levels[allowance] = Level(left, now)
        if len(self._levels) > LEVELS_MAX:
            self._levels = {
                allowance: level
                for allowance, level in self._levels.items()
                if level.left(allowance, now) < allowance.units_max
            }


def _allowances(touch: Touch) -> Iterator[Allowance]:
    """List the limits that a request has to keep; a write goes to the indexes, too."""
    table, kind = touch.table, touch.kind
    for partition in touch.partitions:
        yield Allowance((table.id, touch.index), kind, PARTITION_UNITS[kind], partition)
    for document in with_throughput(table.document):
        index = document.get("IndexName")
        if "ProvisionedThroughput" in document and (kind == "Write" or index == touch.index):
            units = document["ProvisionedThroughput"][f"{kind}CapacityUnits"]
            yield Allowance((table.id, index), kind, units)


def _units(consumed: Consumed | Bill) -> Mapping[Share, float]:
    """Give the units of each table and global index, and of each partition in them."""
    found = defaultdict[Share, float](float)
    for each in consumed.tables:
        for key, units, index in each.charges:
            place = (each.table.id, global_index(each.table, index.name if index else None))
            found[place, None] += units
            schema = index.schema if index else each.table.schema
            for partition in schema.read_partition(key)[:1]:
                found[place, partition] += units
    return found
