"""H405: a pattern reads far more than it returns."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import READ_UNIT_BYTES
from singletable.check.rule import Rule
from singletable.check.sizes import expected_bytes
from singletable.model.projections import projected_fields
from singletable.model.reads import Get, Query

RETURNED_MIN = 0.5
ITEM_BYTES_MIN = 1024


class H405(Rule):
    """A pattern takes a few fields of items that it pays for as a whole.

    A projection saves bytes on the wire and no capacity: DynamoDB charges for the items as they
    are stored. A list of titles that reads whole articles costs what the articles cost.

    Give the list an index that holds only those fields (`GlobalIndex("GSI1", projection=[…])`), or
    split the item: what lists show in one, the long text in another or in `Large`.
    """

    name = "reads-more-than-it-returns"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find shapes that are a small part of the items that are read."""
        for trace in design.planned:
            read = trace.read
            if not isinstance(read, Query | Get) or read.shape is None or not trace.reads:
                continue
            schema, keys = trace.reads[0]
            if keys.index.projection != "ALL":
                continue
            fields = projected_fields(read.shape, schema)
            part, all_of_it = expected_bytes(schema, fields), expected_bytes(schema, schema.fields)
            # An item of less than a unit costs a unit, whatever is left of it.
            is_dear = all_of_it > (READ_UNIT_BYTES if isinstance(read, Get) else ITEM_BYTES_MIN)
            if is_dear and part < all_of_it * RETURNED_MIN:
                left = [name for name in schema.fields if name not in fields]
                heavy = sorted(left, key=lambda name: -expected_bytes(schema, [name]))
                yield self.finding(
                    f"{trace.pattern.name}() returns about {100 * part / all_of_it:.0f} % of what "
                    f"it pays for: DynamoDB reads {schema.name} whole, {heavy[0]} included",
                    f"list them from an index whose projection is {', '.join(fields)}, or keep "
                    f"{heavy[0]} in an item of its own",
                    trace=trace,
                    schema=schema,
                    keys=keys,
                )
