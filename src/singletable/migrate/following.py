"""After the copy: what has changed in the source since it began is made to be so in the table.

A change only says which row. The row is read as it is now, with those that come along, and what it
becomes is put in place of what it became before; so changes may come twice, and in any order. Keys
that the row's old image made, and its new one does not, are deleted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from singletable.errors import SingletableError, UsageError
from singletable.model.entity import Entity
from singletable.store.drivers import run

from .bookkeeping import Run
from .items import fixed, keys
from .migration import Rule
from .placing import place, remove
from .rejects import rejected
from .running import Job, Sides, followed
from .sources.source import Changed, Id, Row, Source
from .transforming import Reject, Transformer, reason_of

CHANGES = 500
POLL_S = 0.5


def follow(
    job: Job,
    *,
    live: bool = False,
    stop: Callable[[], bool] = lambda: False,
    show: Callable[[int], None] | None = None,
) -> int:
    """Apply what has changed since the copy began; count the changes.

    Ends when there is nothing more to apply, or, ``live``, when ``stop`` says so.
    """
    total = 0
    with job.opened() as sides:
        begun = _begun(job, sides)
        source = followed(sides.source)
        while not stop():
            assert begun.position is not None
            changes, position = source.changes(begun.position, CHANGES)
            Applier(sides, begun).apply(changes)
            if position != begun.position:
                begun = sides.books.update(begun, position=position, state="following")
            total += len(changes)
            if show is not None:
                show(source.backlog(position))
            if not changes:
                if not live:
                    break
                time.sleep(POLL_S)
    return total


def _begun(job: Job, sides: Sides) -> Run:
    begun = sides.books.run_of(job.name).first()
    if begun is None or begun.state == "copying":
        raise UsageError(f"{job.name} is not copied yet: changes are applied after that; run it")
    if begun.position is None:
        raise UsageError(
            f"{job.name} was copied without noting changes: run it with follow from the beginning"
        )
    return begun


class Applier:
    """Makes the table be as the source is, for rows that have changed."""

    def __init__(self, sides: Sides, begun: Run) -> None:
        self._sides = sides
        self._name = begun.name
        self._context = fixed(sides.store.context, begun.began_at)
        self._transformer = Transformer(sides.migration, self._context, begun.began_at)

    def apply(self, changes: Sequence[Changed]) -> None:
        """Apply changes, each row once, however often it changed."""
        for rule in self._sides.migration.rules.values():
            units = _units(self._sides.source, rule, changes)
            if units:
                self._apply_rule(rule, units)

    def _apply_rule(self, rule: Rule, units: dict[Id, list[Changed]]) -> None:
        now = self._sides.source.fetch(rule.kind, list(units), rule.related)
        for (root, changed), row in zip(units.items(), now, strict=True):
            self._apply_unit(rule, root, row, changed)

    def _apply_unit(
        self, rule: Rule, root: Id, row: Row | None, changed: Sequence[Changed]
    ) -> None:
        before = [
            entity
            for old in _older(rule, root, row, changed)
            for entity in self._entities(rule, old)
        ]
        try:
            after = [] if row is None else self._transformer.entities(rule, row)
            kept = {str(key) for entity in after for key in keys(entity)}
            for entity in before:
                if not kept.issuperset(map(str, keys(entity))):
                    run(remove(self._context, entity), self._sides.store.backend)
            for entity in after:
                run(place(self._context, entity), self._sides.store.backend)
        except SingletableError as error:
            assert row is not None
            self._sides.books.put(rejected(self._name, Reject(row, reason_of(error))))

    def _entities(self, rule: Rule, row: Row) -> list[Entity]:
        """Give what a row became before; nothing, if it was refused."""
        try:
            return self._transformer.entities(rule, row)
        except Exception:  # noqa: BLE001 - it was refused, so there is nothing of it
            return []


def _units(source: Source, rule: Rule, changes: Iterable[Changed]) -> dict[Id, list[Changed]]:
    """Give the rows of a rule that changes concern, by what changed of them or came along."""
    units: dict[Id, list[Changed]] = {}
    for change in changes:
        for root in _roots(source, rule, change):
            units.setdefault(root, []).append(change)
    return units


def _roots(source: Source, rule: Rule, change: Changed) -> Iterator[Id]:
    if change.kind == rule.kind:
        yield change.id
    column = rule.related.get(change.kind)
    if column is not None:
        [row] = source.fetch(change.kind, [change.id])
        holders = {image[column] for image in (row, change.old) if image is not None}
        yield from ((holder,) for holder in holders if holder is not None)


def _older(rule: Rule, root: Id, row: Row | None, changed: Sequence[Changed]) -> Iterator[Row]:
    """Give a unit as it was before the changes, as far as they tell: once for each of its roots."""
    related = {kind: list(_with_old(kind, row, changed)) for kind in rule.related}
    images = [change.old for change in changed if change.kind == rule.kind and change.old]
    if row is not None:
        images.append(row.data)
    for image in images:
        yield Row(rule.kind, root, image, related)


def _with_old(kind: str, row: Row | None, changed: Iterable[Changed]) -> Iterator[Row]:
    """Give the rows that came along before: those that do now, but for what they were then."""
    old = {change.id: change.old for change in changed if change.kind == kind and change.old}
    yield from (one for one in (row.related[kind] if row else ()) if one.id not in old)
    yield from (Row(kind, name, image) for name, image in old.items())
