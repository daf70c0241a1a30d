"""From where to follow, noted anew, where changes were lost.

Nobody can apply what a source does not tell any more. But a verification that repairs makes good
whatever it was: changes that come after its beginning are followed from there on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from .bookkeeping import Run
from .running import Sides
from .sources.errors import ChangesLost
from .sources.source import Followed

SOME = 500
"""So many changes are asked for at a time."""


@contextmanager
def telling(begun: Run) -> Iterator[None]:
    """Say what to do where changes are lost."""
    try:
        yield
    except ChangesLost as error:
        raise ChangesLost(
            f"{error}. So {begun.name} is neither followed nor switched, until both sides are "
            "compared and repaired, which notes from where to follow then: singletable migrate "
            "verify … --repair, or verify(job, repair=True)"
        ) from error


def begun_anew(sides: Sides, begun: Run) -> str | None:
    """Have changes noted anew where some are lost; give from where, or None where none are.

    To be noted with the run when all before it is made good.
    """
    source = sides.source
    if begun.position is None or not isinstance(source, Followed):
        return None
    if not _is_lost(source, begun.position):
        return None
    return _position(source, sides.migration.kinds)


def _position(source: Followed, kinds: Collection[str]) -> str:
    try:
        position = source.begin(kinds)
    except ChangesLost:
        position = None
    if position is None or _is_lost(source, position):
        source.end()
        position = source.begin(kinds)
    return position


def _is_lost(source: Followed, position: str) -> bool:
    try:
        end_of(source, position)  # what is missing may be missing there
    except ChangesLost:
        return True
    return False


def end_of(source: Followed, position: str) -> str:
    """Find the position behind all changes that there are, but for some that come meanwhile.

    A stream tells them in pages that may be short before its end, and counts only so many.
    """
    while True:
        left = count = source.backlog(position)
        while count > 0:
            changes, position = source.changes(position, SOME)
            if not changes:
                return position
            count -= len(changes)
        if left < SOME:
            return position
