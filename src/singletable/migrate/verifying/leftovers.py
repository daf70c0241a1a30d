"""Items of the table that no row makes: left over from rows that went, or the new side's own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

from singletable.model.fields import now
from singletable.store.writing.uniqueness import OWNER
from singletable.store.writing.uniqueness import TYPE as UNIQUE
from singletable.values import Item

from .looking import Looker
from .results import Difference
from .scratch import Scratch, Unmade

BATCH = 500


class Leftovers:
    """Looks at items that no row makes."""

    def __init__(self, scratch: Scratch, looker: Looker) -> None:
        self._scratch = scratch
        self._looker = looker
        self._comparer = looker.comparer
        self._names = self._comparer.table.primary.attributes

    def any(self) -> bool:
        """Tell whether there are any."""
        return bool(self._scratch.unmade(1))

    def pages(self) -> Iterator[list[Unmade]]:
        """Give them, some at a time."""
        last: Unmade | None = None
        while page := self._scratch.unmade(BATCH, last):
            last = page[-1]
            yield page

    def set_apart(self, made: Collection[str]) -> dict[str, int]:
        """Leave out those of entities that the migration does not make; count them by entity."""
        apart = self._scratch.set_apart(made)
        guards = 0
        for page in self.pages():
            others = self._guards_of_others(page, made)
            self._scratch.forget(others)
            guards += len(others)
        return {**apart, UNIQUE: guards} if guards else apart

    def changed(self, *, drop: bool = False) -> int:
        """Look at all of them again; count those that have changed, and forget those that went."""
        changed, at = 0, now()
        for page in self.pages():
            for one, item in self._read(page):
                digest = self._digest(item, at)
                if digest is None:
                    self._scratch.forget([one])
                elif digest != one.found:
                    changed += 1
                    if drop:
                        self._scratch.forget([one])
                    else:
                        self._scratch.find([(one.key, one.entity, digest)])
        return changed

    def drop(self) -> int:
        """Forget all of them; count them."""
        count = 0
        for page in self.pages():
            self._scratch.forget(page)
            count += len(page)
        return count

    def differences(self, page: Iterable[Unmade]) -> Iterator[Difference]:
        """Give them as differences."""
        return (Difference(entity=one.entity, key=one.key, fault="extra") for one in page)

    def _digest(self, item: Item | None, at: datetime) -> bytes | None:
        if item is None or self._comparer.is_over(item, at):
            return None
        return self._comparer.digest(item)

    def _read(self, page: list[Unmade]) -> list[tuple[Unmade, Item | None]]:
        keys = [
            {name: {"S": text} for name, text in zip(self._names, one.key, strict=True)}
            for one in page
        ]
        return list(zip(page, self._looker.read(keys), strict=True))

    def _guards_of_others(self, page: list[Unmade], made: Collection[str]) -> list[Unmade]:
        """Give the guards whose owners the migration does not make."""
        owners: list[tuple[Unmade, Item]] = []
        for one, guard in self._read([one for one in page if one.entity == UNIQUE]):
            owner = {name: (guard or {}).get(f"{OWNER}{name}") for name in self._names}
            whole = {name: value for name, value in owner.items() if value is not None}
            if len(whole) == len(self._names):
                owners.append((one, whole))
        items = self._looker.read([owner for _, owner in owners])
        return [
            one
            for (one, _), item in zip(owners, items, strict=True)
            if item is not None and self._comparer.entity(item) not in made
        ]
