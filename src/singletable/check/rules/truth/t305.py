"""T305: an aggregate that no item ever changes."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.check.states import can_be
from singletable.model.fields import Aggregate
from singletable.model.schema import Schema


class T305(Rule):
    """A count, a sum or an extreme is of items that cannot be.

    An aggregate names another entity, which may be declared later, and the values that decide
    which of its items count. If the table has no such entity, or the field no such value, nothing
    ever changes the number: it is 0 for ever, and looks like a fact.

    Name the class of the entity as it is spelt, and values that the field can have.
    """

    name = "aggregate-of-nothing"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find aggregates whose entity is not in the table, or whose values are none of its."""
        known = sorted({kind for one in design.schemas for kind in one.kinds})
        for schema in design.schemas:
            for field, declared in schema.aggregates.items():
                children = [one for one in design.schemas if declared.entity in one.kinds]
                if not children:
                    like = get_close_matches(declared.entity, known, n=1) or known
                    why, fix = "the table has no such entity", f"name the class: {', '.join(like)}"
                    yield self._of(schema, field, declared, why, fix)
                for name, allowed in declared.when if children else ():
                    if not any(can_be(one, name, value) for one in children for value in allowed):
                        why = f"no {declared.entity} has {name} in {allowed}"
                        fix = f"count values that {declared.entity}.{name} can have"
                        yield self._of(schema, field, declared, why, fix)

    def _of(self, schema: Schema, field: str, declared: Aggregate, why: str, fix: str) -> Finding:
        return self.finding(
            f"{schema.name}.{field} {declared}, and {why}: it stays as it begins, for ever",
            fix,
            schema=schema,
        )
