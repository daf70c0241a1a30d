"""The journal: which rows are about to be written on both sides, until both have them.

A row has one entry, whoever writes it. It names the writers, and every item that came of the row
since the first of them began: one who writes last knows by it what the others have left. It goes
with the last writer; one that died leaves its name in it, for somebody to settle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

import orjson

from singletable.errors import ConditionFailed, NotFound, SingletableError, StoreError
from singletable.migrate.bookkeeping import Books, Intent
from singletable.migrate.sources.source import Id
from singletable.model.changes import add, exclude, include
from singletable.model.conditions import F
from singletable.model.reads import Key
from singletable.store.writing.writes import identity
from singletable.values import Item, dumps, loads

SHARDS = 16
"""One partition takes a thousand writes a second."""
SORT_KEY_BYTES_MAX = 1024


class NotJournalled(StoreError):
    """A write was refused, before anything was written: the journal cannot be."""


@dataclass(frozen=True, slots=True)
class Journal:
    """Keeps the journal of a migration."""

    books: Books
    name: str
    clock: Callable[[], datetime]

    def open(self, kind: str, row: Id, writer: str) -> Intent:
        """Enter a writer; refuse the write if that cannot be done."""
        text = orjson.dumps(list(row), default=str).decode()
        key = self._key(kind, text)
        changes: dict[str, Any] = {"writers": include({writer}), "number": add(1)}
        if key.fields["row_id"] != text:
            changes["row"] = text
        try:
            return self.books.upsert(key, changes, since=self.clock())
        except SingletableError as error:
            raise NotJournalled(
                f"{kind} {row} is not written, on neither side: the journal in "
                f"{self.books.table_name!r} cannot be ({error})"
            ) from error

    def add(self, intent: Intent, writer: str, items: Iterable[Item]) -> Intent:
        """Note items that came of the row, before anything is done about them."""
        new = {dumped(item) for item in items} - intent.made
        if not new:
            return intent
        changes: dict[str, Any] = {"writers": include({writer}), "number": add(1)}
        changes |= {"made": include(new), "since": intent.since}
        if intent.row is not None:  # somebody may have settled it
            changes["row"] = intent.row
        return self.books.upsert(_key_of(intent), changes)

    def look(self, intent: Intent) -> Intent:
        """Read an entry as it is now."""
        return self.books.bind(Intent.get(**_key_of(intent).fields).strong()).first() or intent

    def close(self, intent: Intent, writer: str) -> None:
        """Take a writer out; the last one takes the entry along."""
        key = _key_of(intent)
        try:
            self.books.delete(key, only_if=F("writers") == {writer})
        except ConditionFailed as error:
            if error.found is not None:
                self._leave(key, writer)

    def forget(self, intent: Intent) -> bool:
        """Delete an entry, unless somebody has come to it since."""
        try:
            self.books.delete(_key_of(intent), only_if=F("number") == intent.number)
        except ConditionFailed:
            return False
        return True

    def entries(self) -> Iterator[Intent]:
        """Give all entries."""
        for shard in range(SHARDS):
            yield from self.books.journal(self.name, shard)

    def _leave(self, key: Key[Intent], writer: str) -> None:
        """Leave an entry to the others; to nobody, if they have all left at once."""
        try:
            if not self.books.update(key, writers=exclude({writer})).writers:
                self._drop(key)
        except NotFound:
            return  # somebody has settled it

    def _drop(self, key: Key[Intent]) -> None:
        try:
            self.books.delete(key, only_if=F("writers").missing())
        except ConditionFailed:
            return  # somebody has come to it, or has dropped it

    def _key(self, kind: str, row: str) -> Key[Intent]:
        digest = blake2b(f"{kind}|{row}".encode(), digest_size=2).digest()
        shard = int.from_bytes(digest, "big") % SHARDS
        key = Intent.key(name=self.name, shard=shard, kind=kind, row_id=row)
        _, sort_key = identity(key.item_key)
        if len(sort_key.encode()) <= SORT_KEY_BYTES_MAX:
            return key
        short = blake2b(row.encode(), digest_size=16).hexdigest()
        return Intent.key(name=self.name, shard=shard, kind=kind, row_id=short)


def row_of(intent: Intent) -> Id:
    """Give the key of the row."""
    return tuple(orjson.loads(intent.row or intent.row_id))


def dumped(key: Item) -> str:
    """Write the key of an item as JSON."""
    return dumps(key).decode()


def loaded(text: str) -> Item:
    """Read the key of an item from its JSON."""
    return loads(text.encode())


def _key_of(intent: Intent) -> Key[Intent]:
    return Intent.key(name=intent.name, shard=intent.shard, kind=intent.kind, row_id=intent.row_id)
