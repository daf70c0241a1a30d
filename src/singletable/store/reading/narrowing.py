"""What a store adds to the filters of counts and scans: their types alone, and nothing expired.

A page leaves such items out once they are read. A count never sees them, and a scan need not carry
what it would only throw away, so there the service does it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from singletable.errors import UsageError
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.values import AttributeValue, Item


class Clause(NamedTuple):
    """A part of a filter, on one attribute."""

    text: str
    name: str
    attribute: str
    values: Item


def of_family(schema: Schema) -> Clause:
    """Leave out items of other types; one without a type is told by its key, once it is read."""
    if not schema.family:
        raise UsageError(f"{schema.name} is a base, and no entity is derived from it: no items")
    kinds: Item = {f":t{at}": {"S": kind} for at, kind in enumerate(schema.family)}
    text = f"(attribute_not_exists(#t) OR #t IN ({', '.join(kinds)}))"
    return Clause(text, "#t", schema.table.type_attribute, kinds)


def unexpired(table: Table, at: datetime) -> Clause:
    """Leave out what has expired; an expiry that is no number is none."""
    text = "(attribute_not_exists(#e) OR NOT #e <= :e)"
    return Clause(text, "#e", table.ttl, {":e": {"N": str(math.floor(at.timestamp()))}})


def narrow(
    base: dict[str, Any],
    clauses: Sequence[Clause],
    names: Mapping[str, str],
    values: Mapping[str, AttributeValue],
) -> tuple[dict[str, str], Item]:
    """Put clauses into a request's filter; give its names and values with theirs."""
    asked = [f"({base['FilterExpression']})"] if "FilterExpression" in base else []
    texts = [*asked, *(clause.text for clause in clauses)]
    if texts:
        base["FilterExpression"] = " AND ".join(texts)
    more_values: Item = {**values}
    for clause in clauses:
        more_values |= clause.values
    return {**names, **{clause.name: clause.attribute for clause in clauses}}, more_values
