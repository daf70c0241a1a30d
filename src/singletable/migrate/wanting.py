"""Rows that were refused because another row has what they make, and are tried again when it goes.

Each is noted with the keys that it wants: so whoever frees one finds them, in whichever process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from .bookkeeping import Books, Wanted
from .copying import keys_of
from .owners import Key
from .transforming import Made, reference_of


@dataclass(frozen=True, slots=True)
class Wants:
    """Keeps which rows want which keys."""

    books: Books
    name: str

    def note(self, made: Iterable[Made]) -> None:
        """Note that rows want all that they make."""
        self.books.put_many([self._want(one, key) for one in made for key in keys_of(one)])

    def of(self, key: Key) -> list[Wanted]:
        """Give the rows that want a key."""
        return list(self.books.wanted(self.name, _digest(key)))

    def forget(self, want: Wanted) -> None:
        """Forget that a row wants a key."""
        self.books.delete(want)

    def _want(self, made: Made, key: Key) -> Wanted:
        row = made.row
        return Wanted(
            name=self.name,
            item=_digest(key),
            row_id=reference_of(row.kind, row.id),
            kind=row.kind,
            id=list(row.id),
        )


def _digest(key: Key) -> str:
    return blake2b("\x00".join(key).encode(), digest_size=16).hexdigest()
