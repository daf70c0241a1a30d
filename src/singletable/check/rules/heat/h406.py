"""H406: no pattern uses an index."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class H406(Rule):
    """No pattern reads an index, or not the items that an entity puts into it.

    Every write to an item is paid for again in each index that holds it, and so is its storage. An
    index that nobody reads costs as much as one that everybody does.

    Take the index, or the entity's place in it, out of the design; or write down the pattern that
    it is for.
    """

    name = "unused-index"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find indexes, and places in them, that no pattern reads."""
        used = {keys.index.name for trace in design.traces for _, keys in trace.reads}
        used |= {
            keys.index.name for _, label, keys in design.placements if label in design.mentioned
        }
        for name in design.table.indexes:
            if name not in used:
                placed = [schema.name for schema, _ in design.keys_in(name)]
                yield Finding(
                    self.code,
                    self.name,
                    self.severity,
                    f"no pattern reads {name}: every write of {', '.join(placed) or 'its items'} "
                    "is paid for twice",
                    f"take {name} out of the table, or write down the pattern that it is for",
                    index=name,
                )
        for schema, label, keys in design.placements:
            is_read = design.readers(schema, keys) or label in design.mentioned
            if keys.index.name in used and not is_read:
                yield self.finding(
                    f"no pattern reads {schema.name} from {keys.index.name}: its writes there are "
                    "paid for and never looked at",
                    f"take {label} out of {schema.name}, or write down the pattern that it is for",
                    schema=schema,
                    keys=keys,
                    template=next(iter(keys.templates), None),
                )
