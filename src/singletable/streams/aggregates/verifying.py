"""Aggregates compared with the items that they are of, and mended where they differ.

While writes go on, what was counted and what stands there are never of one moment. So a difference
is a drift only if it is the same when looked at again, after a while in which whoever keeps the
aggregates has come as far as the writes had.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from singletable.errors import TableMissing
from singletable.model.fields import now
from singletable.model.reads import Key
from singletable.store.store import Store
from singletable.store.writing.checking import checked
from singletable.store.writing.stored import kin_of, read_as
from singletable.store.writing.writes import identity
from singletable.streams.bookkeeping import Books
from singletable.streams.once import Action

from .consumer import NAME
from .planning import read_items
from .recounting import Progress, Recount
from .settling import sent, written
from .targets import Target
from .waiting import read_waiting, waiting_write

WAIT_S = 5.0
"""How long after the first look the second one is taken."""


@dataclass(frozen=True, slots=True)
class Drift:
    """An aggregate that is not what the items say."""

    key: Key[Any]
    field: str
    stored: Any
    """What stands there; None where there is no item, too."""
    expected: Any

    def __str__(self) -> str:
        return f"{self.key!r}: {self.field} is {self.stored}, and should be {self.expected}"


def verify(
    store: Store,
    *,
    settled: bool = False,
    wait_s: float = WAIT_S,
    progress: Progress | None = None,
) -> list[Drift]:
    """Compare every aggregate of the table with the items that it is of; reads the whole table.

    ``settled`` says that nobody writes and the stream was worked off: then one look is enough.
    Without it ``wait_s`` has to be longer than the stream lags. ``progress`` is told how many items
    were read.
    """
    found = _drifts(store, progress)
    if settled or not found:
        return found
    time.sleep(wait_s)
    return [drift for drift in _drifts(store, progress) if drift in found]


def repair(
    store: Store,
    *,
    settled: bool = False,
    wait_s: float = WAIT_S,
    progress: Progress | None = None,
    consumer: str = NAME,
) -> list[Drift]:
    """Mend what ``verify`` finds, where it is still so; give what was mended.

    ``consumer`` is the name of the ``Aggregates`` that keep the table's.
    """
    drifts = verify(store, settled=settled, wait_s=wait_s, progress=progress)
    return [drift for drift in drifts if mend(store, drift, consumer)]


def rebuild(store: Store, *, progress: Progress | None = None, consumer: str = NAME) -> list[Drift]:
    """Make every aggregate anew from the table while nobody writes; give what was wrong.

    For a table that had items before it had aggregates, or whose stream has lost records.
    """
    return repair(store, settled=True, progress=progress, consumer=consumer)


def _drifts(store: Store, progress: Progress | None) -> list[Drift]:
    return [
        Drift(Key(schema, owner), field, stored, checked(schema, field, expected))
        for schema, owner, field, stored, expected in Recount.of(store, progress).differences()
    ]


def mend(store: Store, drift: Drift, consumer: str = NAME) -> bool:
    """Write what is expected, if what was seen still stands there."""
    schema = drift.key.schema
    target = Target(schema, drift.key.fields, now())
    [item] = read_items(store, [drift.key.item_key]).values()
    item = target.living(item)
    if item is None:
        return drift.stored is None and _made(store, target, drift, consumer)
    stands = read_as(kin_of(schema, item), item).__dict__[drift.field]
    if stands == drift.expected or stands != (
        schema.beginnings[drift.field] if drift.stored is None else drift.stored
    ):
        return False
    return written(store, target.set(item, {drift.field: drift.expected}))


def _made(store: Store, target: Target, drift: Drift, consumer: str) -> bool:
    """Make an item; nothing is waiting for it then."""
    writes = target.create({drift.field: drift.expected})
    actions: list[Action] = [{write.kind: write.request(store.table_name)} for write in writes]
    return sent(store, [*actions, *_nothing_waiting(store, drift, consumer)])


def _nothing_waiting(store: Store, drift: Drift, consumer: str) -> Iterator[Action]:
    books, name = Books.beside(store), identity(drift.key.item_key)
    with suppress(TableMissing):
        for waiting in read_waiting(books, consumer, [name]).values():
            yield waiting_write(books, consumer, name, waiting, {})
