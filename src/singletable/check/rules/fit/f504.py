"""F504: no pattern reads an entity."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class F504(Rule):
    """An entity is declared, and no pattern reads it.

    Either a question is missing, and its keys were chosen without it; or the items are written and
    paid for and nobody needs them.

    Write down the pattern that reads it, if only to see that its keys answer it; or take the entity
    out. An entity that only guards something, such as one vote a reader, may be ignored with that
    reason.
    """

    name = "unread-entity"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find entities that are in no pattern."""
        if not design.traces:
            return
        for schema in design.schemas:
            if not design.all_readers(schema) and schema.name not in design.mentioned:
                yield self.finding(
                    f"no pattern reads {schema.name}: nothing says whether its keys are right",
                    f"write down the pattern that reads {schema.name}, or take it out",
                    schema=schema,
                    keys=schema.keys,
                    template=next(iter(schema.keys.templates), None),
                )
