"""How hot a partition key is: what was consumed there, at most in one second, when and what for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from singletable.engine.capacity import PARTITION_UNITS, Access

Units = dict[Access, float]


class Place(NamedTuple):
    """A partition key of a table or a global index; local indexes are a part of their table."""

    table: str
    index_name: str | None
    values: tuple[str, ...]
    """The texts of the key's attributes; none for what scans read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """Tells what was consumed at one partition key.

    A load is in seconds: for so long it would keep a partition busy, which has 3,000 read and 1,000
    write units a second.
    """

    table: str
    index: str | None
    """The global index; None for the table, and for local indexes, which are a part of it."""
    key: str | None
    """The partition key, of several attributes with dots between; None for what scans read."""
    reads: float
    writes: float
    requests: int
    peak_reads: float
    """The most read units in one second of the clock."""
    peak_writes: float
    """The most write units in one second of the clock."""
    is_too_hot: bool
    """Whether one second saw more than a partition has; scans go to all of them."""
    load: float
    share: float
    """The part of the load of all keys."""
    purposes: Mapping[str, float]
    """Access pattern, or operation where there is none → load."""
    times: Mapping[int, float]
    """The second in which a step of the meter begins → load."""


class Gauge:
    """Measures at one place."""

    __slots__ = ("_second", "_so_far", "peaks", "purposes", "requests", "times", "units")

    def __init__(self) -> None:
        self.units = none()
        self.peaks = none()
        self.requests = 0
        self.purposes: defaultdict[str, float] = defaultdict(float)
        self.times: defaultdict[int, float] = defaultdict(float)
        self._second: int | None = None
        self._so_far = none()

    def add(self, access: Access, units: float, second: int, step_s: int, purpose: str) -> None:
        """Add what a request consumed."""
        if second != self._second:
            self._second, self._so_far = second, none()
        self._so_far[access] += units
        self.peaks[access] = max(self.peaks[access], self._so_far[access])
        self.units[access] += units
        self.requests += 1
        load = units / PARTITION_UNITS[access]
        self.purposes[purpose] += load
        self.times[second - second % step_s] += load

    def widen(self, step_s: int) -> None:
        """Tell longer steps as one."""
        before, self.times = self.times, defaultdict(float)
        for start, load in before.items():
            self.times[start - start % step_s] += load

    @property
    def load(self) -> float:
        """Give for how many seconds it would keep a partition busy."""
        return load_of(self.units)

    @property
    def is_too_hot(self) -> bool:
        """Tell whether one second saw more than a partition has."""
        return any(units > PARTITION_UNITS[access] for access, units in self.peaks.items())

    def heat(self, place: Place, whole: float) -> Heat:
        """Tell what was measured, as a part of a whole load."""
        return Heat(
            table=place.table,
            index=place.index_name,
            key=" · ".join(place.values) if place.values else None,
            reads=self.units["Read"],
            writes=self.units["Write"],
            requests=self.requests,
            peak_reads=self.peaks["Read"],
            peak_writes=self.peaks["Write"],
            is_too_hot=self.is_too_hot and bool(place.values),
            load=self.load,
            share=self.load / whole,
            purposes=dict(self.purposes),
            times=dict(self.times),
        )


def load_of(units: Units) -> float:
    """Give for how many seconds units would keep a partition busy, its reads and its writes."""
    return sum(each / PARTITION_UNITS[access] for access, each in units.items())


def none() -> Units:
    """Give no units."""
    return {"Read": 0.0, "Write": 0.0}
