"""The seam between what an index means and where it is kept.

A keeper holds *generations* of documents: the live one, which is searched, and perhaps one that is
being built. It promises this, which makes every delivery safe:

- a change is applied only if it is newer than the last one that was applied to its document, be
  that there or gone: a change that comes again, or late, changes nothing;
- a change is applied to both generations; what a scan of the table tells is only ever put where no
  change was applied since the building began. So whatever a scan read too early is corrected by
  the changes that follow, and a document that was deleted meanwhile does not come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from singletable.errors import SingletableError, UsageError

from .documents import Indexed, Layout
from .questions import Match, Question

FORGET_S = 48 * 3600
"""How long a document that is gone is remembered: a stream tells of a change for 24 hours."""
NEVER = float(1 << 62)
"""When a document is over that is never over, where an index has to have a number."""
BATCH_MAX = 500
"""How many documents are asked for at once."""

Clock = Callable[[], float]
T = TypeVar("T")


class Entry(NamedTuple):
    """What a change asks of an index: this document, or none, as of a place in the stream."""

    id: str
    place: str
    document: Indexed | None


class Held(NamedTuple):
    """What an index tells of a document that it holds."""

    id: str
    key: str
    digest: str
    expires: float | None


class NotRebuilt(SingletableError):
    """A rebuild was overtaken by another; the live documents are as they were."""


class Keeper(Protocol):
    """Keeps the documents of an index."""

    def open(self, layout: Layout) -> None:
        """Make ready for documents of this layout; what is there for others stays as it is."""
        ...

    def apply(self, entries: Sequence[Entry]) -> None:
        """Do what changes ask, as far as they are newer than what was done; then it lasts.

        Raises where a generation is made for other documents: the changes wait for a rebuild.
        """
        ...

    def search(self, question: Question) -> list[Match]:
        """Give the best documents, by score and then by id, both descending."""
        ...

    def begin(self) -> int:
        """Begin a new generation, in place of one that was left half made; give its number."""
        ...

    def fill(self, generation: int, documents: Iterable[Indexed]) -> None:
        """Put what a scan read into a generation, where no change was applied since it began."""
        ...

    def finish(self, generation: int) -> None:
        """Put a generation in the place of the live one, at once."""
        ...

    def places(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Tell for documents the place of the last change that was applied."""
        ...

    def held(self, ids: Sequence[str]) -> Mapping[str, Held]:
        """Tell which of these documents are live."""
        ...

    def every(self) -> Iterator[Held]:
        """Tell every live document, while others may come and go."""
        ...

    def mend(self, entries: Sequence[Entry]) -> None:
        """Put right live documents, where the last change applied is still the one of the entry."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


def is_newer(mine: str, theirs: str | None) -> bool:
    """Compare two places, ``stream/position``: of a later stream, or later in the same.

    A table that is made anew has a new stream, whose positions may begin anew. Lambda does not
    tell the stream; then the position decides.
    """
    if not theirs:
        return True
    stream, _, position = mine.rpartition("/")
    other, _, past = theirs.rpartition("/")
    return stream > other if stream and other and stream != other else position > past


def made_otherwise(name: str) -> UsageError:
    """Say that an index is for other documents: its searches and its changes wait for a rebuild."""
    return UsageError(
        f"The index {name} was made for documents that were declared otherwise: make it anew with "
        "rebuild(store)"
    )


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Give values in lots that can be asked for at once."""
    for start in range(0, len(values), BATCH_MAX):
        yield values[start : start + BATCH_MAX]
