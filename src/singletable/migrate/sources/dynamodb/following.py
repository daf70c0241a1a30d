"""The changes of DynamoDB tables, by their streams, from a position on.

Whatever may have been missed is an error: a stream that was turned off in between, a shard that
vanished unread, and a position that is a day old are refused, even where nothing happened.

A stream of AWS never says that all of it was read. A write is told some moments after it was
acknowledged, a new shard is listed some moments after it began, and a read of a shard with records
may be empty. So an end is believed only where nothing is told for ``lag_s``, by one follower that
asks again and again meanwhile: its readers go on behind reads that were empty. That relies on AWS
telling of every write within that time, which it does not promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from singletable.backends import Backend
from singletable.backends.embedded import EmbeddedBackend
from singletable.migrate.sources.errors import ChangesLost
from singletable.streams.records import Record
from singletable.streams.shards import LIMIT_MAX, RecordsLost, Shard, ShardReader, shards_of

from .positions import DONE, RETENTION, Place, Position, is_ready, lost, note_shards, place_of
from .tables import SourceTable
from .turning import begun, check_view, stream_of, turn_off

EMPTY_READS = 4
"""So many reads of a shard without a record are tried at a time."""
TELLING_S = 3.0
"""How long a stream of AWS may take to tell of a write: some tenths of a second, as a rule."""
COUNTED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A record of a table's stream."""

    table: SourceTable
    record: Record


class Follower:
    """Follows the streams of tables."""

    def __init__(
        self, tables: Callable[[], Iterable[SourceTable]], clock: Callable[[], datetime]
    ) -> None:
        self.clock = clock
        self._tables = tables
        self._readers: dict[tuple[str, str], ShardReader] = {}
        """Kept, as they get past reads without records, which leave no trace in a position."""
        self._begun: str | None = None
        self._ours: dict[str, str] = {}
        """The streams that are to be turned off in the end, by table."""
        self._turn = 0

    @property
    def lag_s(self) -> float:
        """Tell how long after a write it may be told, at most; the embedded engine does at once."""
        return max((lag_of(table.backend) for table in self._tables()), default=0.0)

    def begin(self) -> str:
        """Turn the streams on where they are off; give the position after all that is there."""
        if self._begun is None:
            at = self.clock()
            for table in self._tables():
                check_view(table)
            places = {table.name: begun(table) for table in self._tables()}
            self._note(places)
            self._begun = str(Position(at, places))
        return self._begun

    def read(self, text: str, limit: int) -> tuple[list[TableRecord], str]:
        """Give records after a position, and the position after them."""
        position, at = Position.of(text), self.clock()
        if at - position.read >= RETENTION:
            raise ChangesLost(
                f"The changes since {position.read:%Y-%m-%d %H:%M} are not all known: that is 24 "
                "hours ago or more, which is all that the stream of a table keeps"
            )
        self._note(position.tables)
        places = dict(position.tables)
        told: list[TableRecord] = []
        for table in self._in_turn():
            if len(told) < limit:
                place = place_of(places, table.name)
                told += self._advance(table, place, limit - len(told))
                places[table.name] = place
        return told, str(Position(at, places))

    def count(self, text: str, counts: Callable[[TableRecord], bool]) -> int:
        """Count the records after a position that count, up to a number."""
        total = read = 0
        while read < COUNTED_MAX:
            told, text = self.read(text, LIMIT_MAX)
            if not told:
                break
            total += sum(map(counts, told))
            read += len(told)
        return total

    def end(self, text: str | None) -> None:
        """Turn off the streams that were turned on to be followed."""
        if text is not None:
            self._note(Position.of(text).tables)
        for table in self._tables():
            if table.name in self._ours and stream_of(table)[0] == self._ours[table.name]:
                turn_off(table)
        self._ours, self._begun = {}, None
        self._readers.clear()

    def _note(self, places: Mapping[str, Place]) -> None:
        self._ours |= {name: place.stream for name, place in places.items() if place.ours}

    def _in_turn(self) -> list[SourceTable]:
        """Give the tables, each call beginning with the next: a busy one is not always first."""
        tables = list(self._tables())
        self._turn += 1
        return _rotated(tables, self._turn)

    def _advance(self, table: SourceTable, place: Place, limit: int) -> list[TableRecord]:
        """Read what is ready; go on to the children of what came to its end without records."""
        if stream_of(table)[0] != place.stream:
            raise ChangesLost(
                f"The stream of the table {table.name!r} was turned off since it is followed: what "
                "changed meanwhile is not known"
            )
        told: list[TableRecord] = []
        looking = True
        while looking and not told:
            shards = list(shards_of(table.send_any, place.stream))
            note_shards(table.name, place, shards)
            ready = [shard for shard in shards if is_ready(shard, place.shards)]
            for shard in self._new_first(ready, place):
                if len(told) < limit:
                    records = self._read(table, place, shard, limit - len(told))
                    told += [TableRecord(table, record) for record in records]
            looking = any(place.shards[shard.id] == DONE for shard in ready)
        return told

    def _new_first(self, ready: list[Shard], place: Place) -> list[Shard]:
        """Give shards in turn, but new ones first: only of others is it known what is gone."""
        return sorted(
            _rotated(ready, self._turn), key=lambda shard: place.shards[shard.id] is not None
        )

    def _read(self, table: SourceTable, place: Place, shard: Shard, limit: int) -> list[Record]:
        reader = self._reader(table, place, shard)
        try:
            records = next(_reads(reader, limit), [])
        except RecordsLost as error:
            raise lost(table.name, shard.id) from error
        place.shards[shard.id] = DONE if reader.is_finished else reader.sequence_number
        return records

    def _reader(self, table: SourceTable, place: Place, shard: Shard) -> ShardReader:
        name, at = (table.name, shard.name), place.shards[shard.id]
        reader = self._readers.get(name)
        if reader is None or reader.sequence_number != at or reader.is_finished:
            reader = self._readers[name] = ShardReader(table.send_any, shard, at)
        return reader


def lag_of(backend: Backend) -> float:
    """Tell how long after a write it may be told, and an index may lack it."""
    return 0.0 if isinstance(backend, EmbeddedBackend) else TELLING_S


def _reads(reader: ShardReader, limit: int) -> Iterator[list[Record]]:
    """Read until there are records, or there seem to be none."""
    for _ in range(EMPTY_READS):
        records = reader.read(min(limit, LIMIT_MAX))
        if records:
            yield records
        if reader.is_finished:
            return


def _rotated(some: list[Any], by: int) -> list[Any]:
    cut = by % len(some) if some else 0
    return [*some[cut:], *some[:cut]]
