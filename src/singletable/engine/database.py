"""The database that operations work on: storage, catalog, clock, and how answers hold items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from singletable.errors import ResourceNotFoundException
from singletable.values import loads

from .arns import table_arn, table_name
from .catalog import Catalog
from .connections import blob
from .images import Row
from .schema import Table
from .shapes.members import check_table_name
from .storage import Storage
from .writing import Changing, Joining, Writing


@dataclass(frozen=True)
class Database:
    """What every operation works on, beside its request."""

    storage: Storage
    catalog: Catalog
    clock: Callable[[], float]
    region: str = "us-east-1"
    decode: Callable[[bytes], Any] = loads
    """Turns stored bytes into what answers hold: an item, or on the wire the bytes themselves."""
    stream_shards: int = 1
    """How many shards a new stream has open."""
    leaves: Callable[[], bool] | None = None
    """Tells of each item in a batch, one after the other, whether to leave it unprocessed."""

    def table(self, name: str) -> Table:
        """Find a table by its name or ARN."""
        table = self.catalog.known.get(name) or self.catalog.find(table_name(name))
        if table is None:
            check_table_name(name)
            missing = ResourceNotFoundException("Requested resource not found")
            missing.add_note(f"{self.storage.name} has no table {name!r}")
            raise missing
        return table

    def find(self, table: Table, key: bytes) -> Row | None:
        """Read one row, as it is now."""
        found = self.storage.fetchone(table.sql.find, (blob(key),))
        return Row(*found) if found else None

    def arn(self, table: Table, *rest: str) -> str:
        """Name a table, or something below it, for AWS's control plane."""
        return self.arn_of(table.name, *rest)

    def arn_of(self, name: str, *rest: str) -> str:
        """Name a table that may not be there, or something below it."""
        return table_arn(self.region, name, *rest)

    def write(self, *, is_sure: bool = False) -> Writing:
        """Open a transaction that writes items; it commits whole when the block ends.

        ``is_sure`` promises that whatever can be refused is refused before an item is written.
        """
        kind = Joining if is_sure and self.storage.is_together_here else Writing
        return kind(self.storage, self.catalog, self.clock)

    def change(self) -> Changing:
        """Open a writing transaction with a catalog that is up to date."""
        return Changing(self.write())
