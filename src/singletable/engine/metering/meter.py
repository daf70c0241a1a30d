"""``Meter``: puts what requests consume down to partition keys, seconds and access patterns.

It stands between an engine and its operations, and asks each of them what it charged for. An
engine without one does nothing for it.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from heapq import nlargest
from math import inf
from threading import Lock

from singletable.engine.capacity import Bill, Consumed
from singletable.engine.database import Database
from singletable.engine.operations import Answer, Operation, Request
from singletable.engine.operations.answers import run_charged

from .heat import Gauge, Heat, Place, load_of, none
from .purposes import PURPOSE, purpose
from .rendering import render

STEPS_MAX = 120
"""How finely the past is told: where there are more steps, two become one."""


class Meter:
    """Counts what the requests of an engine consume, by partition key: ``engine.metered(meter)``.

    Threads and engines may share a meter. It holds at least the ``keys_max`` hottest keys and at
    most twice as many; of those that it forgets, only ``reads`` and ``writes`` still tell.
    """

    def __init__(self, *, keys_max: int = 1000) -> None:
        if keys_max < 1:
            raise ValueError(f"keys_max is {keys_max}: give a number of keys, 1 or more")
        self.keys_max = keys_max
        self.step_s = 1
        """How many seconds are one step of ``Heat.times``."""
        self._units = none()
        self._first, self._last = inf, -inf
        self._gauges: dict[Place, Gauge] = {}
        self._lock = Lock()

    @property
    def reads(self) -> float:
        """Give the read units of all requests."""
        return self._units["Read"]

    @property
    def writes(self) -> float:
        """Give the write units of all requests."""
        return self._units["Write"]

    def hottest(self, most: int | None = None) -> list[Heat]:
        """List the keys with the largest load, the hottest first: so many, or all that are held."""
        with self._lock:
            gauges = sorted(self._gauges.items(), key=_load, reverse=True)
            return [gauge.heat(place, load_of(self._units)) for place, gauge in gauges[:most]]

    def too_hot(self) -> list[Heat]:
        """List the keys that saw more in one second than a partition has."""
        return [heat for heat in self.hottest() if heat.is_too_hot]

    @staticmethod
    def purpose(name: str) -> AbstractContextManager[None]:
        """Have the requests of a ``with`` block be for this; those of a pattern are for that."""
        return purpose(name)

    def __str__(self) -> str:
        return render(self.hottest())

    def metered(self, operation: Operation) -> Operation:
        """Give an operation whose requests are counted, if they can consume capacity."""
        if "ReturnConsumedCapacity" not in operation.shape.members:
            return operation
        return replace(operation, run=partial(self._run, operation))

    def _run(self, operation: Operation, db: Database, request: Request) -> Answer:
        answer, consumed = run_charged(operation, db, request)
        with self._lock:
            self._count(consumed, int(db.clock()), PURPOSE.get() or operation.name)
        return answer

    def _count(self, consumed: Consumed | Bill, second: int, purpose: str) -> None:
        self._first, self._last = min(self._first, second), max(self._last, second)
        while (self._last - self._first) // self.step_s >= STEPS_MAX:
            self.step_s *= 2
            for gauge in self._gauges.values():
                gauge.widen(self.step_s)
        for each in consumed.tables:
            for place, units in _by_place(each).items():
                self._units[each.access] += units
                gauge = self._gauges.get(place) or self._new(place)
                gauge.add(each.access, units, second, self.step_s, purpose)

    def _new(self, place: Place) -> Gauge:
        if len(self._gauges) >= 2 * self.keys_max:
            self._gauges = dict(nlargest(self.keys_max, self._gauges.items(), key=_rank))
        gauge = self._gauges[place] = Gauge()
        return gauge


def _by_place(consumed: Consumed) -> dict[Place, float]:
    """Sum up what a request consumed at each place."""
    table, found = consumed.table, defaultdict[Place, float](float)
    for key, units, index in consumed.charges:
        name = index.name if index and index.scope == "GSI" else None
        found[Place(table.name, name, (index or table).schema.read_partition(key))] += units
    return found


def _load(each: tuple[Place, Gauge]) -> float:
    return each[1].load


def _rank(each: tuple[Place, Gauge]) -> tuple[bool, float]:
    """Rank what to hold: whatever was too hot once, before what is hot in all."""
    return each[1].is_too_hot, each[1].load
