"""A small design to be searched, and means to give an index its changes in every way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from singletable import Entity, Large, Store, Table, created, expires
from singletable.streams import Batch, Change, DeliveryFailed
from singletable.streams.changes import changes_of
from singletable.streams.records import Record
from singletable.streams.search import Document, SearchIndex
from singletable.streams.search.documents import Indexed
from singletable.streams.search.keeping import Keeper
from singletable.streams.shards import ShardReader, find_shards

table = Table("library", stream="NEW_AND_OLD_IMAGES")


class Note(Entity, table=table, pk="USER#{user_id}", sk="NOTE#{note_id}"):
    """Something that a user wrote."""

    user_id: str
    note_id: str
    name: str
    text: str = ""
    status: str = "NEW"
    tags: set[str] = set()
    stars: int = 0
    shelf: str = "main"
    at: datetime = created()
    expires_at: datetime | None = expires()

    @property
    def shout(self) -> str:
        """The name, loud."""
        return self.name.upper()


class Book(Entity, table=table, pk="BOOK#{book_id}", sk="BOOK"):
    """Something that everybody may find."""

    book_id: str
    title: str
    status: str = "NEW"


class Secret(Entity, table=table, pk="USER#{user_id}", sk="SECRET#{secret_id}"):
    """Something that is not searched."""

    user_id: str
    secret_id: str
    name: str = ""
    long: Large[str] | None = None


class Library(Store, table=table):
    """The store."""


NOTES = Document(
    Note,
    text={"name": 3, "text": 1},
    filters=["status", "tags", "stars", "at"],
    scope="user_id",
    when={"shelf": ["main", "side"]},
)
BOOKS = Document(Book, text=["title"], filters=["status"])

Make = Callable[..., SearchIndex]


@dataclass
class Kept:
    """Collects what is put aside; fails there instead if told so."""

    strict: bool = False
    aside: list[tuple[Change[Any], str, Exception]] = field(default_factory=list)

    def attempt(self, work: Callable[[], None], change: Change[Any], label: str) -> None:
        work()

    def put_aside(self, change: Change[Any], label: str, error: Exception) -> None:
        self.aside.append((change, label, error))
        if self.strict:
            raise DeliveryFailed("broken", change) from error


def records_of(store: Store) -> list[Record]:
    """Read the whole stream of a store's table."""
    found: list[Record] = []
    for shard in find_shards(store):
        reader = ShardReader(store.send, shard, None)
        while records := reader.read(1000):
            found += records
    return found


def batch_of(records: Iterable[Record], shard: str | None = None) -> Batch:
    """Make one batch of records."""
    listed = list(records)
    changes = [one for record in listed for one in changes_of(table, record)]
    return Batch(changes, listed[-1].position if listed else "", shard)


def follow(index: SearchIndex, store: Store, kept: Kept | None = None) -> None:
    """Deliver the whole stream, in one batch."""
    index.deliver(batch_of(records_of(store), "2026/shard"), kept or Kept())


def contents(index: SearchIndex) -> dict[str, str]:
    """Tell everything that an index holds."""
    return {one.id: one.digest for one in index.keeper.every()}


def names(found: Iterable[Any]) -> list[str]:
    """Tell hits by the ids of their notes."""
    return [hit.key.fields.get("note_id") or hit.key.fields["book_id"] for hit in found]


class Delayed:
    """A keeper that does something between the read of a page of documents and its writing."""

    def __init__(self, keeper: Keeper, work: Callable[[], None]) -> None:
        self._keeper = keeper
        self._work = work

    def __getattr__(self, name: str) -> Any:
        return getattr(self._keeper, name)

    def fill(self, generation: int, documents: Iterable[Indexed]) -> None:
        found = list(documents)
        if found:
            self._work()
        self._keeper.fill(generation, found)
