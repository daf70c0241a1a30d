"""The look at a row, and at its items, as they are now: what is wrong with them, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import Any

from singletable.errors import StoreError
from singletable.migrate.bookkeeping import Rejected
from singletable.migrate.orphans import orphaned
from singletable.migrate.running import Sides
from singletable.migrate.sources.source import Row
from singletable.migrate.transforming import Made, Reject, name_of, reference_of
from singletable.model.fields import now
from singletable.model.large import Large
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.store.large.contents import load
from singletable.store.writing.uniqueness import TYPE as UNIQUE
from singletable.store.writing.writes import Identity, identity
from singletable.values import Item

from .comparing import Expected
from .reading import Task, comparer_of, transformer_of
from .results import Counts, Difference
from .scratch import Doubt, Scratch, named, referred

Pair = tuple[Expected, Item | None]


@dataclass(frozen=True, slots=True)
class Look:
    """A row as it was found, with what is in the table for it."""

    doubt: Doubt
    judged: Made | Reject | None
    """None where the row is gone, or was never one."""
    pairs: tuple[Pair, ...] = ()
    """What has to be there, and what is."""
    differences: tuple[Difference, ...] = ()
    is_rejected: bool = False

    @property
    def claims(self) -> tuple[Identity, ...]:
        """Give the keys that the row makes."""
        return () if self.is_rejected else tuple(identity(one.key) for one, _ in self.pairs)

    @property
    def stays_refused(self) -> bool:
        """Tell whether a row is among the rejects that could be written, but for another."""
        return self.is_rejected and isinstance(self.judged, Made)

    @property
    def signature(self) -> bytes:
        """Give a digest of what is wrong."""
        return blake2b(repr(self.differences).encode(), digest_size=16).digest()


class Looker:
    """Looks at rows and items, and never changes them."""

    def __init__(self, task: Task, sides: Sides, scratch: Scratch) -> None:
        self._task = task
        self._sides = sides
        self._scratch = scratch
        self._transformer = transformer_of(task, sides)
        self.comparer = comparer_of(task, sides)

    def look(self, doubts: Sequence[Doubt]) -> Iterator[Look]:
        """Look at rows again: first the row, then its items."""
        for kind, some in groupby(doubts, lambda doubt: referred(doubt.row)[0]):
            yield from self._look_at(kind, list(some))

    def _look_at(self, kind: str, doubts: list[Doubt]) -> Iterator[Look]:
        whole = [doubt for doubt in doubts if not doubt.broken]
        judged = self._judged_now(kind, [doubt.row for doubt in whole])
        expected = [
            list(self.comparer.expected(one)) if isinstance(one, Made) else [] for one in judged
        ]
        items = iter(self.read([one.key for each in expected for one in each]))
        for doubt, one, each in zip(whole, judged, expected, strict=True):
            yield self._compared(doubt, one, tuple((wanted, next(items)) for wanted in each))
        for doubt in (doubt for doubt in doubts if doubt.broken):
            yield self._refused(doubt, None, "it cannot be read")

    def fetch(self, kind: str, references: Sequence[str]) -> list[Row | None]:
        """Read rows as they are now."""
        related = self._sides.migration.rules[kind].related
        ids = [referred(one)[1] for one in references]
        return self._sides.source.fetch(kind, ids, related) if ids else []

    def read(self, keys: Sequence[Item]) -> list[Item | None]:
        """Read items as they are now."""
        if not keys:
            return []
        store = self._sides.store
        return run(get_items(store.context, keys, consistent=True), store.backend)

    def enter(self, look: Look, counts: Counts) -> None:
        """Count what was found."""
        if look.is_rejected:
            counts.rejected[referred(look.doubt.row)[0]] += 1
            return
        clashing = {one.key for one in look.differences if one.fault == "clash"}
        for expected, found in look.pairs:
            if identity(expected.key) not in clashing and not self._may_miss(expected, found):
                digest = self.comparer.digest
                tally = counts.tallies[expected.entity]
                tally.enter(digest(expected.item), None if found is None else digest(found))

    def _judged_now(self, kind: str, references: Sequence[str]) -> list[Made | Reject | None]:
        """Judge rows as they are now; of those that come along, only what no parent has."""
        parents = self._sides.migration.along.get(kind)
        if parents is None:
            return [self._judged(row) for row in self.fetch(kind, references)]
        ids = [referred(one)[1] for one in references]
        rows = self._sides.source.fetch_orphans(kind, parents, ids) if ids else []
        return [orphaned(row, parents) if row else None for row in rows]

    def _judged(self, row: Row | None) -> Made | Reject | None:
        if row is None:
            return None
        return self._transformer.transform(self._sides.migration.rules[row.kind], row)

    def _compared(
        self, doubt: Doubt, judged: Made | Reject | None, pairs: tuple[Pair, ...]
    ) -> Look:
        mine = [identity(expected.key) for expected, _ in pairs]
        self._scratch.release((key, doubt.row) for key in doubt.claims if key not in mine)
        if isinstance(judged, Reject):
            return self._refused(doubt, judged, judged.reason)
        if judged is None:
            return Look(doubt, None)
        makers = [self._maker(key, doubt.row) for key in mine]
        differences = tuple(self._differences(judged, doubt, pairs, makers))
        if differences and self._stays_refused(judged, pairs, makers, doubt):
            self._scratch.release((key, doubt.row) for key in mine)
            return Look(doubt, judged, is_rejected=True)
        return Look(doubt, judged, pairs, differences)

    def _refused(self, doubt: Doubt, judged: Reject | None, reason: str) -> Look:
        """Judge a row that cannot be written: it has to be among the rejects."""
        if self._is_listed(doubt):
            return Look(doubt, judged, is_rejected=True)
        fault = Difference(
            entity=referred(doubt.row)[0], fault="unlisted", found=reason, row=named(doubt.row)
        )
        return Look(doubt, judged, differences=(fault,))

    def _is_listed(self, doubt: Doubt) -> bool:
        kind, id_ = referred(doubt.row)
        row_id = reference_of(kind, id_)
        key = {"name": self._task.begun.name, "kind": kind, "row_id": row_id}
        return self._sides.books.bind(Rejected.get(**key).strong()).first() is not None

    def _stays_refused(
        self, made: Made, pairs: tuple[Pair, ...], makers: list[str], doubt: Doubt
    ) -> bool:
        """Tell whether a row is among the rejects, and another still has what it needs.

        When the migration is done it stays there, whatever others have given up since.
        """
        taken = any(maker != doubt.row for maker in makers) or any(
            found is not None and self.comparer.digest(found) != self.comparer.digest(one.item)
            for one, found in pairs
            if one.entity == UNIQUE
        )
        is_absent = all(found is None for one, found in pairs if one.entity != UNIQUE)
        return (taken or (self._task.is_done and is_absent)) and self._is_listed(doubt)

    def _maker(self, key: Identity, row: str) -> str:
        """Tell which row makes an item now: this, or the one known to, if it still does."""
        [(_, maker)] = self._scratch.claim([(key, row)])
        if maker == row:
            return row
        kind, _ = referred(maker)
        judged = self._judged(self.fetch(kind, [maker])[0])
        if isinstance(judged, Made) and any(
            identity(one.key) == key for one in self.comparer.expected(judged)
        ):
            return maker
        self._scratch.release([(key, maker)])
        self._scratch.claim([(key, row)])
        return row

    def _differences(
        self, made: Made, doubt: Doubt, pairs: tuple[Pair, ...], makers: list[str]
    ) -> Iterator[Difference]:
        row = name_of(made.row)
        for (expected, found), maker in zip(pairs, makers, strict=True):
            about: dict[str, Any] = {
                "entity": expected.entity,
                "key": identity(expected.key),
                "row": row,
            }
            if maker != doubt.row:
                yield Difference(fault="clash", found=named(maker), **about)
            elif found is not None:
                for field, wanted, there in self.comparer.fields(expected.item, found):
                    yield Difference(
                        fault="different", field=field, expected=wanted, found=there, **about
                    )
                yield from self._broken_contents(expected, found, about)
            elif not self._may_miss(expected, found):
                yield Difference(fault="missing", **about)

    def _may_miss(self, expected: Expected, found: Item | None) -> bool:
        return found is None and self.comparer.is_over(expected.item, now())

    def _broken_contents(
        self, expected: Expected, found: Item, about: dict[str, Any]
    ) -> Iterator[Difference]:
        schema = self._sides.store.table.entities.get(self.comparer.type(expected.item))
        if not self._task.content or schema is None or schema.type != self.comparer.type(found):
            return
        values, _ = schema.items.values(found)
        for field in schema.large:
            large = values.get(field)
            if isinstance(large, Large) and large.stored is not None:
                try:
                    run(load(self._sides.store.context, large), self._sides.store.backend)
                except StoreError as error:
                    yield Difference(
                        fault="different",
                        field=field,
                        expected=repr(large),
                        found=str(error),
                        **about,
                    )
