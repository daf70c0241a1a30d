"""What workers and consumers remember: who reads which shard, how far; what is done, what failed.

It stands in a table of its own, ``<table>-streams``: written to the table itself, every checkpoint
would come back through the stream and ask for the next one. It is a design like any other.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from singletable.model.entity import Entity
from singletable.model.fields import created, expires
from singletable.model.large import Large
from singletable.model.patterns import pattern
from singletable.model.reads import Get, Query
from singletable.model.table import Table
from singletable.store.store import Store

SUFFIX = "-streams"
MEMBER_DAYS = 1
DONE_DAYS = 7
"""For how long a change is known to be done: a stream tells of it for one day."""

REMEDY = "Worker(…, create=True), or singletable streams run --create"

books = Table(f"table{SUFFIX}", delimiter="|")


class Member(Entity, table=books, pk="GROUP|{group}", sk="MEMBER|{worker}"):
    """A worker that is alive as long as it beats."""

    group: str
    worker: str
    beats: int = 0
    expires_at: datetime | None = expires(days=MEMBER_DAYS)


class Lease(Entity, table=books, pk="GROUP|{group}", sk="SHARD|{shard}"):
    """A shard: which worker reads it, and how far the group has come."""

    group: str
    shard: str
    """The label of the stream and the id of the shard, which sort by age: ``label/shardId``."""
    parent: str | None = None
    owner: str | None = None
    sequence_number: str | None = None
    """That of the last record which all consumers are through with."""
    since: datetime | None = None
    """From when on records count, where a group did not begin with the oldest."""
    finished: bool = False


class Position(Entity, table=books, pk="CONSUMER|{consumer}", sk="POSITION|{shard}"):
    """How far a consumer has come in a shard, written together with what it did."""

    consumer: str
    shard: str
    position: str


class Done(Entity, table=books, pk="DONE|{consumer}|{change}", sk="DONE"):
    """Marks a change that a consumer has acted on, written together with what it did."""

    consumer: str
    change: str
    expires_at: datetime | None = expires(days=DONE_DAYS)


class DeadLetter(Entity, table=books, pk="CONSUMER|{consumer}", sk="DEAD|{position}|{label}"):
    """A change that a consumer could not act on."""

    consumer: str
    position: str
    label: str
    """The handler, or the part of the consumer, that failed."""
    error: str
    item: str
    """Which item it is of, for people."""
    record: Large[str]
    """The record of the change, as the stream told it; with two images it may be larger than any
    item."""
    attempts: int
    failed_at: datetime = created()


class Books(Store, table=books):
    """Every access pattern of workers and consumers."""

    _remedy = REMEDY
    ignored: ClassVar = {
        "F504": {
            "Done": "its being there is a condition of writes, and never read",
            "Waiting": "it is read by its key, several at a time, as actions are planned",
        }
    }

    @classmethod
    def beside(cls, store: Store, *, create: bool | None = None) -> Self:
        """Connect to the bookkeeping beside a store's table.

        It is made if it is missing, on the embedded engine always, elsewhere by ``create``.
        """
        return cls.connect(store.backend, table_name=f"{store.table_name}{SUFFIX}", create=create)

    @pattern
    def members(self, group: str) -> Query[Member]:
        """Find the workers of a group."""
        return Member.query(group=group).strong()

    @pattern
    def leases(self, group: str) -> Query[Lease]:
        """Find the shards that a group reads or has read, oldest first."""
        return Lease.query(group=group).strong()

    @pattern
    def position(self, consumer: str, shard: str) -> Get[Position]:
        """Tell how far a consumer has come in a shard."""
        return Position.get(consumer=consumer, shard=shard).strong()

    @pattern
    def dead_letters(self, consumer: str) -> Query[DeadLetter]:
        """Find what a consumer could not act on, oldest first."""
        return DeadLetter.query(consumer=consumer)
