"""R110: a filter names a key of what is queried."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.store.tracing import filtered_keys


class R110(Rule):
    """A query filters by an attribute that is a key of the index it reads.

    DynamoDB refuses it: "Filter Expression can only contain non-primary key attributes". The
    pattern fails at its first call, though its key condition is right. It comes about where a field
    is itself the key of an index, and not a part of a template.

    Compare the sort key instead, with `.ge()`, `.between()` or `.begins_with()`, which also reads
    less; what the partition key tells needs no filter.
    """

    name = "filter-on-key"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find filters of queries that look at key attributes."""
        for trace in design.traces:
            for field in filtered_keys(trace.read):
                schema, keys = trace.reads[0]
                known = {name for part in keys.pk for name in part.fields}
                yield self.finding(
                    f"{trace.pattern.name}() filters by {field}, which is a key of "
                    f"{keys.index.name or 'the table'}: DynamoDB refuses the query, whatever data "
                    "there is",
                    "leave it out of the filter: what the query knows holds for every item"
                    if field in known
                    else "compare it by .ge(), .between() or .begins_with(), not by the filter",
                    trace=trace,
                    schema=schema,
                    keys=keys,
                )
