"""H407: one update is many writes."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.keys import Keys
from singletable.model.schema import Schema

WRITES_MAX = 6


class H407(Rule):
    """An update of one item is many writes, since so many indexes hold it.

    A change is written again to every index that holds a changed attribute. Where the change is in
    the index's key, the old entry is deleted and a new one put: twice. The time of the last write
    in an index key makes that happen with every update.

    Leave out indexes that a prefix of another could serve, project only what their patterns read,
    keep `updated()` out of keys, and put what changes often into an item of its own.
    """

    name = "write-amplification"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find entities of which an update is more than half a dozen writes."""
        for schema in design.schemas:
            writes = {one.index.name: _writes(schema, one) for one in schema.indexes.values()}
            total = 1 + sum(writes.values())
            if total > WRITES_MAX:
                twice = [name or "" for name, count in writes.items() if count > 1]
                moved = f"; {', '.join(twice)} twice, as their keys change" if twice else ""
                yield self.finding(
                    f"an update of one {schema.name} is {total} writes: the table and "
                    f"{len(writes)} indexes{moved}",
                    "project less, keep updated() out of index keys, or move what changes often "
                    "into an item of its own",
                    schema=schema,
                )


def _writes(schema: Schema, keys: Keys) -> int:
    """Count the writes to an index when an ordinary field of an item changes."""
    if any(field in keys.fields for field in schema.updated_fields):
        return 2
    return 0 if keys.index.projection == "KEYS_ONLY" else 1
