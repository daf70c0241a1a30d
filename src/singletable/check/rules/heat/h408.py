"""H408: items come near the limit of 400 KB."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import is_near
from singletable.check.rule import Rule
from singletable.check.sizes import longest_bytes
from singletable.values import ITEM_BYTES_MAX


class H408(Rule):
    """An item may be larger than DynamoDB takes, which is 400 KB.

    A write that makes an item larger is refused, and with it the transaction that it is part of.
    Until then, each read of the item costs a unit for every 4 KB, each write one for every 1 KB.

    Declare long text `Large[str]`: it is then kept in parts or in an object store, and the item has
    its beginning. Or make the members of a long list items of their own.
    """

    name = "item-too-large"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find entities whose declared lengths, or whose traffic, come near the limit."""
        for schema in design.schemas:
            said = design.traffic.entity(schema.name).bytes
            size = said or longest_bytes(schema)
            if is_near(size, ITEM_BYTES_MAX):
                how = "is on average" if said else "may be, by the lengths of its fields,"
                yield self.finding(
                    f"{schema.name} {how} {size / 1024:,.0f} KB; an item has at most 400 KB, and "
                    "what is larger is refused",
                    "declare the long text Large[str], or split the item",
                    schema=schema,
                    severity="error" if said and said > ITEM_BYTES_MAX else None,
                )
