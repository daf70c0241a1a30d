"""H412: one partition takes all reads of a busy pattern."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import PARTITION_READS_PER_S, READ_UNIT_BYTES, is_near
from singletable.check.rule import Rule
from singletable.check.sizes import expected_bytes
from singletable.model.keys import Keys, TemplateKey, slots_of
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.store.tracing import Trace

PAGE_BYTES_MAX = 1024 * 1024


class H412(Rule):
    """A pattern that is called often reads the same partition every time.

    A partition gives 3,000 read units a second. A front page that lists the newest items reads
    several units at each view, all from one partition: at a few hundred views a second it is
    throttled, while the rest of the table is idle.

    Give the list an index with less in it, so that a page is fewer units; spread it over shards;
    keep copies of it (`copies=`); or put a cache in front of it.
    """

    name = "hot-list"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find patterns whose rate and page come near what one partition gives."""
        for trace in design.planned:
            if not isinstance(trace.read, Query) or not trace.reads:
                continue
            schema, keys = trace.reads[0]
            said = design.traffic.pattern(trace.pattern.name).rate_per_s
            rate = trace.pattern.rate_per_s if said is None else said
            if rate is None or not _is_same(keys):
                continue
            units = rate * _units(design, trace, schema)
            if is_near(units, PARTITION_READS_PER_S):
                yield self.finding(
                    f"{trace.pattern.name}() reads {units:,.0f} units a second from one partition; "
                    f"it gives {PARTITION_READS_PER_S:,}, and then throttles",
                    "project less into the index, spread the list over shards, or cache it",
                    trace=trace,
                    schema=schema,
                    keys=keys,
                    template=next(iter(keys.templates), None),
                    severity="error" if units > PARTITION_READS_PER_S else None,
                )


def _is_same(keys: Keys) -> bool:
    """Tell whether all calls read one partition: nothing but the time is in its key."""
    return all(isinstance(part, TemplateKey) for part in keys.pk) and all(
        slot.is_bucket for slot in slots_of(keys.pk)
    )


def _units(design: Design, trace: Trace, schema: Schema) -> float:
    """Estimate the read units of a page."""
    said = design.traffic.pattern(trace.pattern.name).items
    items = said if isinstance(said, int | float) else trace.page_max
    size = design.traffic.entity(schema.name).bytes or expected_bytes(schema, schema.fields)
    page = PAGE_BYTES_MAX if items is None else min(items * size, PAGE_BYTES_MAX)
    return ceil(page / READ_UNIT_BYTES) / 2
