"""From a SELECT to the ranges of rows that it reads, and the order it reads them in."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.engine.key_schemas import KeySchema
from singletable.engine.ranges import EVERYTHING, Range
from singletable.engine.schema import Table
from singletable.errors import ValidationException
from singletable.expressions import BoundCondition
from singletable.expressions.tree import Values
from singletable.values import Item

from .binding import BoundStatement, bound_condition, check_paths
from .statements import Select
from .where import Where, search, whole_key


@dataclass(frozen=True)
class Reading:
    """Where to read, in which direction, and which of the items found there to answer."""

    ranges: tuple[Range, ...]
    forward: bool
    filter: BoundCondition | None


def reading(schema: KeySchema, select: Select, values: Values) -> Reading:
    """Plan a SELECT on a key: a Query of each partition that it pins, or else a Scan."""
    descending = {name for name, is_descending in select.order if is_descending}
    where = Where.read(select.where, values)
    found = search(schema, where, last_first=not descending.isdisjoint(schema.hash_names))
    if select.order:
        _check_order(schema, select, pinned=found is not None)
    ranges, rest = found or ((EVERYTHING,), select.where)
    return Reading(
        ranges,
        forward=descending.isdisjoint(schema.range_names),
        filter=bound_condition(rest, values),
    )


def _check_order(schema: KeySchema, select: Select, *, pinned: bool) -> None:
    if select.where is None:
        raise ValidationException(
            "Must have WHERE clause in the statement when using ORDER BY clause."
        )
    if not pinned:
        raise ValidationException(
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        )
    for name, _ in select.order:
        if name not in schema.names:
            raise ValidationException(
                f"Variable reference {name} in ORDER BY clause must be part of the primary key"
            )


def whole_key_of(table: Table, bound: BoundStatement) -> Item | None:
    """Give the key that a SELECT names, if that is all that its WHERE does."""
    select = bound.statement
    assert isinstance(select, Select)
    if select.source.index:
        return None
    check_paths(table, select)
    found = whole_key(table.schema, Where.read(select.where, bound.values))
    return found.key if found and found.rest is None else None
