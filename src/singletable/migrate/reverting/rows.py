"""Rows of the old side, made of entities again: what to write there, and what to delete.

Parents are written before their children, and deleted after them. Where a row is refused all the
same, because one it refers to has not come yet, it is tried again when others have.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from singletable.errors import DesignError
from singletable.migrate.migration import BackRule, Both, Migration
from singletable.migrate.sources.source import Id, Row, Writable
from singletable.migrate.units import Placer
from singletable.model.entity import Entity
from singletable.store.store import Store

from .roots import Root, key_of, living
from .strong import Strong

RowName = tuple[str, Id]


@dataclass(slots=True)
class Work:
    """What has to be done on the old side for some entities."""

    puts: dict[RowName, Mapping[str, Any]] = field(default_factory=dict)
    deletes: dict[RowName, None] = field(default_factory=dict)

    def add(self, other: Work) -> None:
        """Take more to do; what one entity puts, another does not delete."""
        self.puts |= other.puts
        for name in other.puts:
            self.deletes.pop(name, None)
        self.deletes |= {name: None for name in other.deletes if name not in self.puts}

    def keeping(self, rows: Container[RowName]) -> Work:
        """Give the same without deleting some rows, which others put."""
        return Work(self.puts, {name: None for name in self.deletes if name not in rows})

    def __len__(self) -> int:
        return len(self.puts) + len(self.deletes)


class Maker:
    """Makes the work for entities."""

    def __init__(
        self, migration: Migration[Any], store: Store, source: Writable, placer: Placer
    ) -> None:
        self._migration = migration
        self._store = store.through(Strong(store.backend))
        self._source = source
        self._placer = placer
        self._kinds = source.kinds()

    def work(self, root: Root, now: Entity | None) -> Work:
        """Say what has to be done for an entity as it is now, or that is gone."""
        work = Work()
        for row in self._rows(root.rule, now) if now is not None else ():
            work.add(self._put(row))
        before = {
            self._named(row): row
            for old in root.olds
            for row in self._rows(root.rule, old, is_gone=True)
        }
        for name, row in before.items():
            if name not in work.puts:
                work.add(self._delete(root.rule, row))
        return work

    def do(self, work: Work) -> None:
        """Do it, kind by kind."""
        order = list(
            dict.fromkeys((*self._kinds, *(kind for kind, _ in (*work.puts, *work.deletes))))
        )
        for kind in order:
            rows = [row for (one, _), row in work.puts.items() if one == kind]
            if rows:
                self._source.put(kind, rows)
        for kind in reversed(order):
            ids = [id_ for one, id_ in work.deletes if one == kind]
            if ids:
                self._source.delete(kind, ids)

    def _rows(self, rule: BackRule, entity: Entity, *, is_gone: bool = False) -> Iterator[Row]:
        both = Both(self._store, self._source, self._migration.rules, is_gone)
        yield from rule.method(self._migration, entity, both)

    def _put(self, row: Row) -> Work:
        """Put a row with those that come along, in the place of those that came along before."""
        work = Work({self._named(row): self._data(row)})
        related = self._related(row.kind)
        for kind in row.related.keys() - related.keys():
            raise DesignError(
                f"A row of {row.kind} is made again with rows of {kind}, which did not come along "
                f"with it: name them in @rows({row.kind!r}, related=…), or yield each by itself"
            )
        before = self._fetched(row, {kind: related[kind] for kind in row.related})
        for kind, others in row.related.items():
            work.puts |= {self._named(one): self._data(one) for one in others}
            gone = before.related[kind] if before else ()
            work.add(Work(deletes={self._named(one): None for one in gone}))
        return work

    def _delete(self, rule: BackRule, row: Row) -> Work:
        """Delete a row with those that come along, unless another entity stands in it by now."""
        before = self._fetched(row, self._related(row.kind))
        if before is None or self._has_another(rule, before):
            return Work()
        rows = [before, *(one for others in before.related.values() for one in others)]
        return Work(deletes={self._named(one): None for one in rows})

    def _has_another(self, rule: BackRule, row: Row) -> bool:
        """Tell whether an entity is there that the row stands for as it is."""
        forth = self._migration.rules.get(row.kind)
        made = self._placer.entities(forth, row) if forth else []
        roots = [Root(rule, key_of(rule.entity, one)) for one in made if type(one) is rule.entity]
        return any(now is not None for _, now in living(self._store, roots))

    def _fetched(self, row: Row, related: Mapping[str, str]) -> Row | None:
        [found] = self._source.fetch(row.kind, [row.id], related)
        return found

    def _related(self, kind: str) -> Mapping[str, str]:
        rule = self._migration.rules.get(kind)
        return rule.related if rule else {}

    def _named(self, row: Row) -> RowName:
        return row.kind, tuple(row.id)

    def _data(self, row: Row) -> dict[str, Any]:
        """Give all columns of a row, those of its key among them."""
        kind = self._kinds.get(row.kind)
        return {**(dict(zip(kind.key, row.id, strict=True)) if kind else {}), **row.data}
