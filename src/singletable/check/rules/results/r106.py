"""R106: a projection leaves out what a pattern reads."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.faults import lacking
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class R106(Rule):
    """A pattern reads attributes that the index does not hold.

    An index with the projection KEYS_ONLY, or with a list of attributes, gives nothing else, and a
    global index fetches nothing from the table. The pattern is refused, or a client that reads the
    answer as whole items shows empty fields, and stores them.

    Add the attributes to the projection, read a part with `only()`, or let the index find the items
    and `fetch()` them.
    """

    name = "projection-leaves-out"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find the attributes that are read and not projected."""
        for trace in design.traces:
            for (schema, keys), names in lacking(trace).items():
                yield self.finding(
                    f"{trace.pattern.name}() reads {', '.join(names)} of {schema.name}, which "
                    f"{keys.index.name} does not hold: it is refused, or gives items with holes",
                    f"add {', '.join(names)} to the projection of {keys.index.name}, read less "
                    f"with only(), or fetch({schema.name})",
                    trace=trace,
                    schema=schema,
                    keys=keys,
                )
