"""Who had which shard, from where to where: told by the stream of the bookkeeping itself."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from singletable.streams import follow
from singletable.streams.bookkeeping import Books, Lease
from singletable.streams.changes import Created, Modified, changes_of
from singletable.streams.records import POSITION_DIGITS

from .outcome import Outcome


@dataclass
class Tenure:
    """The time for which a worker had a shard: from which position to which checkpoint."""

    worker: str
    number: int
    """How often the worker had taken the shard."""
    shard: str
    start: str
    end: str


class Ledger:
    """Follows the leases as they change, and refuses what must not happen."""

    def __init__(self) -> None:
        self.tenures: list[Tenure] = []
        self._current: dict[str, Tenure] = {}
        self._takes: Counter[tuple[str, str]] = Counter()

    def enter(self, change: Created[Lease] | Modified[Lease]) -> None:
        """Take note of a change of a lease."""
        old, new = change.old if isinstance(change, Modified) else None, change.new
        if old is None:
            assert new.owner is None
            assert new.sequence_number is None
        elif old.owner != new.owner:
            assert _position(old) == _position(new), "a checkpoint by the way"
            if new.owner:
                self._take(new.owner, new)
        elif _position(old) != _position(new) or old.finished != new.finished:
            self._checkpoint(old, new)

    def _take(self, owner: str, lease: Lease) -> None:
        assert not lease.finished, "somebody took what is finished"
        self._takes[owner, lease.shard] += 1
        number, at = self._takes[owner, lease.shard], _position(lease)
        tenure = Tenure(owner, number, lease.shard, at, at)
        self._current[lease.shard] = tenure
        self.tenures.append(tenure)

    def _checkpoint(self, old: Lease, new: Lease) -> None:
        tenure = self._current[new.shard]
        assert new.owner == tenure.worker, "a checkpoint of somebody who has no lease"
        assert tenure.end <= _position(new), "a checkpoint went back"
        assert not old.finished, "a checkpoint after the end"
        tenure.end = _position(new)


def tenures(books: Books) -> list[Tenure]:
    """Tell who had which shard, in the order in which they took them."""
    ledger = Ledger()
    for change in _leases(books):
        ledger.enter(change)
    return ledger.tenures


def _leases(books: Books) -> Iterator[Created[Lease] | Modified[Lease]]:
    for _, records in follow(books):
        for record in records:
            for change in changes_of(books.table, record):
                if change.entity is Lease:
                    assert isinstance(change, Created | Modified), "a lease was deleted"
                    yield change


def _position(lease: Lease) -> str:
    number = lease.sequence_number
    return "" if number is None else number.zfill(POSITION_DIGITS)


def check_tenures(outcome: Outcome, batch: int) -> list[Tenure]:
    """See that each worker began at the checkpoint that it found, and give who had what.

    What a worker delivers beyond the last checkpoint that it makes is a batch at most.
    """
    seen: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for one in outcome.seen:
        seen[one.worker, one.shard, one.tenure].append(one.position)
    held = tenures(Books.beside(outcome.store))
    for tenure in held:
        sights = seen.pop((tenure.worker, tenure.shard, tenure.number), [])
        _check(tenure, sights, outcome, batch)
    assert not seen, "something was delivered by somebody who had no lease"
    return held


def _check(tenure: Tenure, sights: list[str], outcome: Outcome, batch: int) -> None:
    told = [change.position for change in outcome.parcels(tenure.shard)]
    begin, noted = bisect_right(told, tenure.start), bisect_right(told, tenure.end)
    assert sights == told[begin : begin + len(sights)], "delivered otherwise than from a checkpoint"
    assert len(sights) >= noted - begin, "a checkpoint of what was not delivered"
    everything = [record.position for record in outcome.records[tenure.shard]]
    last = bisect_right(everything, sights[-1]) if sights else 0
    unnoted = last - bisect_right(everything, tenure.end)
    assert unnoted <= batch, "more than a batch was delivered without a checkpoint"
