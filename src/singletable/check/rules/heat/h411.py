"""H411: a page takes many requests."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.keys import slots_of
from singletable.model.reads import Query

REQUESTS_MAX = 20


class H411(Rule):
    """A page of a list takes many requests, since its items are spread over many partitions.

    Each shard is asked for a whole page, of which most is thrown away: 100 shards and a page of 20
    read 2,000 items for 20. Shards that no write rate needs make every read dear.

    Choose as many shards as the writes need: one for each 1,000 write units a second.
    """

    name = "many-requests-a-page"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find queries that are spread over many shards."""
        for trace in design.planned:
            if not isinstance(trace.read, Query) or not trace.reads:
                continue
            schema, keys = trace.reads[0]
            shards = [
                len(slot.shards)
                for slot in slots_of(keys.pk)
                if slot.scatters and slot.field not in trace.known
            ]
            if shards and max(shards) > REQUESTS_MAX:
                yield self.finding(
                    f"{trace.pattern.name}() asks {max(shards)} shards for each page, and throws "
                    "away most of what they give",
                    "have fewer shards: one for each 1,000 write units a second",
                    trace=trace,
                    schema=schema,
                    keys=keys,
                    template=keys.templates[0],
                )
