"""A stream as a person looks at it: what it tells, how far a group is behind, and all of it again.

Nothing here takes a lease or makes a checkpoint: workers do not notice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable.errors import TableMissing
from singletable.model.fields import now
from singletable.store.store import Store

from .bookkeeping import Books, Lease
from .changes import changes_of
from .consumers import Batch, Consumer, Failures
from .failing import Again, Report, from_letter, told_of
from .handlers import Handlers
from .records import Record, from_time
from .shards import EMPTY_READS, Shard, ShardReader, find_shards

POLL_S = 0.25


@dataclass(frozen=True, slots=True)
class Lag:
    """Tells how far a group of workers is behind in one shard."""

    shard: str
    owner: str | None
    behind: timedelta | None
    """The age of the oldest record that is not done yet; None if all are."""


def lag(store: Store, group: str = "worker") -> list[Lag]:
    """Tell how far a group is behind in each shard that it is not through with."""
    leases: dict[str, Lease] = {}
    with suppress(TableMissing):  # no worker has run yet
        leases = {lease.shard: lease for lease in Books.beside(store).leases(group)}
    return [
        _lag(store, shard, leases.get(shard.name))
        for shard in find_shards(store)
        if not _is_done(leases.get(shard.name))
    ]


def groups(store: Store) -> list[str]:
    """Name the groups of workers that read the stream, or did; the bookkeeping is read whole."""
    with suppress(TableMissing):
        return sorted({lease.group for lease in Books.beside(store).bind(Lease.scan())})
    return []


def has_group(store: Store, name: str) -> bool:
    """Tell whether a group of workers has ever begun to read the stream."""
    with suppress(TableMissing):
        return bool(Books.beside(store).leases(name).page().items)
    return False


def _is_done(lease: Lease | None) -> bool:
    return lease is not None and lease.finished


def _lag(store: Store, shard: Shard, lease: Lease | None) -> Lag:
    reader = ShardReader(store.send, shard, lease.sequence_number if lease else None)
    since = lease.since if lease else None
    records = (record for batch in _read(reader) for record in from_time(batch, since))
    waiting = next(records, None)
    owner = lease.owner if lease else None
    return Lag(shard.name, owner, None if waiting is None else now() - waiting.at)


def follow(store: Store, *, live: bool = False) -> Iterator[tuple[Shard, list[Record]]]:
    """Give all records that there are, each shard after its parent; if ``live``, wait for more."""
    readers: dict[str, ShardReader] = {}
    while True:
        shards = find_shards(store)
        for shard in shards:
            readers.setdefault(shard.name, ShardReader(store.send, shard))
        open_shards = [shard for shard in shards if not readers[shard.name].is_finished]
        ready = [
            shard
            for shard in open_shards
            if shard.parent not in readers or readers[shard.parent].is_finished
        ]
        for shard in ready:
            yield from ((shard, records) for records in _read(readers[shard.name]))
        if any(readers[shard.name].is_finished for shard in ready):
            continue
        if not live:
            return
        time.sleep(POLL_S)


def _read(reader: ShardReader) -> Iterator[list[Record]]:
    """Read a shard to its end, or to where nothing more is there."""
    empty = 0
    while empty < EMPTY_READS and not reader.is_finished:
        records = reader.read()
        empty = 0 if records else empty + 1
        if records:
            yield records


def replay(
    store: Store,
    *consumers: Consumer,
    since: datetime | None = None,
    failures: Failures | None = None,
) -> int:
    """Deliver what the stream still has, from a time on, to consumers again; count the changes.

    What a consumer did once, it does not do again. One that fails ends it with its error, unless
    ``failures`` deal with that.
    """
    total = 0
    for shard, records in follow(store):
        wanted = from_time(records, since)
        changes = [change for record in wanted for change in changes_of(store.table, record)]
        if changes:
            batch = Batch(changes, wanted[-1].position, shard.name)
            for consumer in consumers:
                consumer.deliver(batch, failures or Report())
            total += len(changes)
    return total


def retry(store: Store, consumer: Consumer) -> tuple[int, int]:
    """Deliver the dead letters of a consumer again; count those done, and those that stay.

    Of handlers, only the one that failed is called, unless there is none of its name any more.
    """
    books, done, failed = Books.beside(store), 0, 0
    for letter in books.dead_letters(consumer.name).all():
        try:
            _redeliver(store, consumer, letter.label, from_letter(books, letter))
        except Exception as error:  # noqa: BLE001 - it stays a dead letter, with the newer error
            failed += 1
            books.update(letter, error=told_of(error), attempts=letter.attempts + 1)
        else:
            done += 1
            books.delete(letter)
    return done, failed


def _redeliver(store: Store, consumer: Consumer, label: str, record: Record) -> None:
    changes = list(changes_of(store.table, record))
    is_known = isinstance(consumer, Handlers) and label in consumer.labels
    failures = Again(label) if is_known else Report()
    consumer.deliver(Batch(changes, record.position), failures)
