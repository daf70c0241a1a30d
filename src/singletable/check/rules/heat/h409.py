"""H409: item collections under a local index have at most 10 GB."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule

COLLECTION_BYTES_MAX = 10 * 1024**3


class H409(Rule):
    """A table has a local index, and the items of one partition are not bounded.

    With a local index, all items that share a partition key may have 10 GB together, index
    included. What comes then is refused, for that key alone, and there is no way to lift the limit
    but to move the data to another table: a local index cannot be dropped.

    Use a global index, unless a pattern needs strongly consistent reads in another order; or put a
    time bucket into the partition key, so that no partition grows for ever.
    """

    name = "collection-under-local-index"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find entities that fill partitions of a table with a local index."""
        if not any(index.local for index in design.table.indexes.values()):
            return
        for schema in design.schemas:
            own = [name for name in schema.key_fields if name not in schema.keys.told]
            said = design.traffic.entity(schema.name)
            total = (said.items or 0) * (said.bytes or 0)
            is_small = bool(total) and total < COLLECTION_BYTES_MAX / 2
            if own and not is_small:
                yield self.finding(
                    f"a partition holds any number of {schema.name}, one for each "
                    f"{', '.join(own)}: under a local index all items of a partition have 10 GB "
                    "together, and more is refused",
                    "make the local index a global one, or add a time bucket to the partition key",
                    schema=schema,
                    keys=schema.keys,
                    template=next(iter(schema.keys.templates), None),
                )
