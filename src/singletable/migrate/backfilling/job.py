"""Which table is to be as which design has it: all that a process needs to know to do a part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from singletable.migrate.bookkeeping import Books
from singletable.migrate.migration import Migration
from singletable.migrate.pacing import Pace
from singletable.model.schema import Schema
from singletable.store.store import Store

DIGEST_BYTES = 6


@dataclass(frozen=True, slots=True)
class Backfill:
    """Says which table is brought to which design.

    A store has its items rewritten. A migration of ``@entities`` rules has new ones made of them,
    too.
    """

    design: type[Store | Migration[Any]]
    at: Any
    """The address of the store; in one process, whatever a store can connect to."""
    table_name: str | None = None
    objects: str | None = None
    folder: Path = Path()
    """Where rejects go."""
    units_per_s: float | None = None
    """How much may be consumed a second, by each worker."""

    @property
    def store(self) -> type[Store]:
        """Give the store whose design it is."""
        return self.design.store if issubclass(self.design, Migration) else self.design

    @property
    def migration(self) -> Migration[Any] | None:
        """Give the rules that make new entities, where there are any."""
        return self.design() if issubclass(self.design, Migration) else None

    @property
    def name(self) -> str:
        """Name what is done, after the class; another design has another name.

        So a pass that was stopped is gone on with only where it would do the same.
        """
        told = repr([_told(schema) for schema in self.store.table.entities.values()])
        digest = blake2b(told.encode(), digest_size=DIGEST_BYTES).hexdigest()
        return f"backfill-{self.design.__name__}-{digest}"

    @property
    def rejects(self) -> Path:
        """Give the file that tells the items which were left alone."""
        return self.folder / f"{self.design.__name__}.backfill.rejects.jsonl"

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Open the table, which must be there."""
        pace = Pace(self.units_per_s)
        with self.store.connect(
            self.at,
            table_name=self.table_name,
            objects=self.objects,
            create=False,
            observers=[pace.observe] if self.units_per_s else [],
        ) as store:
            yield Opened(store, pace)


@dataclass(frozen=True, slots=True)
class Opened:
    """A table that is open."""

    store: Store
    pace: Pace

    @property
    def books(self) -> Books:
        """Open the notes beside the table."""
        return Books.beside(self.store)


def _told(schema: Schema) -> Any:
    """Tell of an entity what decides how its items are stored."""
    fields = [
        (name, str(one.annotation), _written(one.default)) for name, one in schema.fields.items()
    ]
    keys = [(label, *map(str, keys.templates), keys.when) for label, keys in schema.indexes.items()]
    return schema.type, schema.version, schema.templates, schema.attributes, fields, keys


def _written(default: Any) -> str:
    """Write a default the same in every process, which repr does not of a set."""
    return repr(sorted(map(repr, default)) if isinstance(default, set | frozenset) else default)
