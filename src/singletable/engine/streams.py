"""The streams of tables: one record for each change, written in the transaction of the change.

All streams share one log, so that sequence numbers grow over the whole database. A stream has one
open shard, or several with a range of partition keys' hashes each; after four hours they are closed
and followed by a child each. A stream outlives its table: what is closed, and each record, can be
read for 24 hours. Who writes also tidies up, a little at a time; readers leave out what is past,
tidied up or not (``shards``).
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from singletable.values import dumps, item_size

from .connections import Connection, blob
from .images import Image
from .key_schemas import HASHES
from .schema import Table

RETENTION_SECONDS = 24 * 3600
SHARD_SECONDS = 4 * 3600
TIDY_SECONDS = 1
TIDY_RECORDS = 5000
"""How many records are removed at once: more, as a rule, than are written in between."""

TABLES = """
CREATE TABLE IF NOT EXISTS streams (table_name TEXT, label TEXT, view TEXT, key_schema BLOB,
  opened REAL, closed REAL, shard INTEGER, tidy_at REAL, PRIMARY KEY (table_name, label))
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shards (id INTEGER PRIMARY KEY, name TEXT, table_name TEXT, label TEXT,
  parent TEXT, opened REAL, closed REAL, last INTEGER, trimmed INTEGER DEFAULT 0);
CREATE INDEX IF NOT EXISTS shards_of_stream ON shards (table_name, label);
CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY AUTOINCREMENT, shard INTEGER,
  at REAL, event TEXT, size INTEGER, identity TEXT, principal TEXT, keys BLOB, old BLOB, new BLOB);
CREATE INDEX IF NOT EXISTS records_of_shard ON records (shard);
"""

Open = int | str
"""The open shards of a stream as its row has them: the number of the one, or a list in JSON."""

_FIND = "SELECT shard, tidy_at FROM streams WHERE table_name = ? AND label = ?"
COLUMNS = "records (event, size, keys, old, new, shard, at, identity, principal)"
"""Where a record goes."""


class Identity(NamedTuple):
    """Who made a change when it was not a user: the deletion of expired items."""

    type: str
    principal: str


_USER = (None, None)


def open_shards(tx: Connection, table: Table, now: float) -> Open:
    """Find the open shards of a table's stream, after what time asks for is done."""
    assert table.stream is not None
    label = table.stream.label
    shards, tidy_at = tx.execute(_FIND, (table.name, label)).fetchone()
    if now >= tidy_at:
        shards = _tidy(tx, table.name, label, shards, now)
    found: Open = shards
    return found


def content(table: Table, before: Image | None, after: Image | None) -> tuple[object, ...]:
    """Make the part of a record that follows from the item alone, as it was and as it is."""
    image, stream = after or before, table.stream
    assert image is not None
    assert stream is not None
    keys = table.key_of(image.item)
    old = before if stream.view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES") else None
    new = after if stream.view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES") else None
    size = item_size(keys) + (old.size if old else 0) + (new.size if new else 0)
    event = "INSERT" if before is None else "MODIFY" if after else "REMOVE"
    return event, size, blob(dumps(keys)), old and blob(old.data), new and blob(new.data)


def record(
    content: tuple[object, ...],
    key: bytes,
    shards: Open,
    now: float,
    identity: Identity | None = None,
) -> tuple[object, ...]:
    """Make the record of a change to the row of a key: what goes into ``COLUMNS``."""
    shard = _shard_of(key, shards) if isinstance(shards, str) else shards
    return *content, shard, now, *(identity or _USER)


def follow(
    tx: Connection, before: Table | None, after: Table | None, now: float, shards: int = 1
) -> None:
    """Close and open streams as the definition of a table (None: no table) changes."""
    old, new = before and before.stream, after and after.stream
    if old == new:
        return
    _forget_past(tx, now)
    if before and old:
        _end(tx, before.name, old.label, now)
    if after and new:
        _begin(tx, after, now, shards)


def latest_label(tx: Connection, table_name: str) -> str:
    """Give the last label of the streams that are kept of tables of this name; none is empty."""
    (label,) = tx.execute(
        "SELECT max(label) FROM streams WHERE table_name = ?", (table_name,)
    ).fetchone()
    return label or ""


def _begin(tx: Connection, table: Table, now: float, shards: int) -> None:
    assert table.stream is not None
    label, view = table.stream
    opened = [_open_shard(tx, table.name, label, None, now) for _ in range(shards)]
    schema = orjson.dumps(table.document["KeySchema"])
    tx.execute(
        "INSERT INTO streams VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
        (table.name, label, view, schema, now, _written(opened), now + TIDY_SECONDS),
    )


def _end(tx: Connection, table_name: str, label: str, now: float) -> None:
    (shards, _) = tx.execute(_FIND, (table_name, label)).fetchone()
    for shard in _numbers(shards):
        _close_shard(tx, shard, now)
    tx.execute(
        "UPDATE streams SET closed = ?, shard = NULL WHERE table_name = ? AND label = ?",
        (now, table_name, label),
    )


def _numbers(shards: Open) -> list[int]:
    numbers: list[int] = [shards] if isinstance(shards, int) else orjson.loads(shards)
    return numbers


def _written(numbers: list[int]) -> Open:
    return numbers[0] if len(numbers) == 1 else orjson.dumps(numbers).decode()


def _shard_of(key: bytes, shards: Open) -> int:
    """Choose the shard of a row, by the hash of the partition that its key begins with."""
    numbers = _numbers(shards)
    return numbers[int.from_bytes(key[:4], "big") * len(numbers) // HASHES]


def _open_shard(tx: Connection, table_name: str, label: str, parent: str | None, now: float) -> int:
    """Open a shard; its number is the sequence number before that of its first record."""
    number = _take_number(tx)
    name = f"shardId-{int(now * 1000):020d}-{number % 2**32:08x}"
    tx.execute(
        "INSERT INTO shards (id, name, table_name, label, parent, opened)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (number, name, table_name, label, parent, now),
    )
    return number


def _close_shard(tx: Connection, shard: int, now: float) -> None:
    tx.execute(
        "UPDATE shards SET closed = ?, last = max(id, trimmed, coalesce("
        "(SELECT max(number) FROM records WHERE shard = shards.id), 0)) WHERE id = ?",
        (now, shard),
    )


def _take_number(tx: Connection) -> int:
    """Give the next sequence number to something that is not a record."""
    tx.execute("INSERT INTO records (shard) VALUES (NULL)")
    (number,) = tx.execute("SELECT last_insert_rowid()").fetchone()
    tx.execute("DELETE FROM records WHERE number = ?", (number,))
    return int(number)


def _tidy(tx: Connection, table_name: str, label: str, shards: Open, now: float) -> Open:
    """Do what time asks for: trim the log, roll the shards over. Gives the open shards."""
    _trim(tx, now - RETENTION_SECONDS)
    numbers = _numbers(shards)
    # All of them were opened at once.
    find = "SELECT opened FROM shards WHERE id = ?"
    (opened,) = tx.execute(find, (numbers[0],)).fetchone()
    if now >= opened + SHARD_SECONDS:
        shards = _written([_roll_over(tx, table_name, label, shard, now) for shard in numbers])
        _forget_past(tx, now)
    tx.execute(
        "UPDATE streams SET shard = ?, tidy_at = ? WHERE table_name = ? AND label = ?",
        (shards, now + TIDY_SECONDS, table_name, label),
    )
    return shards


def _roll_over(tx: Connection, table_name: str, label: str, shard: int, now: float) -> int:
    """Close a shard and open its child."""
    (name,) = tx.execute("SELECT name FROM shards WHERE id = ?", (shard,)).fetchone()
    _close_shard(tx, shard, now)
    return _open_shard(tx, table_name, label, name, now)


def _trim(tx: Connection, horizon: float) -> None:
    """Remove the oldest records that are past; each shard keeps the number of its last one."""
    oldest = tx.execute("SELECT at FROM records ORDER BY number LIMIT 1").fetchone()
    if oldest is None or oldest[0] > horizon:
        return
    (last,) = tx.execute(
        "SELECT max(number) FROM (SELECT number, at FROM records ORDER BY number LIMIT ?)"
        " WHERE at <= ?",
        (TIDY_RECORDS, horizon),
    ).fetchone()
    # NOT INDEXED, or SQLite goes through the whole index of shards to group by it.
    past = tx.execute(
        "SELECT shard, max(number) FROM records NOT INDEXED WHERE number <= ? GROUP BY shard",
        (last,),
    ).fetchall()
    for shard, number in past:
        tx.execute("UPDATE shards SET trimmed = ? WHERE id = ?", (number, shard))
    tx.execute("DELETE FROM records WHERE number <= ?", (last,))


def forget_later(tx: Connection, moment: float) -> None:
    """Remove the records of what was changed after a moment."""
    tx.execute("DELETE FROM records WHERE at > ?", (moment,))


def _forget_past(tx: Connection, now: float) -> None:
    """Remove the streams and shards whose last record is past."""
    horizon = now - RETENTION_SECONDS
    tx.execute("DELETE FROM shards WHERE closed <= ?", (horizon,))
    tx.execute("DELETE FROM streams WHERE closed <= ?", (horizon,))
