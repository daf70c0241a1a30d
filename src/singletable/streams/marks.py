"""The two ways to know that something was done: how far in a shard, and change by change.

A worker knows the shard that it reads: one position for all of a batch will do. Lambda does not
tell the shard, and someone may deliver changes anew: then each has a mark of its own.
"""

from __future__ import annotations

from singletable.model.conditions import F

from .bookkeeping import Books, Done, Position
from .once import Action


def done_mark(books: Books, consumer: str, change: str) -> Action:
    """Give the action that marks a change as done, and fails if it is marked already."""
    [call] = books.show(lambda tx: tx.create(Done(consumer=consumer, change=change)))
    return {"Put": call.request}


def position_mark(books: Books, consumer: str, shard: str, before: str | None, end: str) -> Action:
    """Give the action that moves a position on, and fails if it is not where it was before."""
    position = Position(consumer=consumer, shard=shard, position=end)
    if before is None:
        [call] = books.show(lambda tx: tx.create(position))
    else:
        [call] = books.show(lambda tx: tx.put(position, only_if=F("position") == before))
    return {"Put": call.request}
