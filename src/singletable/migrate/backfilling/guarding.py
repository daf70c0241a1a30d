"""Guards that items lack whose values are to be unique by now, though they were not once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from singletable.errors import ConditionFailed
from singletable.migrate.transforming import Reject
from singletable.model.entity import Entity
from singletable.model.schema import Schema
from singletable.store.batches import get_items
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.store.writing.claiming import Claimed, Conflict, claim_items
from singletable.store.writing.effects import rules_of
from singletable.store.writing.uniqueness import Guard
from singletable.store.writing.writes import identity
from singletable.values import Item

from .judging import reject


@dataclass(frozen=True, slots=True)
class Want:
    """A unique value that an item has, and that no guard keeps for it."""

    guard: Guard
    owner: Item | None
    """The key of another item, which a guard keeps it for."""
    is_new: bool
    """Whether the item is yet to be made."""


def wants(
    context: Context, entities: Iterable[Entity], *, are_new: bool = False
) -> Program[list[Want]]:
    """Find the values that have no guard for their items; takes none."""
    made = [
        rule.guard(one.__dict__) for one in entities for rule in rules_of(one.__schema__).unique
    ]
    guards = [one for one in made if one is not None]
    found = (yield from get_items(context, [one.key for one in guards])) if guards else []
    return [
        Want(one, one.taken_by(there, context.clock()), are_new)
        for one, there in zip(guards, found, strict=True)
        if there != one.item
    ]


def guard(context: Context, items: Iterable[tuple[Schema, Item]]) -> Program[list[int | Reject]]:
    """Take the guards that are free; tell the items whose value another has."""
    of: dict[str, tuple[Schema, list[Item]]] = {}
    for schema, item in items:
        if schema.unique:
            of.setdefault(schema.name, (schema, []))[1].append(item)
    done: list[int | Reject] = []
    for schema, some in of.values():
        claimed = Claimed()
        try:
            yield from claim_items(context, schema, some, claimed)
        except ConditionFailed as error:  # the next pass takes what is left
            done.append(reject(schema.table, schema.name, some[0], str(error)))
        known = {identity(_key(schema, item)): item for item in some}
        done += [claimed.taken, *(_told(schema, known, one) for one in claimed.conflicts)]
    return done


def _told(schema: Schema, known: dict[tuple[str, ...], Item], one: Conflict) -> Reject:
    owner = " / ".join(identity(one.owner))
    reason = f"{schema.name}.{one.field} is unique, and {owner} has {one.value!r}, too"
    return reject(schema.table, schema.name, known.get(identity(one.key), one.key), reason)


def _key(schema: Schema, item: Item) -> Item:
    return {name: item[name] for name in schema.table.primary.attributes}
