"""The worker: follows the shards of a table's stream, and delivers what it reads to consumers.

It reads a shard once for all its consumers, in order and each shard after its parent, and notes how
far it came when all of them are through with a batch. Several workers of one name share the shards.
Where a worker is stopped, by whatever, another goes on from the last checkpoint: what was delivered
after it is delivered again, and nothing is left out.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from time import monotonic
from typing import Any, Literal, Self
from uuid import uuid4

from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import SingletableError, Throttled, UsageError
from singletable.model.fields import now
from singletable.store.retries import Retries, kind_of
from singletable.store.store import Store

from .bookkeeping import Books, Lease
from .consumers import Consumer
from .failing import Interrupted, PutAside, logger
from .leases import LeaseLost, Leases
from .reading import Reading
from .shards import EMPTY_READS, LIMIT_MAX, RecordsLost, Shard, ShardReader, find_shards

POLL_S = 0.5
"""DynamoDB allows five reads a second of a shard, by all readers together."""
EMBEDDED_POLL_S = 0.01
LEASE_S = 5.0
RETRIES = Retries(attempts=5, base_s=0.1, cap_s=5.0)

Start = Literal["oldest", "now"] | datetime

OnFailure = Callable[[str, Exception], None]
"""Is told what comes of a failure, and the failure."""


class Worker:
    """Delivers the changes of a store's table to consumers, until it is stopped.

    ``name`` is that of the group: workers of one name share the work, those of another name do it
    too. A new group begins with the oldest record there is, now, or at a time. What a consumer
    keeps failing at is tried as often as ``retries`` says, then put among the dead letters.
    ``gaps`` says what to do about records that were gone before they were read: "refuse" raises
    ``RecordsLost``, "accept" goes on with what there is. ``create`` makes the bookkeeping's table
    where it is missing, which on the embedded engine needs no asking.
    """

    def __init__(  # noqa: PLR0913 - each is a setting with a default
        self,
        store: Store,
        *consumers: Consumer,
        name: str = "worker",
        start: Start = "oldest",
        batch: int = LIMIT_MAX,
        poll_s: float | None = None,
        lease_s: float = LEASE_S,
        retries: Retries = RETRIES,
        gaps: Literal["refuse", "accept"] = "refuse",
        create: bool | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        _check(consumers, batch, retries)
        self.store = store
        self.consumers = consumers
        self.id = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"
        embedded = isinstance(store.backend, EmbeddedBackend)
        self._poll_s = (EMBEDDED_POLL_S if embedded else POLL_S) if poll_s is None else poll_s
        self._empty_turns = 1 if embedded else EMPTY_READS
        self._batch = batch
        self._gaps = gaps
        self._stopped = threading.Event()
        books = Books.beside(store, create=create)
        since = None if start == "oldest" else clock() if start == "now" else start
        self._leases = Leases(books, name, self.id, lease_s, since)
        self._failures = {
            consumer.name: PutAside(books, consumer.name, retries, self._stopped.wait)
            for consumer in consumers
        }
        self._readings: dict[str, Reading] = {}
        self._others = 0
        self._balanced_at = 0.0
        """When the shards were last looked at; 0 before the first time."""
        self._balance_at = 0.0
        """When to look at the shards again; 0 if something is known to be new."""

    def run(self, *, progress: Callable[[int], object] | None = None) -> int:
        """Work until ``stop`` is called, leave the shards to others, give the number of records.

        ``progress`` is told that number whenever there are more.
        """
        done = 0
        with self._at_work():
            while not self._stopped.is_set():
                read = self._turn(_log)
                done += read
                if not read:
                    self._stopped.wait(self._poll_s)
                elif progress is not None:
                    progress(done)
        return done

    def drain(self) -> int:
        """Work until there is nothing more to read, and give the number of records.

        Where shards are another worker's, wait for as long as it takes to see whether it is alive.
        A consumer that fails as a whole ends the work with its error.
        """
        done, empty, patience = 0, 0, 0.0
        with self._at_work():
            while not self._stopped.is_set():
                read = self._turn(_raise)
                # From the end of the first look on: a machine may be slow to take it.
                patience = patience or monotonic() + 2 * self._leases.lease_s
                done += read
                empty = 0 if read or not self._balance_at else empty + 1
                if empty >= self._empty_turns and not (
                    self._others and self._balanced_at < patience
                ):
                    break
                if not read:
                    self._stopped.wait(self._poll_s)
        return done

    def stop(self) -> None:
        """Ask the worker to stop after the batch that it is at; any thread may."""
        self._stopped.set()

    def _turn(self, on_failure: OnFailure) -> int:
        """Read once from each shard that this worker holds, and deliver; give the records read."""
        if monotonic() >= self._balance_at:
            try:
                self._balance()
            except SingletableError as error:
                if not (self._balanced_at and _may_pass(error)):
                    raise
                self._balance_at = monotonic() + self._leases.lease_s / 3
                on_failure(f"{self.id} keeps the shards that it has", error)
        return sum(self._step(reading, on_failure) for reading in list(self._readings.values()))

    def _step(self, reading: Reading, on_failure: OnFailure) -> int:
        try:
            done = reading.step(self.consumers, self._failures, self._batch)
        except Interrupted:
            pass
        except LeaseLost:
            logger.info("%s is read by another worker now", reading.lease.shard)
            del self._readings[reading.lease.shard]
        except RecordsLost:
            if self._gaps == "refuse":
                raise
            reading.reader.sequence_number = None
            self._balance_at = 0.0
        except Exception as error:  # noqa: BLE001 - whatever it is, the batch is delivered again
            on_failure(f"{reading.lease.shard} waits", error)
        else:
            if reading.is_finished:
                del self._readings[reading.lease.shard]
                self._balance_at = 0.0  # its children can be read now
            return done
        return 0

    def _balance(self) -> None:
        """See which shards there are, and which of them are this worker's."""
        began = monotonic()
        shards = {shard.name: shard for shard in find_shards(self.store)}
        balance = self._leases.balance(shards.values())
        self._others = balance.others
        self._balanced_at = began
        self._balance_at = monotonic() + self._leases.lease_s / 3
        for name, reading in list(self._readings.items()):
            lease = balance.held.get(name)
            # Another worker may have had the shard meanwhile, and gone on from there.
            if lease is None or lease.sequence_number != reading.lease.sequence_number:
                del self._readings[name]
        for name in balance.held.keys() - self._readings.keys():
            self._begin(shards.get(name), balance.held[name])

    def _begin(self, shard: Shard | None, lease: Lease) -> None:
        if shard is not None:
            reader = ShardReader(self.store.send, shard, lease.sequence_number)
            self._readings[shard.name] = Reading(self.store.table, self._leases, lease, reader)
        elif self._gaps == "refuse":
            raise RecordsLost.of(lease.shard)
        else:
            self._leases.checkpoint(lease, lease.sequence_number, finished=True)
            self._balance_at = 0.0

    def _at_work(self) -> _AtWork:
        self._balance_at = 0.0
        return _AtWork(self._leases, self._stopped, self._readings)


class _AtWork:
    """A worker's being in its group: it joins, shows that it is alive, and leaves."""

    def __init__(
        self, leases: Leases, stopped: threading.Event, readings: dict[str, Reading]
    ) -> None:
        self._leases = leases
        self._stopped = stopped
        self._readings = readings
        self._heart = threading.Thread(target=self._beat, name=leases.worker, daemon=True)

    def __enter__(self) -> Self:
        self._leases.beat()
        self._heart.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._heart.join()
        self._leases.leave(reading.lease for reading in self._readings.values())
        self._readings.clear()
        self._stopped.clear()

    def _beat(self) -> None:
        while not self._stopped.wait(self._leases.lease_s / 3):
            try:
                self._leases.beat()
            except SingletableError:
                logger.warning(
                    "%s cannot show that it is alive", self._leases.worker, exc_info=True
                )


def _raise(_: str, error: Exception) -> None:
    raise error


def _log(what: str, error: Exception) -> None:
    logger.error("%s", what, exc_info=error)


def _may_pass(error: Exception) -> bool:
    """Tell whether what failed may go well later, as it is."""
    return isinstance(error, Throttled) or kind_of(error) is not None


def _check(consumers: Sequence[Any], batch: int, retries: Any) -> None:
    for consumer in consumers:
        if isinstance(consumer, type):
            name = consumer.__name__
            raise UsageError(f"{name} is a class: give the worker one of it, {name}(store)")
    names = [consumer.name for consumer in consumers]
    if not names:
        raise UsageError("A worker needs a consumer: Worker(store, AfterWrites(store))")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"Two consumers are named {', '.join(sorted(twice))}: name one anew")
    if not 1 <= batch <= LIMIT_MAX:
        raise UsageError(f"A read of a stream gives 1 to {LIMIT_MAX} records, not {batch}")
    if not isinstance(retries, Retries):
        raise UsageError(f"retries={retries!r}: write retries=Retries(attempts={retries!r})")
