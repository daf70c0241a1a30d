"""What changes have told of rows, put together.

What came of a row before is known from how it was, and how those were that came along. Changes tell
each by itself, and later than the row is read, as it is by then: a session that moved to another
campaign is read without the summary that was deleted after that. So what was told is remembered
until nothing older can be told any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .migration import Rule
from .sources.source import Changed, Id, Row
from .spilling import Scratch, Spilled

IMAGES = 50
"""Of one row: the first, and the last of the others."""
AGE_S = 600.0
"""For how long at least it is remembered, where the source never rests."""

Image = Mapping[str, Any]
Images = dict[tuple[str, Id], dict[Hashable, Image]]
"""How rows were, the row itself and those that came along; of ways that make the same keys one."""


class Told:
    """Remembers what was told, in two ages: the younger becomes the older, which is forgotten."""

    def __init__(self) -> None:
        self._ages = [_Age()]

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing is remembered."""
        return all(age.is_empty for age in self._ages)

    def add(
        self, name: str, changes: Sequence[Changed], made: Callable[[Changed], Hashable]
    ) -> Images:
        """Remember changes of a row and those that came along; give all that was told of them.

        ``made`` tells which keys a row made as it was.
        """
        young = self._ages[-1]
        images: Images = young.rows.get(name, {})
        for change in changes:
            if change.old is not None:
                _enter(images.setdefault((change.kind, change.id), {}), made(change), change.old)
        if images:
            young.rows[name], young.is_empty = images, False
        joined: Images = {}
        for age in self._ages:
            for key, some in age.rows.get(name, {}).items():
                joined[key] = {**joined.get(key, {}), **some}
        return joined

    def forget(self) -> None:
        """Forget everything, as there is no change but those that were told."""
        if not self.is_empty:
            self.close()
            self._ages = [_Age()]

    def forget_older(self, position: str, age_s: float | None = None) -> str | None:
        """Begin an age at a position, in its time; give where the age before it began, if one is.

        For a source that never rests: no transaction should take that long.
        """
        if time.monotonic() - self._ages[-1].since > (age_s or AGE_S):
            for age in self._ages[:-1]:
                age.close()
            self._ages = [self._ages[-1], _Age(position)]
        return self._ages[0].position

    def close(self) -> None:
        """Be rid of it."""
        for age in self._ages:
            age.close()


@dataclass(slots=True)
class _Age:
    """What was told from a position on; None is the beginning."""

    position: str | None = None
    since: float = field(default_factory=time.monotonic)
    is_empty: bool = True
    _scratch: Scratch = field(default_factory=Scratch)
    rows: Spilled[str, Images] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self._scratch.mapping()

    def close(self) -> None:
        self._scratch.close()


def older(rule: Rule, root: Id, row: Row | None, images: Images) -> Iterator[Row]:
    """Give a row as it may have been, with those that came along then, in all ways that were told.

    Each of those that came along is there once, as with a row that is read.
    """
    own = [*images.get((rule.kind, root), {}).values(), *([row.data] if row else ())]
    along = {key: list(some.values()) for key, some in images.items() if key[0] in rule.related}
    for turn in range(max(map(len, along.values()), default=1)):
        then = {key: some[min(turn, len(some) - 1)] for key, some in along.items()}
        related = {kind: list(_along(kind, row, then)) for kind in rule.related}
        yield from (Row(rule.kind, root, image, related) for image in own)


def _along(kind: str, row: Row | None, then: Mapping[tuple[str, Id], Image]) -> Iterator[Row]:
    yield from (one for one in (row.related[kind] if row else ()) if (kind, one.id) not in then)
    yield from (Row(kind, id_, image) for (one, id_), image in then.items() if one == kind)


def _enter(images: dict[Hashable, Image], made: Hashable, image: Image) -> None:
    images.setdefault(made, image)
    if len(images) > IMAGES:
        del images[list(images)[1]]
