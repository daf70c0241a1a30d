"""H401: all items of an entity are in one partition."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import heat
from singletable.check.rule import Rule
from singletable.check.spreading import spread
from singletable.model.keys import TemplateKey, slots_of


class H401(Rule):
    """All items of an entity are in one partition, since its key is a constant.

    A partition takes 1,000 write units and 3,000 read units a second, however large the table is.
    With the success of the product, writes are throttled; and what an index cannot take is refused
    by the table too, so a list that nobody looks at can stop all writing.

    Spread the items: `STORIES#{story_id:shard 10}` over shards, which the library reads side by
    side and merges; or `STORIES#{created_at:%Y-%m}` over time, where reads are of recent items.
    Shards want a field of the key that no two items share, such as the item's own id. A status or
    a day has too few values, and most items of now have the same.
    """

    name = "constant-partition"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find partition keys without fields, of entities with more than one item."""
        for schema in design.schemas:
            for keys in schema.all_keys:
                is_constant = all(isinstance(part, TemplateKey) for part in keys.pk)
                is_single = not schema.key_fields
                if slots_of(keys.pk) or not is_constant or is_single:
                    continue
                is_hot, how = heat(design, schema, partitions=1)
                if is_hot:
                    where = keys.index.name or "the table"
                    yield self.finding(
                        f"every {schema.name} is in the partition {str(keys.templates[0])!r} of "
                        f"{where}: {how}",
                        spread(design, schema, keys),
                        schema=schema,
                        keys=keys,
                        template=keys.templates[0],
                    )
