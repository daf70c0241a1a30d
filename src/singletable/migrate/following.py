"""After the copy: what has changed in the source since it began is made to be so in the table.

A change only says which row. The row is read as it is now, with those that come along, and what it
becomes is put in place of what it became before; so changes may come twice, and in any order. Keys
that the row's old image made, and its new one does not, are deleted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from singletable.errors import NotFound, StoreError, UsageError
from singletable.model.entity import Entity
from singletable.store.drivers import run
from singletable.store.writing.writes import identity

from .bookkeeping import Rejected, Run
from .items import fixed
from .migration import Rule
from .placing import place, remove
from .rejects import rejected, write_rejects
from .running import Job, Sides, followed
from .sources.source import Changed, Id, Row, Source
from .transforming import Made, Reject, Transformer, name_of, reason_of
from .writing import write

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
        source, applier = followed(sides.source), Applier(sides, begun)
        while not stop():
            assert begun.position is not None
            changes, position = source.changes(begun.position, CHANGES)
            while not applier.apply(changes):
                more, position = source.changes(position, CHANGES)
                changes = [*changes, *more]
                if not more:
                    applier.apply(changes, all_told=True)
                    break
            if position != begun.position:
                begun = sides.books.update(begun, position=position, state="following")
            total += len(changes)
            if show is not None:
                show(source.backlog(position))
            if not changes:
                if not live:
                    break
                time.sleep(POLL_S)
        write_rejects(sides.books, job.name, sides.migration.rules, job.rejects)
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


@dataclass(frozen=True, slots=True)
class Unit:
    """Is a row as it is now, and what changed of it or came along with it."""

    root: Id
    row: Row | None
    changed: tuple[Changed, ...]


class Applier:
    """Makes the table be as the source is, for rows that have changed."""

    def __init__(self, sides: Sides, begun: Run) -> None:
        self._sides = sides
        self._name = begun.name
        self._context = fixed(sides.store.context, begun.began_at)
        self._transformer = Transformer(sides.migration, self._context, begun.began_at)
        kinds = sides.migration.rules
        refused = (one for kind in kinds for one in sides.books.rejected(begun.name, kind))
        self._rejected = {one.row_id for one in refused}

    def apply(self, changes: Sequence[Changed], *, all_told: bool = False) -> bool:
        """Apply changes, each row once, however often it changed.

        Rows that came along with one which is gone by now can only be known from what that one
        was, and a later change tells it: then nothing is done, and False given, unless all is told.
        """
        rules = self._sides.migration.rules.values()
        work = [(rule, list(self._units(rule, changes))) for rule in rules]
        if not all_told and any(_is_untold(rule, one) for rule, units in work for one in units):
            return False
        for rule, units in work:
            for unit in units:
                self._apply_unit(rule, unit)
        return True

    def _units(self, rule: Rule, changes: Iterable[Changed]) -> Iterator[Unit]:
        source = self._sides.source
        changed: dict[Id, list[Changed]] = {}
        for change in changes:
            for root in _roots(source, rule, change):
                changed.setdefault(root, []).append(change)
        rows = source.fetch(rule.kind, list(changed), rule.related) if changed else []
        for (root, some), row in zip(changed.items(), rows, strict=True):
            yield Unit(root, row, tuple(some))

    def _apply_unit(self, rule: Rule, unit: Unit) -> None:
        root, row = unit.root, unit.row
        older = _older(rule, root, row, unit.changed)
        before = [entity for old in older for entity in self._entities(rule, old)]
        made = None if row is None else self._transformer.transform(rule, row)
        after = made.drafts if isinstance(made, Made) else ()
        kept = {draft.key for draft in after}
        for entity in before:
            if identity(entity.__schema__.item_key(entity.__dict__)) not in kept:
                run(remove(self._context, entity), self._sides.store.backend)
        if isinstance(made, Made):
            made = self._placed(made)
        self._note(rule, root, made)

    def _placed(self, made: Made) -> Made | Reject:
        """Put what a row becomes; where a parent is not there to count it, as the copy does."""
        backend = self._sides.store.backend
        try:
            for draft in made.drafts:
                run(place(self._context, draft.entity), backend)
        except NotFound:
            _, refused = run(write(self._context, [made]), backend)
            return refused[0] if refused else made
        except StoreError as error:
            return Reject(made.row, reason_of(error))
        return made

    def _note(self, rule: Rule, root: Id, made: Made | Reject | None) -> None:
        """Keep a row that was refused, and forget one that no longer is."""
        name = name_of(Row(rule.kind, root, {}))
        if isinstance(made, Reject):
            self._sides.books.put(rejected(self._name, made))
            self._rejected.add(name)
        elif name in self._rejected:
            key = Rejected.key(name=self._name, kind=rule.kind, row_id=name)
            self._sides.books.delete(key)
            self._rejected.discard(name)

    def _entities(self, rule: Rule, row: Row) -> list[Entity]:
        """Give what a row became before; nothing, if it was refused."""
        try:
            return self._transformer.entities(rule, row)
        except Exception:  # noqa: BLE001 - it was refused, so there is nothing of it
            return []


def _is_untold(rule: Rule, unit: Unit) -> bool:
    """Tell whether a row is gone, others that came along changed, and what it was is not told."""
    return unit.row is None and not any(change.kind == rule.kind for change in unit.changed)


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
