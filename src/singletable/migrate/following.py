"""After the copy: what has changed in the source since it began is made to be so in the table.

A change only says which row. The row is read as it is now, with those that come along, and what it
becomes is put in place of what it became before; so changes may come twice, and in any order. Keys
that the row's old image made, and its new one does not, are deleted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from singletable.errors import UsageError
from singletable.store.writing.writes import identity

from .bookkeeping import Run
from .dual import settle_journal
from .migration import Rule
from .owners import Owners
from .phases import Cutover
from .rejects import write_rejects
from .running import Job, Sides, followed
from .sources.source import Changed, Id, Row, Source
from .told import Images, Told, older
from .transforming import reference_of
from .units import Placer, is_same

CHANGES = 500
POLL_S = 0.5
SETTLE_S = 10.0


def follow(
    job: Job,
    *,
    live: bool = False,
    stop: Callable[[], bool] = lambda: False,
    show: Callable[[int], None] | None = None,
) -> int:
    """Apply what has changed since the copy began; count the changes.

    Ends when there is nothing more to apply, or, ``live``, when ``stop`` says so, or when the new
    side is the right one. While others hold the writes it waits, if it is ``live``. What writers to
    both sides have left undone is settled, too.
    """
    total = 0
    job.folder.mkdir(parents=True, exist_ok=True)
    with (
        job.opened() as sides,
        closing(Told()) as told,
        closing(Owners(job.folder / f"{job.name}.owners")) as owners,
    ):
        begun, guard = _begun(job, sides), _Guard(Cutover(sides.store, job.name), live)
        guard.refuse_if_done()
        placer = Placer(sides, begun, owners)
        follower = _Follower(sides, Applier(sides, placer, told, guard.ask), told, begun)
        while not stop():
            try:
                count = follower.turn()
                if not count:
                    follower.settle(guard)
            except _Held:
                if guard.is_done:
                    break
                count = 0
            total += count
            if show is not None:
                show(follower.backlog)
            if not count:
                if not live:
                    break
                time.sleep(POLL_S)
        write_rejects(sides.books, job.name, sides.migration.rules, job.rejects)
    return total


class _Held(Exception):
    """Says that nothing may be applied now."""


@dataclass(slots=True)
class _Guard:
    """Knows whether the old side is still the right one, and whether writes are held."""

    cutover: Cutover
    live: bool

    @property
    def is_done(self) -> bool:
        return not self.cutover.look().writes_old

    def refuse_if_done(self) -> None:
        if self.is_done:
            raise UsageError(
                f"{self.cutover.migration} is done, and the new side is right: what changes on the "
                "old one is not to be brought there"
            )

    def ask(self) -> None:
        """Hold what goes on by itself while writes are held; who holds them goes on."""
        flags = self.cutover.look()
        if not flags.writes_old or (self.live and flags.is_paused):
            raise _Held


@dataclass(slots=True)
class _Follower:
    """Applies changes, turn by turn, and notes how far it came."""

    sides: Sides
    applier: Applier
    told: Told
    begun: Run
    _applied: str | None = None
    """Up to where; changes from further back are told again to who has not heard them."""
    _settled_at: float = float("-inf")

    @property
    def backlog(self) -> int:
        return followed(self.sides.source).backlog(self._position)

    @property
    def _position(self) -> str:
        position = self._applied or self.begun.position
        assert position is not None
        return position

    def turn(self) -> int:
        """Apply some changes; give their number."""
        source = followed(self.sides.source)
        changes, position = source.changes(self._position, CHANGES)
        self.applier.apply(changes)
        begin = self._forget(position, is_end=len(changes) < CHANGES)
        if (position, begin) != (self.begun.applied or self.begun.position, self.begun.position):
            noted = {"applied": position, "position": begin, "state": "following"}
            self.begun = self.sides.books.update(self.begun, noted)
        self._applied = position
        return len(changes)

    def _forget(self, position: str, *, is_end: bool) -> str | None:
        """Forget what is told to the end; give from where on the rest would be told again."""
        source, began = followed(self.sides.source), self.begun.position
        if self.told.is_empty or (is_end and not source.backlog(position)):
            self.told.forget()
            return position
        return self.told.forget_older(position) or began if is_end else began

    def settle(self, guard: _Guard) -> None:
        """Settle what writers to both sides have left undone, now and then."""
        guard.ask()
        if guard.cutover.look().writes_new and time.monotonic() - self._settled_at > SETTLE_S:
            settle_journal(self.sides, self.begun)
            self._settled_at = time.monotonic()


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
    """Is a row as it is now, and how it was and those were that came along with it."""

    root: Id
    row: Row | None
    images: Images
    passed: tuple[Row, ...] = ()
    """As it was when it was put in place before, in vain."""


class Applier:
    """Makes the table be as the source is, for rows that have changed.

    Before each row it lets ``ask`` say whether it may go on.
    """

    def __init__(self, sides: Sides, placer: Placer, told: Told, ask: Callable[[], None]) -> None:
        self._sides = sides
        self._placer = placer
        self._told = told
        self._ask = ask

    def apply(self, changes: Sequence[Changed]) -> None:
        """Apply changes, each row once, however often it changed."""
        for rule in self._sides.migration.rules.values():
            waiting = list(self._units(rule, changes))
            while waiting:
                for unit in waiting:
                    self._apply_unit(rule, unit)
                waiting = list(self._outdated(rule, waiting))

    def _units(self, rule: Rule, changes: Iterable[Changed]) -> Iterator[Unit]:
        source = self._sides.source
        changed: dict[Id, list[Changed]] = {}
        for change in changes:
            for root in _roots(source, rule, change):
                changed.setdefault(root, []).append(change)
        rows = source.fetch(rule.kind, list(changed), rule.related) if changed else []
        for (root, some), row in zip(changed.items(), rows, strict=True):
            made = partial(self._made, rule, root, row)
            yield Unit(root, row, self._told.add(reference_of(rule.kind, root), some, made))

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

    def _apply_unit(self, rule: Rule, unit: Unit) -> None:
        self._ask()
        rows = (*older(rule, unit.root, unit.row, unit.images), *unit.passed)
        before = [entity for row in rows for entity in self._placer.entities(rule, row)]
        self._placer.put(rule, unit.root, self._placer.make(rule, unit.row), before)

    def _outdated(self, rule: Rule, units: Sequence[Unit]) -> Iterator[Unit]:
        """Give units that changed since they were read, as they are now."""
        rows = self._sides.source.fetch(rule.kind, [unit.root for unit in units], rule.related)
        for unit, row in zip(units, rows, strict=True):
            if not is_same(unit.row, row):
                passed = (*unit.passed, *([unit.row] if unit.row else ()))
                yield replace(unit, row=row, passed=passed)


def _roots(source: Source, rule: Rule, change: Changed) -> Iterator[Id]:
    if change.kind == rule.kind:
        yield change.id
    column = rule.related.get(change.kind)
    if column is not None:
        [row] = source.fetch(change.kind, [change.id])
        holders = {image[column] for image in (row, change.old) if image is not None}
        yield from ((holder,) for holder in holders if holder is not None)
