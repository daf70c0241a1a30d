"""Prices, as dated data: a JSON file for each region that is known.

Prices change and differ from region to region, so none stands in code, and every estimate tells
which file it was made from and of which day that is. For another region, give a file of the same
form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Self

from singletable.errors import UsageError

REGION = "us-east-1"
MEMBERS = {
    "on_demand": ("per_million_read_units", "per_million_write_units"),
    "provisioned": ("per_read_unit_hour", "per_write_unit_hour"),
    "storage": ("per_gb_month",),
    "streams": ("per_million_stream_reads",),
}


@dataclass(frozen=True, slots=True)
class Prices:
    """What units and storage cost in one region, on one day."""

    region: str
    as_of: str
    currency: str
    hours_per_month: float
    per_million_read_units: float
    per_million_write_units: float
    per_read_unit_hour: float
    per_write_unit_hour: float
    per_gb_month: float
    per_million_stream_reads: float

    @classmethod
    def of_region(cls, region: str = REGION) -> Self:
        """Take the prices of a region from the data that the library brings."""
        file = resources.files(__name__).joinpath(f"{region}.json")
        if region not in known_regions():
            raise UsageError(
                f"There are no prices for {region!r}, only for {', '.join(known_regions())}: write "
                "those of your region into a file of the form of us-east-1.json, and give it "
                "with --prices FILE"
            )
        return cls.of(json.loads(file.read_text("utf-8")), f"{region}.json")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Take the prices from a file."""
        try:
            content = json.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as fault:
            raise UsageError(
                f"The price file {path} cannot be read: {getattr(fault, 'strerror', fault)}"
            ) from None
        return cls.of(content, str(path))

    @classmethod
    def of(cls, content: Any, source: str) -> Self:
        """Take the prices from the content of a file."""
        content = content if isinstance(content, Mapping) else {}
        texts = {name: content.get(name) for name in ("region", "as_of", "currency")}
        figures = {"hours_per_month": content.get("hours_per_month")}
        for section, names in MEMBERS.items():
            part = content.get(section)
            part = part if isinstance(part, Mapping) else {}
            figures |= {name: part.get(name) for name in names}
        faults = [name for name, text in texts.items() if not isinstance(text, str)]
        faults += [name for name, figure in figures.items() if not _is_price(figure)]
        if faults:
            raise UsageError(f"The price file {source} lacks {', '.join(faults)}, or has it wrong")
        return cls(**texts, **figures)

    @property
    def crossing(self) -> float:
        """Give the share of provisioned capacity in use at which both ways to pay cost the same.

        Above it provisioned capacity is cheaper. Reads and writes may differ; the higher counts.
        """
        hourly = (
            (self.per_read_unit_hour, self.per_million_read_units),
            (self.per_write_unit_hour, self.per_million_write_units),
        )
        shares = (hour / (3600 * million / 1e6) for hour, million in hourly if million)
        return max(shares, default=0.0)


def known_regions() -> list[str]:
    """Name the regions whose prices the library brings."""
    files = resources.files(__name__).iterdir()
    return sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))


def _is_price(figure: Any) -> bool:
    return isinstance(figure, int | float) and not isinstance(figure, bool) and figure >= 0
