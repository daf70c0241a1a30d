"""H410: one write is a transaction of nearly 100 items."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import is_near
from singletable.check.rule import Rule
from singletable.store.writing.effects import rules_of

TRANSACTION_ITEMS_MAX = 100


class H410(Rule):
    """A write of one item is a transaction that comes near the limit of 100 items.

    Copies of a hot item, guards of unique values and counts on parents are written with the item,
    in one transaction. DynamoDB takes 100 items in it, charges each write twice, and refuses the
    whole if any of them is being changed at the moment: the more there are, the more often.

    Have fewer copies, count what changes often from the stream, and leave room for the writes that
    you make in the same transaction.
    """

    name = "large-transaction"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find entities of which one write needs many others."""
        for schema in design.schemas:
            rules = rules_of(schema)
            # A changed unique value releases a guard and takes another; a moved item counts twice.
            items = (schema.copies or 1) + 2 * len(rules.unique) + 2 * len(rules.counts)
            if is_near(items, TRANSACTION_ITEMS_MAX):
                yield self.finding(
                    f"a write of one {schema.name} is a transaction of up to {items} items; "
                    f"DynamoDB takes {TRANSACTION_ITEMS_MAX}, and refuses more",
                    "have fewer copies, or keep counts from the table's stream",
                    schema=schema,
                    severity="error" if items > TRANSACTION_ITEMS_MAX else None,
                )
