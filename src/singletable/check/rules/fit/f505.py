"""F505: one table that might as well be several."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.reach import meet, whole
from singletable.check.rule import Rule

ENTITIES_MIN = 3


class F505(Rule):
    """No two entities share a partition, so that one table gains nothing.

    A single table pays for its keys by reading together what belongs together: an order with its
    lines, in one request. Where each entity lies in partitions of its own, every pattern reads one
    entity, as it would from a table of its own; and those could each have their own capacity,
    backups and permissions.

    Put what is read together into one partition; or keep one table for each entity, and say so.
    """

    name = "nothing-together"
    severity = "note"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find designs in which no partition, of the table or an index, holds two entities."""
        if len(design.schemas) < ENTITIES_MIN:
            return
        for index in (None, *design.table.indexes):
            for (_, one), (_, other) in combinations(design.keys_in(index), 2):
                parts = len(one.pk)
                if meet(whole(one)[:parts], whole(other)[:parts]) is not None:
                    return
        yield self.finding(
            f"no two of the {len(design.schemas)} entities ever share a partition: one table reads "
            "nothing together that several tables would not",
            "put what is read together under one partition key, or use a table for each entity",
        )
