"""What a request on items touches: which tables, indexes and partitions, to read or to write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from singletable.engine.accesses import LEADING, accesses
from singletable.engine.arns import parse
from singletable.engine.database import Database
from singletable.engine.operations import Request
from singletable.engine.schema import Table

Kind = Literal["Read", "Write"]

READS = frozenset({"GetItem", "Query", "Scan", "BatchGetItem", "PartiQLSelect"})


@dataclass(frozen=True, slots=True)
class Touch:
    """A table, or a global index of it, that a request reads from or writes to."""

    table: Table
    index: str | None
    kind: Kind
    partitions: tuple[str, ...]
    """The partition keys that the request names."""


def touches(db: Database, operation: str, request: Request) -> Iterator[Touch]:
    """List what a request touches; what is wrong with the request may be raised."""
    for access in accesses(db, operation, request):
        place = parse(access.resource)
        assert place is not None, access.resource
        table = db.table(place.table)
        kind: Kind = "Read" if access.action in READS else "Write"
        index = global_index(table, place.name)
        yield Touch(table, index, kind, access.context.get(LEADING, ()))


def global_index(table: Table, name: str | None) -> str | None:
    """Give the name of a global index, or None: a local one is a part of its table."""
    found = table.indexes.get(name) if name else None
    return found.name if found and found.scope == "GSI" else None
