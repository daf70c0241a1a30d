"""T303: a strong read is asked of a global index."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.faults import asks_strongly
from singletable.check.finding import Finding
from singletable.check.rule import Rule


class T303(Rule):
    """A pattern asks a global index for a strongly consistent read, which there is not.

    DynamoDB writes to a global index after the table, and refuses the request. The pattern fails at
    its first call.

    Read what must be true from the table: `Entity.get(…).strong()`, or a query of its primary key.
    A local index can be read strongly. Where the caller can wait a moment, leave out `strong()`.
    """

    name = "strong-read-of-global-index"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find reads of global indexes that are to be consistent."""
        for trace in design.traces:
            if asks_strongly(trace):
                schema, keys = trace.reads[0] if trace.reads else (None, None)
                yield self.finding(
                    f"{trace.pattern.name}() asks a global index for a strongly consistent read; "
                    "DynamoDB refuses it",
                    "leave out strong(), or read the items by their primary key",
                    trace=trace,
                    schema=schema,
                    keys=keys,
                )
