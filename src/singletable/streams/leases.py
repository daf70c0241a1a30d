"""Which worker of a group reads which shard.

Each worker beats: it raises a number of its own, again and again. One whose number has stood still
for the time of a lease, as seen by another's clock, is dead, and its shards are free; no two clocks
are ever compared. A worker that has more than its share gives shards back. A lease that was taken
away shows in the next checkpoint, which is made under the condition that it is still held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from time import monotonic

from singletable.errors import AlreadyExists, ConditionFailed, NotFound
from singletable.model.changes import add
from singletable.model.conditions import F

from .bookkeeping import Books, Lease, Member
from .shards import Shard


class LeaseLost(ConditionFailed):
    """Another worker has a shard now; what this one read after its checkpoint, it has."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Who reads what: the leases that a worker holds, and how many are ready for others."""

    held: Mapping[str, Lease]
    others: int


@dataclass(slots=True)
class Leases:
    """The part of one worker in its group."""

    books: Books
    group: str
    worker: str
    lease_s: float
    since: datetime | None = None
    _beats: dict[str, tuple[int, float]] = field(default_factory=dict, init=False)
    """The number of each member, and when it was first seen."""

    def beat(self) -> None:
        """Show that this worker is alive; as the first beat, join the group."""
        key = Member.key(group=self.group, worker=self.worker)
        self.books.upsert(key, beats=add(1), expires_at=Member(group="", worker="").expires_at)

    def leave(self, held: Iterable[Lease]) -> None:
        """Give everything back, so that others need not wait."""
        for lease in held:
            with suppress(LeaseLost):
                self.release(lease)
        self.books.delete(Member.key(group=self.group, worker=self.worker))

    def balance(self, shards: Iterable[Shard]) -> Balance:
        """Take what is free and give back what is too much."""
        leases = self._entered(shards)
        living = self._living()
        ready = ready_leases(leases)
        share = ceil(len(ready) / len(living))
        mine = [lease for lease in ready if lease.owner == self.worker]
        for lease in mine[share:]:
            with suppress(LeaseLost):
                self.release(lease)
        free = [lease for lease in ready if lease.owner not in living]
        taken = (self._take(lease) for lease in free[: max(0, share - len(mine))])
        held = [*mine[:share], *(lease for lease in taken if lease)]
        return Balance({lease.shard: lease for lease in held}, len(ready) - len(held))

    def checkpoint(
        self, lease: Lease, sequence_number: str | None, *, finished: bool = False
    ) -> Lease:
        """Note how far the group has come, if the lease is still held."""
        return self._change(lease, sequence_number=sequence_number, finished=finished)

    def release(self, lease: Lease) -> Lease:
        """Give a shard back."""
        return self._change(lease, owner=None)

    def _change(self, lease: Lease, **fields: object) -> Lease:
        try:
            return self.books.update(lease, only_if=F("owner") == self.worker, **fields)
        except (ConditionFailed, NotFound):
            raise LeaseLost(f"Another worker reads {lease.shard} now") from None

    def _take(self, lease: Lease) -> Lease | None:
        same = F("owner").missing() if lease.owner is None else F("owner") == lease.owner
        try:
            return self.books.update(lease, only_if=same, owner=self.worker)
        except (ConditionFailed, NotFound):
            return None

    def _entered(self, shards: Iterable[Shard]) -> dict[str, Lease]:
        """Give the leases of all shards; enter those that are new, forget what is done and past."""
        leases = {lease.shard: lease for lease in self.books.leases(self.group)}
        listed = {shard.name: shard for shard in shards}
        for name in [name for name, lease in leases.items() if lease.finished]:
            if name not in listed:
                self.books.delete(leases.pop(name))
        for shard in listed.values():
            if shard.name not in leases:
                new = Lease(
                    group=self.group, shard=shard.name, parent=shard.parent, since=self.since
                )
                with suppress(AlreadyExists):
                    leases[shard.name] = self.books.create(new)
        return leases

    def _living(self) -> set[str]:
        """Name the workers that are alive as far as this one can know, itself among them."""
        asked, living = monotonic(), {self.worker}
        members = self.books.members(self.group).all()
        told = monotonic()  # so that a look which takes long makes nobody seem to stand still
        for member in members:
            number, seen = self._beats.get(member.worker, (None, told))
            if number != member.beats:
                seen = told
            self._beats[member.worker] = (member.beats, seen)
            if asked - seen < self.lease_s:
                living.add(member.worker)
        return living


def ready_leases(leases: Mapping[str, Lease]) -> list[Lease]:
    """Give the leases of shards that have something to read, and all before which was read."""
    waiting = {name: lease for name, lease in leases.items() if not lease.finished}
    oldest = min((name.partition("/")[0] for name in waiting), default="")
    return [
        lease
        for name, lease in waiting.items()
        if name.partition("/")[0] == oldest and lease.parent not in waiting
    ]
