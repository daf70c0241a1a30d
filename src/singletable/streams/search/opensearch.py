"""An index in OpenSearch, over HTTP, for searches of more than one machine can hold.

A document carries the place of the change that it reflects, and one that is gone leaves its place
behind; what is written says which version of the document it was decided on (``if_seq_no``), so
several writers, as in Lambda, never undo each other's work. Places are longer than the versions
that OpenSearch could compare by itself.

While an index is built, it is written before the live one. So a change that the live one has
applied is in the new one, or was in the table before its scan began.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from singletable.errors import SingletableError, Throttled, UsageError

from .documents import Indexed, Layout
from .keeping import BATCH_MAX, FORGET_S, Clock, Entry, Held, chunks, is_newer, made_otherwise
from .opensearch_bodies import TOLD, hashed, held_of, match_of, query_body, source
from .opensearch_indexes import Generations, Indexes
from .opensearch_wire import BUSY, SearchRefused, Wire, refused
from .questions import Match, Question

ATTEMPTS = 10
BULK_BYTES_MAX = 5_000_000
NOT_FOUND, CONFLICT = 404, 409
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")


class _Conflict(SingletableError):
    """Somebody else has written a document meanwhile: what to write is decided anew."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """What an index tells of a document, or of its absence."""

    place: str = ""
    version: Mapping[str, int] | None = None
    source: Mapping[str, Any] = field(default_factory=dict)


class OpenSearch:
    """Keeps an index in OpenSearch at a URL, under a name; several may stand side by side.

    ``user`` is a name and a password; ``aws=True`` signs requests with the credentials that boto3
    would find. ``settings`` are those of the indexes that are made, such as the number of shards.
    """

    def __init__(
        self,
        url: str,
        name: str = "search",
        *,
        user: tuple[str, str] | None = None,
        aws: bool = False,
        settings: Mapping[str, Any] | None = None,
        timeout_s: float = 30.0,
        clock: Clock = time.time,
    ) -> None:
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} cannot name an index: small letters, digits, '-', '_', '.'")
        self._wire = Wire(url, user=user, aws=aws, timeout_s=timeout_s)
        self._name = name
        self._settings = dict(settings or {})
        self._clock = clock
        self._forgot = 0.0

    def open(self, layout: Layout) -> None:
        """Know the layout; sends nothing yet."""
        self._layout = layout
        self._indexes = Indexes(self._wire, self._name, self._settings, layout)

    def apply(self, entries: Sequence[Entry]) -> None:
        """Write what is newer, to the index that is being built first; again where it collides."""
        for attempt in range(ATTEMPTS):
            try:
                generations = self._indexes.generations()
                if generations.has_others:
                    raise made_otherwise(self._name)
                for some in chunks(entries):
                    self._apply(generations, some)
                break
            except _Conflict:
                time.sleep(0.01 * attempt)
        else:
            raise Throttled("Others keep writing the same documents: the delivery waits")
        self._forget()

    def begin(self) -> int:
        """Make a new index beside the live one, in place of what was left half made."""
        return self._indexes.begin()

    def fill(self, generation: int, documents: Iterable[Indexed]) -> None:
        """Put in what a scan read, where there is neither a document nor the trace of one."""
        self._indexes.check(generation)
        index = self._indexes.index(generation)
        found = {document.id: document for document in documents}
        for some in chunks(list(found.values())):
            writes = [self._write(index, Entry(one.id, "", one), _Stored()) for one in some]
            self._bulk(writes, settled=CONFLICT)

    def finish(self, generation: int) -> None:
        """Let the alias point at a new index and drop all others, at once."""
        self._indexes.finish(generation)

    def places(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Tell for documents the place of the last change that was applied."""
        found = self._stored(self._indexes.live(), ids)
        return {name: one.place for name, one in found.items() if one.place}

    def mend(self, entries: Sequence[Entry]) -> None:
        """Put right live documents to which no change was applied meanwhile."""
        live = self._indexes.live()
        for some in chunks(entries):
            there = self._stored(live, [entry.id for entry in some])
            still = [entry for entry in some if there[entry.id].place == entry.place]
            writes = [self._write(live, entry, there[entry.id]) for entry in still]
            self._bulk(writes, settled=CONFLICT)

    def held(self, ids: Sequence[str]) -> dict[str, Held]:
        """Tell which of these documents are live."""
        found = self._stored(self._indexes.live(), ids)
        return {name: held_of(one.source) for name, one in found.items() if "realm" in one.source}

    def every(self) -> Iterator[Held]:
        """Tell every live document, page by page."""
        live = self._indexes.live()
        self._wire.send("POST", f"/{live}/_refresh")
        query: dict[str, Any] = {
            "size": BATCH_MAX,
            "query": {"exists": {"field": "realm"}},
            "sort": [{"id": "asc"}],
            "_source": TOLD,
        }
        while True:
            found = self._wire.send("POST", f"/{live}/_search", query)["hits"]["hits"]
            yield from (held_of(hit["_source"]) for hit in found)
            if len(found) < BATCH_MAX:
                return
            query["search_after"] = found[-1]["sort"]

    def search(self, question: Question) -> list[Match]:
        """Find documents by the score that OpenSearch gives them."""
        try:
            answer = self._wire.send(
                "POST", f"/{self._indexes.alias}/_search", query_body(self._layout, question)
            )
        except SearchRefused as error:
            if error.status != NOT_FOUND:
                raise
            self._indexes.live()  # makes the first, or says that there are others
            return []
        return [match_of(hit) for hit in answer["hits"]["hits"]]

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()

    def _apply(self, generations: Generations, entries: Sequence[Entry]) -> None:
        ids = [entry.id for entry in entries]
        live = self._stored(generations.live, ids)
        built = self._stored(generations.building, ids)
        newer = [entry for entry in entries if is_newer(entry.place, live[entry.id].place)]
        for index, there in ((generations.building, built), (generations.live, live)):
            if index is not None:
                writes = [
                    self._write(index, entry, there[entry.id])
                    for entry in newer
                    if is_newer(entry.place, there[entry.id].place)
                ]
                self._bulk(writes)

    def _stored(self, index: str | None, ids: Sequence[str]) -> dict[str, _Stored]:
        """Read documents by their ids, as they are, refreshed or not."""
        if index is None or not ids:
            return dict.fromkeys(ids, _Stored())
        wanted = [{"_index": index, "_id": hashed(name), "_source": TOLD} for name in ids]
        answers = self._wire.send("POST", "/_mget", {"docs": wanted})["docs"]
        return {name: _read(answer) for name, answer in zip(ids, answers, strict=True)}

    def _write(self, index: str, entry: Entry, there: _Stored) -> tuple[Any, Any]:
        """Give the two lines of a write, which holds only where the document is as it was read."""
        target = {"_index": index, "_id": hashed(entry.id)}
        stored = source(self._layout, entry, self._clock())
        if there.version is None:
            return {"create": target}, stored
        return {"index": target | {**there.version}}, stored

    def _bulk(self, writes: Iterable[tuple[Any, Any]], *, settled: int = 0) -> None:
        """Write documents; a conflict is an error unless it settles the matter."""
        conflicts = 0
        for lines in _lots(writes):
            answer = self._wire.send("POST", "/_bulk", lines)
            results = [result for item in answer["items"] for result in item.values()]
            failed = [one for one in results if "error" in one and one["status"] != settled]
            for one in failed:
                if one["status"] in BUSY:
                    raise Throttled("OpenSearch is busy: it refused to write some documents")
                if one["status"] not in {CONFLICT, NOT_FOUND}:
                    raise refused(f"to write {one['_id']}", one["status"], one["error"])
            conflicts += len(failed)
        if conflicts:
            raise _Conflict("Documents were written by somebody else meanwhile")

    def _forget(self) -> None:
        """Forget, once an hour, what has been gone for long."""
        now = self._clock()
        if now < self._forgot + 3600:
            return
        self._forgot = now
        query = {"query": {"range": {"gone": {"lt": now - FORGET_S}}}}
        self._wire.send("POST", f"/{self._name}-g*/_delete_by_query?conflicts=proceed", query)


def _lots(writes: Iterable[tuple[Any, Any]]) -> Iterator[bytes]:
    """Give the lines of writes in lots of a size that OpenSearch takes at once."""
    lot: list[bytes] = []
    size = 0
    for write in writes:
        lines = b"".join(orjson.dumps(one) + b"\n" for one in write)
        if lot and size + len(lines) > BULK_BYTES_MAX:
            yield b"".join(lot)
            lot, size = [], 0
        lot.append(lines)
        size += len(lines)
    if lot:
        yield b"".join(lot)


def _read(answer: Mapping[str, Any]) -> _Stored:
    if "error" in answer:  # the index is gone: another rebuild put one in its place
        raise _Conflict("An index was replaced meanwhile")
    if not answer["found"]:
        return _Stored()
    version = {"if_seq_no": answer["_seq_no"], "if_primary_term": answer["_primary_term"]}
    return _Stored(answer["_source"].get("place", ""), version, answer["_source"])
