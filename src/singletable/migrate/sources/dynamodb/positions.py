"""How far the streams of tables were read: a text that anybody can go on from.

It holds, for each table, which stream is followed and how far each of its shards was read. A stream
keeps records for 24 hours, and nothing in it tells what is gone: what may have been missed shows
only in shards that are not there any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from singletable.errors import UsageError
from singletable.migrate.sources.errors import ChangesLost
from singletable.streams.shards import Shard

RETENTION = timedelta(hours=24)
DONE = "done"

Shards = dict[str, str | None]
"""Shard → the sequence number of the last record that was read, None before, or DONE."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far the stream of one table was read."""

    stream: str
    ours: bool
    """Whether it was off before."""
    shards: Shards = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Position:
    """How far the streams were read, and when that was."""

    read: datetime
    tables: Mapping[str, Place]

    def __str__(self) -> str:
        tables = {name: asdict(place) for name, place in self.tables.items()}
        return json.dumps({"read": self.read.isoformat(), "tables": tables})

    @classmethod
    def of(cls, text: str) -> Position:
        """Read a position."""
        try:
            found = json.loads(text)
            tables = {name: Place(**place) for name, place in found["tables"].items()}
            return cls(datetime.fromisoformat(found["read"]), tables)
        except (KeyError, TypeError, ValueError):
            raise UsageError(f"This is no position in the streams of tables: {text!r}") from None


def hours_left(text: str, now: datetime) -> float | None:
    """Tell for how long a position can be gone on from; None of one that is in no stream."""
    try:
        left = Position.of(text).read + RETENTION - now
    except UsageError:
        return None
    return max(0.0, left / timedelta(hours=1))


def place_of(places: Mapping[str, Place], table: str) -> Place:
    """Give the place in a table's stream, to be moved."""
    place = places.get(table)
    if place is None:
        raise ChangesLost(
            f"The table {table!r} is not in the position: its changes were not noted from "
            "the beginning. Begin again, and copy it"
        )
    return replace(place, shards=dict(place.shards))


def note_shards(table: str, place: Place, shards: list[Shard]) -> None:
    """Enter new shards, and forget those that are read and gone; none may be gone unread."""
    listed = {shard.id for shard in shards}
    parents = {shard.parent_id for shard in shards}
    for known, at in list(place.shards.items()):
        if known not in listed and at != DONE:
            raise lost(table, known)
        if known not in listed | parents:
            del place.shards[known]
    for shard in shards:
        if shard.id not in place.shards:
            if shard.parent_id and shard.parent_id not in listed | place.shards.keys():
                raise lost(table, shard.parent_id)
            place.shards[shard.id] = None


def is_ready(shard: Shard, shards: Shards) -> bool:
    """Tell whether a shard has something to read, and its parent was read before."""
    return shards[shard.id] != DONE and shards.get(shard.parent_id or "", DONE) == DONE


def lost(table: str, shard: str) -> ChangesLost:
    """Say that a shard vanished before it was read."""
    return ChangesLost(
        f"Changes of the table {table!r} are gone before they were read, or may be (shard "
        f"{shard}): its stream keeps them for 24 hours"
    )
