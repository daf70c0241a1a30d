"""H413: every write of an entity also writes the same item."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import heat
from singletable.check.languages import finite
from singletable.check.rule import Rule
from singletable.model.keys import slots_of
from singletable.model.schema import Schema


class H413(Rule):
    """A count or a sequence stands in one item that every new item of an entity has to change.

    A count is kept in the transaction that creates what it counts. If all of them are counted in
    one item, two that are created at once conflict and one has to try again; and one item takes at
    most 1,000 write units a second, in transactions half of that.

    Count where the items belong to (a campaign's sessions, a user's stories), and add the counts up
    where a total is shown; or keep the total from the table's stream.
    """

    name = "contended-counter"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find counts on entities of which there are only a few items, and such sequences."""
        for schema in design.schemas:
            for field, count in schema.counts.items():
                child = design.table.named(count.entity)
                if child is not None and _is_single(schema):
                    yield from self._of(design, child, f"{schema.name}.{field}")
            for field, sequence in schema.sequences.items():
                if not schema.template(sequence.within, field).slots:
                    yield from self._of(design, schema, f"the sequence of {schema.name}.{field}")

    def _of(self, design: Design, child: Schema, where: str) -> Iterator[Finding]:
        is_hot, how = heat(design, child, partitions=1)
        if is_hot:
            yield self.finding(
                f"every new {child.name} also writes {where}, the same item each time: {how}, and "
                "those that come at once conflict",
                "count where the items belong to, or from the table's stream",
                schema=child,
            )


def _is_single(schema: Schema) -> bool:
    """Tell whether there are only a few items of an entity."""
    slots = slots_of(schema.keys.parts)
    return all(finite(slot.format) is not None for slot in slots)
