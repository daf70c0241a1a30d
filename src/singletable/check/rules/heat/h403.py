"""H403: a time bucket takes all writes."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import heat
from singletable.check.languages import finite
from singletable.check.rule import Rule
from singletable.check.spreading import spread
from singletable.model.keys import Keys, slots_of


class H403(Rule):
    """The partition key is a stretch of time, so all that is written now goes to one partition.

    A bucket keeps partitions small and spreads reads of the past, but not the writes: this month's
    partition takes all of them, 1,000 units a second at most, and the others none.

    Add a shard, `EVENTS#{at:%Y-%m}#{event_id:shard 10}`, or what the items belong to. If you know
    how much is written, say so in a traffic file, and the rule judges by that.
    """

    name = "bucket-takes-all-writes"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find partition keys that are made of time buckets, and at most of choices beside."""
        for schema in design.schemas:
            for keys in schema.all_keys:
                if not _is_time(keys):
                    continue
                is_hot, how = heat(design, schema, partitions=1)
                if is_hot:
                    yield self.finding(
                        f"the bucket of now takes every new {schema.name} in "
                        f"{keys.index.name or 'the table'}: {how}",
                        spread(design, schema, keys),
                        schema=schema,
                        keys=keys,
                        template=keys.templates[0],
                    )


def _is_time(keys: Keys) -> bool:
    slots = slots_of(keys.pk)
    others = [slot for slot in slots if not slot.is_bucket]
    return len(others) < len(slots) and all(
        finite(slot.format) is not None and not slot.scatters for slot in others
    )
