"""How hot a partition gets: what traffic says, against what one partition can take."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from singletable.model.schema import Schema

from .design import Design

PARTITION_WRITES_PER_S = 1000
PARTITION_READS_PER_S = 3000
READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024
NEAR = 0.5
"""From which part of a limit on it is near."""


def write_units(design: Design, schema: Schema) -> float | None:
    """Give the write units a second that an entity takes; None if nothing is said of it."""
    said = design.traffic.entity(schema.name)
    updates = said.updates_per_s
    by_field = sum(updates.values()) if isinstance(updates, Mapping) else updates
    rates = (said.writes_per_s, said.creates_per_s, by_field, said.deletes_per_s)
    known = [rate for rate in rates if rate is not None]
    return sum(known) * ceil((said.bytes or 1) / WRITE_UNIT_BYTES) if known else None


def is_near(units: float, limit: float) -> bool:
    """Tell whether so much is near a limit, or beyond it."""
    return units >= limit * NEAR


def heat(design: Design, schema: Schema, partitions: int) -> tuple[bool, str]:
    """Tell whether so many partitions are too few for an entity's writes, and say by how much.

    Where nothing is said of its traffic, they are: nobody has shown that they are enough.
    """
    units = write_units(design, schema)
    if units is None:
        limit = f"{PARTITION_WRITES_PER_S:,} write units a second"
        return True, f"a partition takes {limit}, and more is throttled"
    each = units / partitions
    most = f"{PARTITION_WRITES_PER_S:,} is all that it takes"
    said = f"{each:,.0f} write units a second come to a partition, and {most}"
    return is_near(each, PARTITION_WRITES_PER_S), said
