"""One shard that a worker holds: read, delivered to all consumers, and then noted as done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from singletable.model.table import Table
from singletable.store.retries import Retries

from .bookkeeping import Lease
from .changes import changes_of
from .consumers import Batch, Consumer, Failures
from .leases import Leases
from .records import Record, from_time
from .shards import RecordsLost, ShardReader

PAUSES = Retries(base_s=0.1, cap_s=10.0)
"""How long a shard waits, more and more, while it cannot be read or a consumer fails as a whole."""


@dataclass(slots=True)
class Reading:
    """A shard on its way through the consumers, batch by batch."""

    table: Table
    leases: Leases
    lease: Lease
    reader: ShardReader
    waiting: list[Consumer] = field(default_factory=list)
    """The consumers that have still to be given the records which were read."""
    records: list[Record] = field(default_factory=list)
    failures: int = 0
    wait_until: float = 0.0

    @property
    def is_finished(self) -> bool:
        """Tell whether the shard was read to its end, and all of it delivered."""
        return self.lease.finished

    def step(
        self, consumers: Sequence[Consumer], failures: Mapping[str, Failures], limit: int
    ) -> int:
        """Read a batch and deliver it, or go on with one that failed; give the records done."""
        if monotonic() < self.wait_until:
            return 0
        try:
            if not self.waiting:
                self.records = self.reader.read(limit)
                self.waiting = list(consumers)
            self._deliver(failures)
        except RecordsLost:
            raise  # waiting does not bring them back
        except Exception:
            self.failures += 1
            self.wait_until = monotonic() + PAUSES.delay(self.failures)
            raise
        self.failures = 0
        if self.records or self.reader.is_finished:
            self.lease = self.leases.checkpoint(
                self.lease, self.reader.sequence_number, finished=self.reader.is_finished
            )
        return len(self.records)

    def _deliver(self, failures: Mapping[str, Failures]) -> None:
        """Give the batch to each consumer, one after another, that has not got it yet."""
        batch = self._batch()
        while self.waiting:
            if batch is not None:
                self.waiting[0].deliver(batch, failures[self.waiting[0].name])
            del self.waiting[0]

    def _batch(self) -> Batch | None:
        records = from_time(self.records, self.lease.since)
        if not records:
            return None
        changes = [change for record in records for change in changes_of(self.table, record)]
        return Batch(changes, records[-1].position, self.lease.shard)
