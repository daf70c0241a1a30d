"""Throughput limits: what a partition, and a table that is provisioned, may consume in a second.

What a request consumes is known when it was carried out. So one that comes while anything is left
is carried out, whatever it takes, and those behind it wait until that is made up for. What several
partitions consumed in one request is shared evenly among them, and a refused condition is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from singletable.engine.database import Database
from singletable.engine.operations import Answer, Operation, Request
from singletable.engine.schema import Document
from singletable.engine.throughput import with_throughput

from .refusals import Limit, throttled
from .touches import Kind, Touch, global_index

PARTITION_UNITS: dict[Kind, float] = {"Read": 3000, "Write": 1000}
BURST_SECONDS = 300
"""For so long a provisioned table keeps what it was not asked for."""
LEVELS_MAX = 10_000

Place = tuple[int, str | None]
"""A table, by its number, or a global index of it."""

_ASK = "ReturnConsumedCapacity"
_INDEXES = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")


class Meter(NamedTuple):
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

    def left(self, meter: Meter, now: float) -> float:
        """Give how many are left now."""
        return min(self.units + (now - self.at) * meter.units_per_s, meter.units_max)


class Limits:
    """Knows how much is left of each limit that was touched."""

    def __init__(self) -> None:
        self._levels: dict[Meter, Level] = {}

    def run(
        self, operation: Operation, db: Database, request: Request, touched: Iterable[Touch]
    ) -> Answer:
        """Carry a request out if something is left of all its limits, and charge them."""
        now, meters = db.clock(), set[Meter]()
        for touch in touched:
            for meter in _meters(touch):
                if self._left(meter, now) <= 0:
                    raise throttled(db, replace(touch, index=meter.place[1]), meter.limit)
                meters.add(meter)
        answer = operation.run(db, {**request, _ASK: "INDEXES"})
        self._charge(meters, _consumed(db, answer), now)
        return _reported(answer, request.get(_ASK, "NONE"))

    def _left(self, meter: Meter, now: float) -> float:
        level = self._levels.get(meter)
        return level.left(meter, now) if level else meter.units_max

    def _charge(self, meters: set[Meter], consumed: Counter[Place], now: float) -> None:
        sharing = Counter((meter.place, meter.limit) for meter in meters)
        for meter in meters:
            units = consumed[meter.place] / sharing[meter.place, meter.limit]
            self._levels[meter] = Level(self._left(meter, now) - units, now)
        if len(self._levels) > LEVELS_MAX:
            self._levels = {
                meter: level
                for meter, level in self._levels.items()
                if level.left(meter, now) < meter.units_max
            }


def _meters(touch: Touch) -> Iterator[Meter]:
    """List the limits that a request has to keep; a write goes to the indexes, too."""
    table, kind = touch.table, touch.kind
    for partition in touch.partitions:
        yield Meter((table.id, touch.index), kind, PARTITION_UNITS[kind], partition)
    for document in with_throughput(table.document):
        index = document.get("IndexName")
        if "ProvisionedThroughput" in document and (kind == "Write" or index == touch.index):
            units = document["ProvisionedThroughput"][f"{kind}CapacityUnits"]
            yield Meter((table.id, index), kind, units)


def _consumed(db: Database, answer: Answer) -> Counter[Place]:
    """Give the units that a request consumed of each table and global index."""
    units: Counter[Place] = Counter()
    for report in _reports(answer):
        table = db.table(report["TableName"])
        units[table.id, None] += report["Table"]["CapacityUnits"]
        for member in _INDEXES:
            for name, each in report.get(member, {}).items():
                units[table.id, global_index(table, name)] += each["CapacityUnits"]
    return units


def _reports(answer: Answer) -> list[Document]:
    found = answer.get("ConsumedCapacity", [])
    return found if isinstance(found, list) else [found]


def _reported(answer: Answer, asked: str) -> Answer:
    """Leave of the report what was asked for."""
    if asked == "NONE":
        del answer["ConsumedCapacity"]
    elif asked == "TOTAL":
        for report in _reports(answer):
            for detail in ("Table", *_INDEXES):
                report.pop(detail, None)
    return answer
