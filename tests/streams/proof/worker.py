"""A worker that is made to be killed, with one consumer that writes down all that it is given.

    python -m tests.streams.proof.worker FOLDER SHARDS LEASE_S BATCH [--deadly | --drain]

On SIGTERM it leaves its group. A deadly one kills itself when all consumers have acted on a batch
and nobody has noted that yet.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from pathlib import Path

from singletable.streams import Batch, Failures, Worker
from singletable.streams.bookkeeping import Lease
from singletable.streams.shards import Shard

from .consumers import consumers_of
from .seen import Seen, Sight
from .support import connect


class Taking(Worker):
    """Knows how often it has taken each shard."""

    takes: Counter[str]

    def _begin(self, shard: Shard | None, lease: Lease) -> None:
        self.takes[lease.shard] += 1
        super()._begin(shard, lease)


class Recorder:
    """Writes down each change as it comes, durably: what is written outlives this process."""

    name = "Recorder"

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self.worker = ""
        self.takes: Counter[str] = Counter()

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Write down the changes of parcels."""
        for change in batch.changes:
            if change.schema.name == "Parcel":
                shard = batch.shard or ""
                self._seen.add(Sight.of(change, shard, self.worker, self.takes[shard]))


class Deadly:
    """Kills the process that it is in."""

    name = "Deadly"

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Wait for nothing."""
        if batch.changes:
            os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, shards: str, lease_s: str, batch: str, *options: str) -> None:
    """Work until killed, or asked to stop."""
    store = connect(Path(folder) / "database", int(shards))
    recorder = Recorder(Seen(Path(folder) / "seen"))
    last = [Deadly()] if "--deadly" in options else []
    worker = Taking(
        store,
        recorder,
        *consumers_of(store, Path(folder)),
        *last,
        lease_s=float(lease_s),
        batch=int(batch),
    )
    recorder.worker, worker.takes = worker.id, recorder.takes
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    if "--drain" in options:
        worker.drain()
    else:
        worker.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
