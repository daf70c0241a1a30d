"""Rows that have changed, put in place as they are now.

A change only says which row. The row is read, with those that come along, and what it becomes is
put in place of what it became before; so changes may come twice, and in any order. Keys that the
row's old image made, and its new one does not, are deleted. In a file, what comes of many rows
reaches the disk at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from singletable.model.entity import Entity
from singletable.store.writing.writes import identity

from .copying import together
from .counting import Recounter
from .migration import Rule
from .running import Sides
from .sources.source import Changed, Id, Row
from .told import Images, Told, older
from .transforming import Made, Reject, drafts_of, reference_of
from .units import Placer, is_same

HELD_S = 0.2
"""For how long others may have to wait for a file."""
ROUNDS = 5
"""So often a row is put again that changes meanwhile: each change is told, so later ones are later.

Without an end, one that changes as fast as it is put would keep all others waiting.
"""

Roots = dict[Id, list[Changed]]
"""Rows that have changed, or of which one that comes along has, with what was told of them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A row as it is now, and how it was and those were that came along with it."""

    root: Id
    row: Row | None
    images: Images
    passed: tuple[Row, ...] = ()
    """As it was when it was put in place before, in vain."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What comes of a row, and what came of it before."""

    root: Id
    made: Made | Reject | None
    before: list[Entity]


class Applier:
    """Makes the table be as the source is, for rows that have changed.

    Before each row it lets ``ask`` say whether it may go on.
    """

    def __init__(self, sides: Sides, placer: Placer, told: Told, ask: Callable[[], object]) -> None:
        self._sides = sides
        self._placer = placer
        self._told = told
        self._ask = ask
        self._counts = Recounter(sides.store)

    def apply(self, changes: Sequence[Changed], *, again: bool = False) -> bool:
        """Apply changes, each row once, however often it changed; tell whether all stay so.

        ``again``, where another may have died over them: what it put it may not have counted, so
        that has to be done when all is there.
        """
        whole = True
        for rule in self._sides.migration.rules.values():
            units = waiting = list(self._units(rule, changes))
            for _ in range(ROUNDS if waiting else 0):
                self._put_all(rule, waiting)
                # Only now, when all is there for others to see, is it known who was last.
                waiting = list(self._outdated(rule, waiting))
                if not waiting:
                    break
            whole &= not waiting
            self._list_orphans(rule, changes, units)
            if again:
                self._owe(rule, units)
        return whole

    def _list_orphans(self, rule: Rule, changes: Sequence[Changed], units: Sequence[Unit]) -> None:
        """Have rows listed that should come along and have changed, if they belong to none."""
        for kind in rule.related.keys() & self._sides.migration.along.keys():
            ids = {change.id: None for change in changes if change.kind == kind}
            if units and self._placer.has_listed(kind):  # one of these may have come to its parent
                rows = (unit.row for unit in units if unit.row)
                ids |= {one.id: None for row in rows for one in row.related[kind]}
            self._placer.list_orphans(kind, list(ids))

    def recount(self) -> bool:
        """Count what was applied again; tell whether that could be done."""
        is_done = self._counts.recount()
        if is_done:
            self._counts = Recounter(self._sides.store)
        return is_done

    # What has changed

    def _units(self, rule: Rule, changes: Sequence[Changed]) -> Iterator[Unit]:
        roots = self._roots(rule, changes)
        rows = self._sides.source.fetch(rule.kind, list(roots), rule.related) if roots else []
        for (root, some), row in zip(roots.items(), rows, strict=True):
            made = partial(self._made, rule, root, row)
            yield Unit(root, row, self._told.add(reference_of(rule.kind, root), some, made))

    def _roots(self, rule: Rule, changes: Sequence[Changed]) -> Roots:
        """Find the rows of a rule: of one that comes along, those it belonged to and belongs to."""
        roots: Roots = {}
        now = {kind: self._now(kind, changes) for kind in rule.related}
        for change in changes:
            if change.kind == rule.kind:
                roots.setdefault(change.id, []).append(change)
            if change.kind in rule.related:
                column = rule.related[change.kind]
                images = (now[change.kind][change.id], change.old)
                holders = {image.get(column) for image in images if image is not None}
                for holder in holders - {None}:
                    roots.setdefault((holder,), []).append(change)
        return roots

    def _now(self, kind: str, changes: Iterable[Changed]) -> dict[Id, Row | None]:
        ids = list(dict.fromkeys(change.id for change in changes if change.kind == kind))
        rows = self._sides.source.fetch(kind, ids) if ids else []
        return dict(zip(ids, rows, strict=True))

    def _made(self, rule: Rule, root: Id, row: Row | None, change: Changed) -> Hashable:
        """Name the keys that a row made as it was, alone or with the one that it came along with.

        Where that cannot be told it is the row itself.
        """
        assert change.old is not None
        related: dict[str, list[Row]] = {kind: [] for kind in rule.related}
        image = change.old
        if change.kind != rule.kind:
            related[change.kind] = [Row(change.kind, change.id, change.old)]
            image = row.data if row else {}
        made = self._placer.entities(rule, Row(rule.kind, root, image, related))
        keys = (identity(one.__schema__.item_key(one.__dict__)) for one in made)
        return frozenset(keys) or repr(change.old)

    def _outdated(self, rule: Rule, units: Sequence[Unit]) -> Iterator[Unit]:
        """Give units that changed since they were read, as they are now."""
        rows = self._sides.source.fetch(rule.kind, [unit.root for unit in units], rule.related)
        for unit, row in zip(units, rows, strict=True):
            if not is_same(unit.row, row):
                passed = (*unit.passed, *([unit.row] if unit.row else ()))
                yield replace(unit, row=row, passed=passed)

    # What comes of it

    def _put_all(self, rule: Rule, units: Sequence[Unit]) -> None:
        """Put units in place, in a file by few commits; not if the source is the same file."""
        works = (self._work(rule, unit) for unit in units)
        alone = len(units) == 1 or self._sides.migration.in_place
        for first in works:
            with nullcontext() if alone else self._together():
                until = monotonic() + (0 if alone else HELD_S)
                self._put(rule, first)
                while monotonic() < until and (one := next(works, None)):
                    self._put(rule, one)
            self._sides.pace.wait()

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Have all reach the disk at once; content that items leave goes when they have left it."""
        store = self._sides.store
        objects = store.context.objects
        with objects.deleting_later() if objects else nullcontext(), together(store.backend):
            yield

    def _work(self, rule: Rule, unit: Unit) -> _Work:
        rows = (*older(rule, unit.root, unit.row, unit.images), *unit.passed)
        before = [entity for row in rows for entity in self._placer.entities(rule, row)]
        return _Work(unit.root, self._placer.make(rule, unit.row), before)

    def _put(self, rule: Rule, work: _Work) -> None:
        self._ask()
        self._placer.put(rule, work.root, work.made, work.before)

    def _owe(self, rule: Rule, units: Sequence[Unit]) -> None:
        """Remember to count what is around what came of rows; in place, others do."""
        for unit in () if self._sides.migration.in_place else units:
            work = self._work(rule, unit)
            self._counts.owe([*work.before, *(draft.entity for draft in drafts_of(work.made))])
