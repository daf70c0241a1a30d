"""Amounts that belong to an item that is not there: they wait in the bookkeeping until it is.

Orders may come before the customer who counts them, and a customer may be deleted and come back.
What is waiting is added to the item when the stream tells that it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from pydantic import Field

from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.reads import get_many
from singletable.store.writing.writes import Identity
from singletable.streams.bookkeeping import Books, books
from singletable.streams.marks import action_of
from singletable.streams.once import Action

from .deltas import EXACT, Amounts


class Waiting(
    Entity, table=books, pk="WAITING|{consumer}|{target:escaped}", sk="WAITING|{consumer}"
):
    """What aggregates of an item have to become once it is there."""

    consumer: str
    target: str
    """The texts of the item's key."""
    amounts: dict[str, Decimal] = Field(default_factory=dict)


def read_waiting(books: Books, consumer: str, names: Iterable[Identity]) -> dict[Identity, Amounts]:
    """Read what is waiting for these items."""
    targets = {_target(name): name for name in names}
    if not targets:
        return {}
    reads = [Waiting.get(consumer=consumer, target=target) for target in targets]
    found = books.bind(get_many(reads).strong()).all()
    return {targets[one.target]: one.amounts for one in found}


def waiting_write(
    books: Books, consumer: str, name: Identity, old: Amounts | None, new: Mapping[str, Decimal]
) -> Action:
    """Give the action that makes something else wait, and fails if the old is not there."""
    entity = Waiting(
        consumer=consumer,
        target=_target(name),
        amounts={field: amount for field, amount in new.items() if amount},
    )
    if old is None:
        return action_of(books, lambda store: store.create(entity))
    unchanged = F("amounts") == old
    if entity.amounts:
        return action_of(books, lambda store: store.put(entity, only_if=unchanged))
    return action_of(books, lambda store: store.delete(entity, only_if=unchanged))


def added(one: Mapping[str, Decimal], other: Mapping[str, Decimal]) -> Amounts:
    """Add amounts, field by field."""
    zero = Decimal()
    names = dict.fromkeys((*one, *other))
    return {name: EXACT.add(one.get(name, zero), other.get(name, zero)) for name in names}


def _target(name: Identity) -> str:
    return "\n".join(name)
