"""H404: a filter throws away most of what was read."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.languages import finite
from singletable.check.rule import Rule
from singletable.errors import SingletableError
from singletable.expressions import And
from singletable.model.conditions import Check, Condition, Joined, Negated
from singletable.model.paging import Paged
from singletable.model.paths import field_of
from singletable.model.schema import Schema
from singletable.model.templates.annotations import format_of

KEPT_MIN = 0.5
_FEW = 0.05
_OF_RANGE = 0.5


class H404(Rule):
    """A filter throws away most of what the query reads.

    DynamoDB reads and charges first and filters then. A filter that keeps one item in twenty makes
    each result cost twenty, and makes pages come back nearly empty: the caller asks again and
    again, and slowly.

    Put the field into a key: at the end of the partition key of an index if it is compared for
    equality, first in the sort key if it is a range. Search for words belongs into a search index.
    """

    name = "filter-throws-away"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find filters that keep less than half of what the key gives."""
        for trace in design.planned:
            read = trace.read
            if not isinstance(read, Paged) or read.condition is None:
                continue
            share = kept(read.condition, read.schema)
            if share < KEPT_MIN:
                fields = ", ".join(sorted(read.condition.fields))
                yield self.finding(
                    f"{trace.pattern.name}() filters by {fields} after reading: about "
                    f"{100 * (1 - share):.0f} % of what is paid for is thrown away, and pages come "
                    "back short",
                    f"put {fields} into the key of an index",
                    trace=trace,
                    schema=read.schema,
                    keys=read.keys,
                )


def kept(condition: Condition, schema: Schema) -> float:
    """Estimate which share of items a condition keeps, from the types of its fields."""
    match condition:
        case Negated(inner):
            return 1 - kept(inner, schema)
        case Joined(node, several):
            shares = [kept(one, schema) for one in several]
            return prod(shares) if node is And else min(1.0, sum(shares))
        case Check(operator, operands):
            return _share(operator, len(operands) - 1, schema, operands[0].path)
    return 1.0


def _share(operator: str, options: int, schema: Schema, path: str) -> float:
    match operator:
        case "<>" | "attribute_exists" | "attribute_not_exists" | "attribute_type":
            return 1.0 if operator == "<>" else KEPT_MIN
        case "<" | "<=" | ">" | ">=" | "BETWEEN":
            return _OF_RANGE
        case "=" | "IN":
            return min(1.0, options * _equal(schema, path))
    return _FEW


def _equal(schema: Schema, path: str) -> float:
    """Estimate how many items have one certain value."""
    field = schema.fields.get(field_of(path))
    try:
        values = finite(format_of(field.annotation)) if field and field_of(path) == path else None
    except SingletableError:
        values = None
    return 1 / len(values) if values else _FEW
