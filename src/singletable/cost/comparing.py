"""Two designs side by side: what each pattern, each write and a month costs, in percent too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .estimating import Estimate
from .grids import Grid, money, number, percent

Pairs = Mapping[str, tuple[float | None, float | None]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two estimates; ``other`` is what ``one`` is compared with."""

    one: Estimate
    other: Estimate

    @property
    def patterns(self) -> Pairs:
        """Give the read units of a call, by pattern; None where a design lacks it."""
        return _paired(
            {pattern.name: pattern.units for pattern in self.one.patterns if pattern.cost},
            {pattern.name: pattern.units for pattern in self.other.patterns if pattern.cost},
        )

    @property
    def writes(self) -> Pairs:
        """Give the write units of a write, by entity and kind."""
        return _paired(_writes(self.one), _writes(self.other))

    @property
    def month(self) -> dict[str, tuple[float, float]]:
        """Give what a month costs."""
        one, other = _month(self.one), _month(self.other)
        names = [name for name in one if name != "streams" or one[name] or other[name]]
        return {name: (one[name], other[name]) for name in names}


def grids(made: Comparison) -> Iterator[Grid]:
    """Give the tables of a comparison."""
    names = (made.one.name, made.other.name)
    if names[0] == names[1]:
        names = (f"{names[0]} (B)", f"{names[1]} (A)")
    yield _grid("Read units of a call", "pattern", names, made.patterns, number)
    yield _grid("Write units of a write", "write", names, made.writes, number)
    yield _grid(f"A month, in {made.one.prices.currency}", "", names, made.month, money)


def data(made: Comparison) -> dict[str, Any]:
    """Give a comparison as plain data."""
    parts = {"patterns": made.patterns, "writes": made.writes, "month": made.month}
    shown = {
        part: {name: _change(*pair) for name, pair in pairs.items()}
        for part, pairs in parts.items()
    }
    return {
        "one": made.one.name,
        "other": made.other.name,
        "prices": asdict(made.one.prices),
        **shown,
    }


def _change(one: float | None, other: float | None) -> dict[str, float | None]:
    share = (one - other) / other if one is not None and other else None
    return {"one": one, "other": other, "change": share}


def _grid(title: str, heading: str, names: tuple[str, str], pairs: Pairs, write: Any) -> Grid:
    """Show what is compared with first, as a change is read from it to the design."""
    rows = (
        (
            name,
            *("" if value is None else write(value) for value in reversed(pair)),
            _percent(*pair),
        )
        for name, pair in pairs.items()
    )
    return Grid.of(title, (heading, *reversed(names), "change"), rows)


def _paired(one: Mapping[str, float], other: Mapping[str, float]) -> Pairs:
    return {name: (one.get(name), other.get(name)) for name in {**one, **other}}


def _writes(made: Estimate) -> dict[str, float]:
    return {
        f"{write.name} {entity.name}": write.units
        for entity in made.entities
        for write in entity.writes
    }


def _month(made: Estimate) -> dict[str, float]:
    bill = made.bill
    return {
        "reads": bill.on_demand_reads,
        "writes": bill.on_demand_writes,
        "storage": bill.storage,
        "streams": bill.streams,
        "on demand": bill.on_demand,
        "provisioned": bill.provisioned,
    }


def _percent(one: float | None, other: float | None) -> str:
    return "" if one is None or other is None else percent(one, other)
