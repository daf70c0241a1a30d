"""Changes that are being applied, noted before: what one leaves who dies, another does again.

Several may follow at once. One that dies may have put a row as it was before, over what another had
put since, and gone on from; and may not have counted it. So each notes from where on it is at work,
and whoever comes to the end goes back to there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from uuid import uuid4

from singletable.errors import ConditionFailed
from singletable.model.conditions import F

from .bookkeeping import Applying, Books

PATIENCE_S = 60.0
"""Who has said nothing for so long has died."""
TELL_S = 15.0


@dataclass(slots=True)
class Underway:
    """Notes what one applies, and finds what others do."""

    books: Books
    name: str
    clock: Callable[[], datetime]
    _who: str = field(default_factory=lambda: uuid4().hex)
    _position: str = ""
    _told_at: float = field(default_factory=monotonic)
    _again: tuple[list[Applying], bool] | None = None
    """What another may have died over, and whether writes were held when that was begun again."""
    _done: set[tuple[str, bool]] = field(default_factory=set)
    """Whose changes were applied again: who applies more after that is at work, and not left."""

    def begin(self, position: str) -> None:
        """Note that changes after a position are about to be applied, before any row is read."""
        self._position = position
        self.tell()

    def end(self) -> None:
        """Note that they all are; where that is not so it stays noted, for another to do."""
        self.books.delete(Applying.key(name=self.name, who=self._who))

    def go_on(self) -> None:
        """Say now and then that this is still at it."""
        if monotonic() - self._told_at > TELL_S:
            self.tell()

    def tell(self) -> None:
        """Say that this is at it."""
        at = self.clock()
        self.books.put(Applying(name=self.name, who=self._who, position=self._position, at=at))
        self._told_at = monotonic()

    @property
    def is_again(self) -> bool:
        """Tell whether changes are applied that another may have died over."""
        return self._again is not None

    def go_back(self, *, live: bool, held: bool) -> str | None:
        """Give a position from which on everything is to be done again, if there is one.

        Who is ``live`` comes back later to what another is still at. While writes are ``held``
        nobody is at anything.
        """
        others = self.others()
        for one in others:
            if self._is_left(one) or not (live or (one.who, held) in self._done):
                self._again = [some for some in others if some.position == one.position], held
                return one.position
        return None

    def come_back(self) -> None:
        """Forget what was done again, unless another may have been at it meanwhile."""
        if self._again is not None:
            (others, held), self._again = self._again, None
            for one in others:
                self._done.add((one.who, held))
                if held or self._is_left(one):
                    self.forget(one)

    def others(self) -> list[Applying]:
        """Give what others are at, or have left."""
        return [one for one in self.books.applying(self.name) if one.who != self._who]

    def left(self) -> list[Applying]:
        """Give what others have died over."""
        return [one for one in self.others() if self._is_left(one)]

    def forget(self, other: Applying) -> None:
        """Forget what is done, unless the other has said anything since."""
        key = Applying.key(name=self.name, who=other.who)
        try:
            self.books.delete(key, only_if=F("at") == other.at)
        except ConditionFailed:
            return

    def _is_left(self, other: Applying) -> bool:
        return other.at < self.clock() - timedelta(seconds=PATIENCE_S)
