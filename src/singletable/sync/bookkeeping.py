"""What sync remembers: whose a client group is, how far its clients came, what they have seen.

It stands in a table of its own, ``<table>-sync``, and is a design like any other; transactions may
span tables. What is forgotten is never wrong, only slower: a client whose view is gone is sent all
of it, one that is gone itself starts anew.

A view is what a pull has sent: the version of each row. It is cut into chunks that are named after
their content, so that a view which differs in one row shares all chunks but one with the view
before it, and with those of other groups that see the same.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar, Self
from zlib import crc32

from singletable.model.changes import add
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.fields import expires, now
from singletable.model.patterns import pattern
from singletable.model.reads import BatchGet, Get, Query, get_many
from singletable.model.table import Table
from singletable.store.context import Context
from singletable.store.large.saving import Contents
from singletable.store.store import Store
from singletable.store.writing.actions import Action, Seen
from singletable.store.writing.committing import NO_NUMBERS, NOTHING
from singletable.store.writing.ensuring import upserting
from singletable.store.writing.whole import Creating, Putting

SUFFIX = "-sync"
GROUP_DAYS = 180
CLIENT_DAYS = 60
"""For how long a client is known after its last edit; every tab that was ever opened is one."""
VIEW_DAYS = 14
CHUNK_RENEWED_DAYS = 7
"""The age from which on a chunk is written again, so that it outlives the views that name it."""
PULSES = 4
"""Over how many items the mutations of a space are spread, or they would wait for each other."""

books = Table(f"table{SUFFIX}", delimiter="|")


class Group(Entity, table=books, pk="GROUP|{group}", sk="GROUP"):
    """A client group, which one user has in one space: a browser's profile, as a rule."""

    group: str
    owner: str
    space: str
    views: int = 0
    """The number of the last view that was sent; the cookie that clients have."""
    expires_at: datetime | None = expires(days=GROUP_DAYS)


class Client(Entity, table=books, pk="GROUP|{group}", sk="CLIENT|{client}"):
    """A client of a group, and the last of its mutations, written together with its effects."""

    group: str
    client: str
    last: int
    expires_at: datetime | None = expires(days=CLIENT_DAYS)


class View(Entity, table=books, pk="GROUP|{group}", sk="VIEW|{number:016d}"):
    """What the clients of a group were sent: the client view record."""

    group: str
    number: int
    chunks: dict[str, int]
    """The digest of each chunk, and the day on which it was written."""
    expires_at: datetime | None = expires(days=VIEW_DAYS)


class Chunk(Entity, table=books, pk="CHUNK|{digest}", sk="CHUNK"):
    """A part of views: keys, each with a version, compressed."""

    digest: str
    rows: bytes
    expires_at: datetime | None = expires(days=VIEW_DAYS + CHUNK_RENEWED_DAYS + 1)


class Pulse(Entity, table=books, pk="SPACE|{space}", sk="PULSE|{number:02d}"):
    """Beats with every mutation: while it does not, what is read of a space is of one moment."""

    space: str
    number: int
    beats: int = 0


class Books(Store, table=books):
    """Every access pattern of sync."""

    _remedy = "Sync(store, create=True)"
    ignored: ClassVar = {
        "K207": {"View": "a pull reads rows_max rows at most; 20,000 make 256 chunks, or 10 KB"}
    }

    @classmethod
    def beside(cls, store: Store, *, create: bool | None = None) -> Self:
        """Connect to the bookkeeping beside a store's table, as the store is connected.

        It is made if it is missing, on the embedded engine always, elsewhere by ``create``.
        """
        return cls.connect(
            store.backend,
            table_name=f"{store.table_name}{SUFFIX}",
            create=create,
            clock=store.context.clock,
            retries=store.context.retries,
            observers=store.context.observers,
        )

    @pattern
    def group(self, group: str) -> Get[Group]:
        """Find out whose a client group is."""
        return Group.get(group=group).strong()

    @pattern
    def client(self, group: str, client: str) -> Get[Client]:
        """Tell how far a client has come."""
        return Client.get(group=group, client=client).strong()

    @pattern
    def clients(self, group: str) -> Query[Client]:
        """Tell how far the clients of a group have come."""
        return Client.query(group=group).strong()

    @pattern
    def standing(self, group: str, space: str) -> BatchGet[Group | Pulse]:
        """Read a group, and all pulses of its space, as of one moment."""
        pulses = [Pulse.get(space=space, number=number) for number in range(PULSES)]
        gets: list[Get[Any]] = [Group.get(group=group), *pulses]
        return get_many(gets).snapshot()

    @pattern
    def view(self, group: str, number: int) -> Get[View]:
        """Tell what clients that have a cookie were sent."""
        return View.get(group=group, number=number).strong()

    @pattern
    def chunks(self, digests: list[str]) -> BatchGet[Chunk]:
        """Read parts of a view."""
        return get_many([Chunk.get(digest=digest) for digest in digests]).strong()


def after_days(days: int) -> datetime:
    """Tell when an item that is written now, and kept so many days, is gone."""
    return now().replace(microsecond=0) + timedelta(days=days)


def advancing(group: str, client: str, to: int) -> Putting[Client]:
    """Give the action that takes note of a mutation, and fails unless it is the next one."""
    advanced = Client(group=group, client=client, last=to)
    return Creating(advanced) if to == 1 else Putting(advanced, F("last") == to - 1)


def marks_of(books: Books, advance: Putting[Client], space: str) -> list[dict[str, Any]]:
    """Give the actions of a transaction that take note of a mutation: its client, and the pulse."""
    number = crc32(advance.entity.client.encode()) % PULSES
    beat = upserting(Pulse.key(space=space, number=number), {"beats": add(1)}, None)
    return [_as_part(books.context, action) for action in (advance, beat)]


def _as_part(context: Context, action: Action[Any]) -> dict[str, Any]:
    """Give an action that concerns one item alone as a part of a transaction."""
    plan = action.plan(Seen(context.clock(), NOTHING, NO_NUMBERS, Contents(context)))
    [write] = plan.writes
    return {write.kind: write.request(context.table_name)}
