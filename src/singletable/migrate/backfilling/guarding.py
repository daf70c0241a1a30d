"""Guards that items lack whose values are to be unique by now, though they were not once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from singletable.errors import ConditionFailed
from singletable.migrate.transforming import Reject
from singletable.model.schema import Schema
from singletable.store.batches import get_items
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.store.writing.claiming import Claimed, Conflict, claim_items
from singletable.store.writing.effects import rules_of
from singletable.store.writing.writes import identity
from singletable.values import Item

from .judging import reject


def lacking(
    context: Context, items: Iterable[tuple[Schema, Item]]
) -> Program[Counter[tuple[str, str]]]:
    """Count the guards that are not there, by entity and field; takes none."""
    wanted: list[tuple[str, str, Item]] = []
    for schema, item in items:
        values = schema.items.read(item).__dict__ if schema.unique else {}
        guards = ((rule, rule.guard(values)) for rule in rules_of(schema).unique)
        wanted += [(schema.name, rule.field, guard.key) for rule, guard in guards if guard]
    keys = [key for _, _, key in wanted]
    found = (yield from get_items(context, keys)) if keys else []
    pairs = zip(wanted, found, strict=True)
    return Counter((entity, field) for (entity, field, _), there in pairs if there is None)


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
