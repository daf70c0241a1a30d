"""Repair: what rows make is written as the copy writes it, and what no row makes is deleted.

It believes the source, so it is for the time before the new side is written to by others. Each row
is read once more before it is written; rows that were refused, too, after the rest is mended, as
what another had may be free then. Large content of what is deleted is left to a sweep.
"""

from __future__ import annotations

from collections.abc import Iterable

from singletable.errors import ConditionalCheckFailedException
from singletable.expressions import Condition
from singletable.migrate.bookkeeping import Rejected
from singletable.migrate.items import Draft, fixed
from singletable.migrate.rejects import rejected
from singletable.migrate.running import Sides
from singletable.migrate.sources.source import Broken, Row
from singletable.migrate.transforming import Made, Reject, reference_of
from singletable.migrate.units import Placer
from singletable.migrate.writing import write
from singletable.model.fields import now
from singletable.store.drivers import run
from singletable.store.writing.uniqueness import OWNER
from singletable.store.writing.uniqueness import TYPE as UNIQUE
from singletable.store.writing.writes import Delete, equals, every, identity
from singletable.values import AttributeValue, Item

from .comparing import Comparer
from .looking import Look, Looker
from .reading import Task
from .scratch import Unmade, referred

CONDITIONS_MAX = 50
"""An expression may have 300 operators."""
SHORT_MAX = 200


class Mender:
    """Makes the table be as the source is."""

    def __init__(self, task: Task, sides: Sides, looker: Looker) -> None:
        self._task = task
        self._sides = sides
        self._looker = looker
        self._comparer: Comparer = looker.comparer
        self._placer = Placer(sides, task.begun)

    def mend(self, look: Look) -> None:
        """Write what a row makes; where another has what it needs, it stays as it is."""
        if isinstance(look.judged, Made):
            if not any(one.fault == "clash" for one in look.differences):
                self._write(look, look.judged)
        elif look.differences:
            self._list(look)

    def delete(self, unmade: Iterable[Unmade]) -> list[Unmade]:
        """Delete items that no row makes, unless they have changed; give those that are gone."""
        listed = list(unmade)
        items = self._looker.read([self._key(one.key) for one in listed])
        pairs = zip(listed, items, strict=True)
        return [one for one, item in pairs if item is None or self._deleted(one, item)]

    def _write(self, look: Look, made: Made) -> None:
        found = {identity(one.key): item for one, item in look.pairs if item is not None}
        for expected, item in look.pairs:
            if expected.entity == UNIQUE and item is not None:
                self._free(expected.item, item)
        if self._is_guarded(look) and isinstance(self._placed(made), Reject):
            return
        drafts = tuple(self._kept(draft, found) for draft in made.drafts)
        context = fixed(self._sides.store.context, self._task.begun.began_at)
        _, refused = run(write(context, [Made(made.row, drafts)]), self._sides.store.backend)
        if not refused:
            self._unlist(made.row)
        self._sides.pace.wait()

    def _is_guarded(self, look: Look) -> bool:
        """Tell whether a unique value is not the row's as it should be."""
        return any(one.entity == UNIQUE for one in look.differences)

    def _placed(self, made: Made) -> Made | Reject | None:
        """Put a row as if it had changed now: values that rows have to hand over move so."""
        rule = self._sides.migration.rules[made.row.kind]
        return self._placer.put(rule, made.row.id, made, [])

    def _unlist(self, row: Row) -> None:
        row_id = reference_of(row.kind, row.id)
        key = Rejected.key(name=self._task.begun.name, kind=row.kind, row_id=row_id)
        self._sides.books.delete(key)

    def _kept(self, draft: Draft, found: dict[tuple[str, ...], Item]) -> Draft:
        """Leave to items that are there what the table keeps itself."""
        there = ((item, found.get(identity(self._comparer.key(item)))) for item in draft.items)
        kept = (item if old is None else self._comparer.kept(item, old) for item, old in there)
        return draft._replace(items=tuple(kept))

    def _free(self, guard: Item, found: Item) -> None:
        """Free a value that an item has which is not there."""
        names = self._sides.store.table.primary.attributes
        owner = {name: found.get(f"{OWNER}{name}") for name in names}
        if all(guard.get(f"{OWNER}{name}") == value for name, value in owner.items()):
            return
        whole = {name: value for name, value in owner.items() if value is not None}
        if len(whole) < len(names) or self._looker.read([whole]) == [None]:
            self._send(Delete(key=self._comparer.key(found), condition=_as_found(found)))

    def _list(self, look: Look) -> None:
        kind, id_ = referred(look.doubt.row)
        reason = str(look.differences[0].found)
        row = look.judged.row if look.judged else Broken(kind, id_, "", reason)
        self._sides.books.put(rejected(self._task.begun.name, Reject(row, reason)))

    def _deleted(self, one: Unmade, item: Item) -> bool:
        if self._comparer.digest(item) != one.found or self._comparer.is_over(item, now()):
            return False
        return self._send(Delete(key=self._comparer.key(item), condition=_as_found(item)))

    def _send(self, write: Delete) -> bool:
        store = self._sides.store
        try:
            store.send("DeleteItem", write.request(store.table_name))
        except ConditionalCheckFailedException:
            return False
        return True

    def _key(self, texts: tuple[str, ...]) -> Item:
        names = self._sides.store.table.primary.attributes
        return {name: {"S": text} for name, text in zip(names, texts, strict=True)}


def _as_found(item: Item) -> Condition | None:
    """Hold while the short attributes of an item are as they were found."""
    short = {name: value for name, value in item.items() if _is_short(value)}
    some = dict(list(short.items())[:CONDITIONS_MAX])
    return every(*(equals(name, value) for name, value in some.items()))


def _is_short(value: AttributeValue) -> bool:
    [(kind, content)] = value.items()
    return kind in {"N", "BOOL", "NULL"} or (kind == "S" and len(content) < SHORT_MAX)
