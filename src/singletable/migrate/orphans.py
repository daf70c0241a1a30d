"""Rows that should come along with another, which is not there: no rule is ever given them.

So they are looked for in the source by themselves, and told among the rejects.
"""

from __future__ import annotations

from .sources.source import Broken, Parents, Row
from .transforming import Reject


def orphaned(row: Row | Broken, parents: Parents) -> Reject:
    """Refuse a row that none of its parents has, and say which are missing."""
    if isinstance(row, Broken):
        return Reject(row, row.reason)
    missing = (_missing(row.get(column), parent, column) for parent, column in parents.items())
    return Reject(row, "; ".join(missing))


def parentless(parents: Parents) -> str:
    """Say why rows are refused that none of their parents has, whichever of these are missing."""
    columns = (
        f"no row of {parent} has the key in its {column}" for parent, column in parents.items()
    )
    return ", and ".join(columns)


def _missing(value: object, parent: str, column: str) -> str:
    if value is None or value == "":
        return f"it has no {column}, so it belongs to no row of {parent}"
    return f"it belongs by {column} to {parent}/{value}, which is not there"
