"""R109: a pattern gives the items of every owner."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, reads_of
from singletable.check.finding import Finding
from singletable.check.owners import is_mixed, scopes_left
from singletable.check.rule import Rule


class R109(Rule):
    """A pattern gives the items of all users or tenants, where each has its own partition.

    In the table, items stand in the partition of their owner. The index that the pattern reads has
    the owner in its sort key at most, and the pattern does not give it, so that the answer mixes
    the items of all. An administrator may want that; a user must not get it, and no LeadingKeys
    condition of an IAM policy can prevent it.

    So it is where the partition key tells a time, one of a few values, or nothing; where the
    pattern has no arguments; and where the sort key goes on with the owner. Of a text that the
    caller gives nobody knows whether it is one item's, as a token is: nothing is said of it. A
    unique value is one item's. An item whose key has two owners may be listed from both sides.

    Put the owner into the partition key of the index, or let the pattern give it. If the list is
    for administrators, ignore the finding and say so.
    """

    name = "items-of-every-owner"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find reads of partitions in which several owners have items."""
        for trace in design.planned:
            for schema, keys in reads_of(trace):
                for scope, ids in scopes_left(design, trace, schema, keys):
                    if not ids and is_mixed(design, trace, schema, keys, scope):
                        yield self.finding(
                            f"{trace.pattern.name}() gives {schema.name} items of whichever "
                            f"{scope}: {keys.index.name} does not part them, and the pattern does "
                            f"not know {scope}",
                            f"put {{{scope}}} into the partition key of {keys.index.name}; if this "
                            "is for administrators, ignore it with that reason",
                            trace=trace,
                            schema=schema,
                            keys=keys,
                            template=next(iter(keys.templates), None),
                        )
