"""The search index: a consumer of the stream, which a store's users ask for items.

It is as far behind the table as its worker is. What it finds are keys; the items themselves are
read from the table, and what has changed hands since it was indexed is not given.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Self, TypeVar, overload

from singletable.errors import DesignError, UsageError
from singletable.model.entity import Entity
from singletable.model.pages import Page
from singletable.model.reads import BatchGet, Get, get_many
from singletable.store.reading.cursors import WHOLE, Cursors, Position, Secret, refusal
from singletable.store.store import Store
from singletable.streams.changes import Change, Removed
from singletable.streams.consumers import Batch, DeliveryFailed, Failures

from .asking import Asked, Entities
from .documents import Document, Indexed, Layout, Load
from .fts5 import Fts5
from .hits import Hit, as_html
from .keeping import Clock, Entry, Keeper, is_newer
from .questions import Match
from .rebuilding import SEGMENTS, Progress, Rebuilt, rebuild
from .verifying import SETTLE_S, Report, repair, verify

E = TypeVar("E", bound=Entity)

LIMIT_MAX = 1000


class SearchIndex:
    """Keeps documents of a table's items, as a consumer of its stream, and finds them by words.

    ``where`` is a file for SQLite, ":memory:", ``Tantivy(folder)`` or ``OpenSearch(url)``.
    ``load`` loads large content, where documents have any: ``store.load``.
    """

    def __init__(
        self,
        where: str | PathLike[str] | Keeper,
        *documents: Document,
        name: str = "search",
        cursor_secret: Secret | Sequence[Secret] | None = None,
        load: Load | None = None,
        clock: Clock = time.time,
    ) -> None:
        _check(documents, load)
        self.name = name
        self.keeper: Keeper = (
            Fts5(where, clock=clock) if isinstance(where, str | PathLike) else where
        )
        self.layout = Layout(documents, load)
        self._cursors = Cursors(cursor_secret)
        self._clock = clock
        self.keeper.open(self.layout)

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Follow a batch of changes; of each document, the last of them counts."""
        stream = (batch.shard or "").partition("/")[0]
        entries: dict[str, Entry] = {}
        try:
            for change in batch.changes:
                if change.schema.type in self.layout.by_type:
                    entry = self._entry(change, stream, failures)
                    last = entries.get(entry.id)
                    if last is None or is_newer(entry.place, last.place):
                        entries[entry.id] = entry
        except DeliveryFailed:
            self._apply(entries)
            raise
        self._apply(entries)

    def _apply(self, entries: Mapping[str, Entry]) -> None:
        if entries:
            self.keeper.apply(list(entries.values()))

    def _entry(self, change: Change[Any], stream: str, failures: Failures) -> Entry:
        document = self.layout.by_type[change.schema.type]
        name = document.id_of(change.record.keys)
        return Entry(name, f"{stream}/{change.position}", self._indexed(change, failures))

    def _indexed(self, change: Change[Any], failures: Failures) -> Indexed | None:
        """Make the document of a changed item; one that cannot be read has none."""
        if isinstance(change, Removed):
            return None
        if change.record.new is None:
            raise UsageError(_needs_images(change.schema.name))
        try:
            entity = change.schema.items.read(change.record.new)
            if self.layout.by_type[change.schema.type].is_large:
                return self._loaded(entity, change, failures)
            return self.layout.indexed(entity)
        except DeliveryFailed:
            raise
        except Exception as error:  # noqa: BLE001 - validators and properties may raise anything
            failures.put_aside(change, self.name, error)
            return None

    def _loaded(self, entity: Entity, change: Change[Any], failures: Failures) -> Indexed | None:
        """Make a document whose content has to be loaded, which may have to be tried again."""
        made: list[Indexed | None] = [None]
        failures.attempt(lambda: made.append(self.layout.indexed(entity)), change, self.name)
        return made[-1]

    @overload
    def search(
        self,
        text: str,
        /,
        *,
        entity: type[E],
        scope: Mapping[str, Any] | None = None,
        limit: int = 20,
        after: str | None = None,
        **filters: Any,
    ) -> Page[Hit[E]]: ...
    @overload
    def search(
        self,
        text: str,
        /,
        *,
        entity: Sequence[type[Entity]] | None = None,
        scope: Mapping[str, Any] | None = None,
        limit: int = 20,
        after: str | None = None,
        **filters: Any,
    ) -> Page[Hit[Any]]: ...
    def search(
        self,
        text: str,
        /,
        *,
        entity: Entities = None,
        scope: Mapping[str, Any] | None = None,
        limit: int = 20,
        after: str | None = None,
        **filters: Any,
    ) -> Page[Hit[Any]]:
        """Find items by words, the best first, within a scope.

        All words must be found; "quotes" make a phrase, a star after a word finds its beginnings.
        A text without a word finds nothing. A filter is a value, a list of values of which one must
        fit, or ``between(low, high)``. ``after`` is the ``next`` of the page before.
        """
        if not 1 <= limit <= LIMIT_MAX:
            raise UsageError(f"A limit is a whole number from 1 to {LIMIT_MAX}, not {limit!r}")
        asked = Asked.of(self.layout, text, entity, scope or {}, filters)
        begin = None if after is None else self._opened(after, asked.binding)
        if asked.is_empty:
            return Page([])
        found = self.keeper.search(asked.question(self._clock(), limit + 1, begin))
        hits = [self._hit(match, asked.realms) for match in found[:limit]]
        more = len(found) > limit
        return Page(hits, self._sealed(found[limit - 1], asked.binding) if more else None)

    @overload
    async def asearch(self, text: str, /, *, entity: type[E], **asked: Any) -> Page[Hit[E]]: ...
    @overload
    async def asearch(self, text: str, /, **asked: Any) -> Page[Hit[Any]]: ...
    async def asearch(self, text: str, /, **asked: Any) -> Page[Hit[Any]]:
        """Find items by words, as ``search`` does, in a thread of its own."""
        import asyncio

        return await asyncio.to_thread(self.search, text, **asked)

    def fetch(self, store: Store, hits: Iterable[Hit[E]]) -> list[E]:
        """Read the items of hits from the table, in one batch and in their order.

        What is gone is left out, and so is what is no longer of the scope that it was found in.
        """
        found = list(hits)
        return self._still(found, store.bind(_reads(found)).all())

    async def afetch(self, store: Store, hits: Iterable[Hit[E]]) -> list[E]:
        """Read the items of hits from the table, in one batch and in their order."""
        found = list(hits)
        return self._still(found, await store.bind(_reads(found)).aall())

    def _still(self, hits: Sequence[Hit[E]], entities: Sequence[E]) -> list[E]:
        """Leave out what has no document any more, or one of another realm."""
        realms = {self.layout.id_of(hit.key): hit.realm for hit in hits}
        current = ((entity, self.layout.indexed(entity)) for entity in entities)
        return [one for one, now in current if now and realms.get(now.id) == now.realm]

    def rebuild(
        self, store: Store, *, segments: int = SEGMENTS, progress: Progress | None = None
    ) -> Rebuilt:
        """Make the index anew from the table, while its stream is followed and it is searched.

        Searches see the index as it was until the new one is complete. ``progress`` is called with
        the number of items read and of those in the table, where that is known.
        """
        self.layout.check(store.table)
        return rebuild(self.keeper, self.layout, store, segments, progress)

    def verify(
        self, store: Store, *, settle_s: float = SETTLE_S, progress: Progress | None = None
    ) -> Report:
        """Compare the index with the table; changes nothing.

        What differs is looked at again after a while: what changed meanwhile is under way.
        """
        self.layout.check(store.table)
        return verify(self.keeper, self.layout, store, settle_s, progress)

    def repair(self, store: Store, report: Report) -> int:
        """Put right what a report tells, from the table as it is now; give how many documents."""
        return repair(self.keeper, self.layout, store, report)

    def close(self) -> None:
        """Close the index."""
        self.keeper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hit(self, match: Match, realms: Mapping[str, Document]) -> Hit[Any]:
        document = self.layout.document(match.id)
        realm = next(realm for realm, one in realms.items() if one is document)
        columns = self.layout.columns_of[document.schema.type].items()
        marked = {name: match.marked[column] for name, column in columns if column in match.marked}
        highlights = {name: as_html(text) for name, text in marked.items()}
        return Hit(document.key(match.key), match.score, highlights, realm)

    def _sealed(self, last: Match, binding: bytes) -> str:
        place = {"score": {"N": repr(last.score)}, "id": {"S": last.id}}
        return self._cursors.seal(Position({WHOLE: place}), binding)

    def _opened(self, cursor: str, binding: bytes) -> tuple[float, str]:
        place = self._cursors.open(cursor, binding).keys.get(WHOLE) or {}
        try:
            return float(place["score"]["N"]), place["id"]["S"]
        except (KeyError, ValueError):
            raise refusal() from None


def _reads(hits: Iterable[Hit[E]]) -> BatchGet[E]:
    reads: Iterable[Get[E]] = (Get.of(key=hit.key) for hit in hits)
    return get_many(reads)


def _check(documents: Sequence[Document], load: Load | None) -> None:
    if not documents:
        raise DesignError(
            'An index needs documents: SearchIndex("search.db", Document(Session, …))'
        )
    types = [document.schema.type for document in documents]
    if len(set(types)) < len(types):
        raise DesignError("An entity has one document in an index: put its texts together")
    first = documents[0].schema
    for document in documents:
        if document.schema.table is not first.table:
            raise DesignError(
                f"{document.schema.name} and {first.name} are in two tables: make an index for each"
            )
        if document.is_large and load is None:
            raise DesignError(
                f"{document!r} is of large content, which is not in the item: let the index load "
                "it, SearchIndex(…, load=store.load), or name a property that gives its preview"
            )
        if first.table.stream in {"KEYS_ONLY", "OLD_IMAGE"}:
            raise DesignError(_needs_images(first.name))


def _needs_images(name: str) -> str:
    return (
        f"The stream has to tell {name} as it is after a change: declare "
        'Table(…, stream="NEW_AND_OLD_IMAGES") and change the table'
    )
