"""What a course left behind: the table, its stream read anew, and what consumers were given."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from singletable.streams import Change, follow
from singletable.streams.changes import changes_of
from singletable.streams.records import Record

from .design import Parcel, Parcels
from .seen import Seen, Sight


@dataclass
class Outcome:
    """All that there is to compare."""

    store: Parcels
    seen: list[Sight]
    steps: Counter[str]
    """How many changes of each parcel the writers made."""
    records: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    """All that the stream tells, by shard, each shard after its parent."""

    @classmethod
    def of(cls, store: Parcels, folder: Path, steps: Counter[str]) -> Outcome:
        """Read what there is."""
        outcome = cls(store, Seen(folder / "seen").all(), steps)
        for shard, records in follow(store):
            outcome.records[shard.name] += records
        return outcome

    def parcels(self, shard: str) -> list[Change[Parcel]]:
        """Give the changes of parcels that a shard tells."""
        return self._parcels.get(shard, [])

    def all_parcels(self) -> list[Change[Parcel]]:
        """Give the changes of parcels that the stream tells."""
        return list(chain.from_iterable(self._parcels.values()))

    @cached_property
    def _parcels(self) -> dict[str, list[Change[Parcel]]]:
        return {shard: self._read(records) for shard, records in self.records.items()}

    def _read(self, records: list[Record]) -> list[Change[Parcel]]:
        found = (changes_of(self.store.table, record) for record in records)
        return [change for change in chain.from_iterable(found) if change.entity is Parcel]

    def first_sights(self) -> list[Sight]:
        """Give what was seen, without repeats."""
        firsts: dict[tuple[str, str], Sight] = {}
        for one in self.seen:
            firsts.setdefault((one.shard, one.position), one)
        return list(firsts.values())
