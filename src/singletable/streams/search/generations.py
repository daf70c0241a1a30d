"""What keepers with a ledger of their own do alike: generations of documents, begun and replaced.

What a generation is made of, tables or a folder, is for each to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

from singletable.engine.connections import Connection

from .documents import Indexed, Layout
from .keeping import Clock, Entry
from .ledger import Ledger


class LedgerKeeper(ABC):
    """Keeps generations of documents beside a ledger in SQLite."""

    _ledger: Ledger

    def _open(self, path: str | PathLike[str], layout: Layout, clock: Clock) -> None:
        """Open the ledger, and make the first generation if there is none."""
        self._ledger = Ledger(path, layout, clock)
        with self._ledger.write() as tx:
            first = self._ledger.found(tx)
            if first is not None:
                self._create(tx, first)

    def apply(self, entries: Sequence[Entry]) -> None:
        """Write what changes ask for, and note that it is written."""
        with self._ledger.write() as tx:
            generations = self._ledger.current(tx)
            newer = self._ledger.newer(tx, entries)
            if newer:
                for generation in generations:
                    self._replace(tx, generation, newer)
                self._ledger.note(tx, newer)

    def begin(self) -> int:
        """Begin a new generation, in place of one that was left half made."""
        with self._ledger.write() as tx:
            generation = self._ledger.begin(tx)
            self._create(tx, generation)
        self._tidy()
        return generation

    def fill(self, generation: int, documents: Iterable[Indexed]) -> None:
        """Put in what a scan read, where no change was applied since the generation began."""
        found = {document.id: document for document in documents}
        with self._ledger.write() as tx:
            self._ledger.check(tx, generation)
            touched = self._ledger.touched(tx, list(found), generation)
            scanned = [Entry(name, "", one) for name, one in found.items() if name not in touched]
            if scanned:
                self._replace(tx, generation, scanned)

    def finish(self, generation: int) -> None:
        """Make a generation live, and drop the one before."""
        with self._ledger.write() as tx:
            self._ledger.finish(tx, generation)
        self._tidy()

    def places(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Tell for documents the place of the last change that was applied."""
        with self._ledger.read() as tx:
            return self._ledger.places(tx, ids)

    def mend(self, entries: Sequence[Entry]) -> None:
        """Put right live documents to which no change was applied meanwhile."""
        with self._ledger.write() as tx:
            places = self._ledger.places(tx, [entry.id for entry in entries])
            still = [entry for entry in entries if places.get(entry.id, "") == entry.place]
            self._replace(tx, self._ledger.live(tx), still)

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()

    def _tidy(self) -> None:
        """Drop what is left of generations that are past, also of one whose end was cut short."""
        with self._ledger.write() as tx:
            self._drop_all_but(tx, self._ledger.generations(tx))

    @abstractmethod
    def _create(self, tx: Connection, generation: int) -> None:
        """Make a generation, without documents."""

    @abstractmethod
    def _replace(self, tx: Connection, generation: int, entries: Sequence[Entry]) -> None:
        """Put the documents of entries in the place of those with their ids."""

    @abstractmethod
    def _drop_all_but(self, tx: Connection, generations: set[int]) -> None:
        """Drop every generation but these."""
