"""The two ways to know that something was done: how far in a shard, and change by change.

A worker knows the shard that it reads: one position for all of a batch will do. Lambda does not
tell the shard, and someone may deliver changes anew: then each has a mark of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.model.conditions import F

from .bookkeeping import Books, Done, Position
from .once import Action


def done_mark(books: Books, consumer: str, change: str) -> Action:
    """Give the action that marks a change as done, and fails if it is marked already."""
    return action_of(books, lambda tx: tx.create(Done(consumer=consumer, change=change)))


def position_mark(books: Books, consumer: str, shard: str, before: str | None, end: str) -> Action:
    """Give the action that moves a position on, and fails if it is not where it was before."""
    position = Position(consumer=consumer, shard=shard, position=end)
    if before is None:
        return action_of(books, lambda tx: tx.create(position))
    return action_of(books, lambda tx: tx.put(position, only_if=F("position") == before))


def action_of(books: Books, work: Callable[[Any], Any]) -> Action:
    """Give a write to the bookkeeping as an action of another's transaction."""
    [call] = books.show(work)
    return {call.operation.removesuffix("Item"): call.request}
