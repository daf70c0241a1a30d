"""New items put beside the old ones they are made of, and nothing else changed in their table.

The writes to the old items keep the counts and sums that both layouts share, so to count the new
ones too would count everything twice. What only the new layout has, such as counts on items that
have moved, the rules give as the old items tell it. An item and the guards of its unique values
change in one transaction, from what is stored: so none is left behind, whatever stops in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any
from uuid import uuid4

from singletable.errors import TransactionCanceledException
from singletable.migrate.items import Draft
from singletable.migrate.transforming import Made, Reject
from singletable.model.entity import Entity
from singletable.store.context import Context
from singletable.store.steps import Pause, Program
from singletable.store.writing.effects import rules_of
from singletable.store.writing.failures import CONDITION
from singletable.store.writing.stored import key_in, keys_of
from singletable.store.writing.uniqueness import Guard
from singletable.store.writing.writes import Basis, Delete, Identity, Put, Write, identity
from singletable.values import Item


def put_beside(
    context: Context, made: Made | Reject | None, before: Iterable[Entity]
) -> Program[Made | Reject | None]:
    """Put what an old item becomes, and take away what it became before."""
    drafts = {draft.key: draft for draft in made.drafts} if isinstance(made, Made) else {}
    gone = {_name(entity): entity for entity in before}
    for name, entity in gone.items():
        if name not in drafts:
            yield from _change(context, entity, None)
    placed: list[Entity] = []
    for draft in drafts.values():
        clash = yield from _change(context, draft.entity, draft)
        if clash is not None and isinstance(made, Made):
            for entity in placed:
                yield from _change(context, entity, None)
            return Reject(made.row, str(clash.violation()))
        placed.append(draft.entity)
    return made


def _change(context: Context, entity: Entity, draft: Draft | None) -> Program[Guard | None]:
    """Put a draft, or delete what is there, with all guards; give one that another has."""
    others: list[Guard] = []  # of values that somebody else has by now
    for attempt in count(1):
        stored = yield from _stored(context, entity)
        held = list(guards_of(stored[1])) if stored else []
        held += [one for one in guards_of(entity) if draft is None and one not in held]
        wanted = list(guards_of(entity)) if draft else []
        own = list(_own(entity, stored[0] if stored else None, draft))
        taken = [one for one in wanted if one not in held]
        writes = [*own, *(one.taken(context.clock()).write for one in taken)]
        given_up = [one for one in held if one not in wanted and one not in others]
        writes += [one.released().write for one in given_up]
        try:
            yield from _send(context, writes)
        except TransactionCanceledException as error:
            failed = [one.get("Code") == CONDITION for one in error.fields["CancellationReasons"]]
            clashes = [one for one, no in zip(taken, failed[len(own) :], strict=False) if no]
            if clashes and not any(failed[: len(own)]):
                return clashes[0]
            after = failed[len(own) + len(taken) :]
            others += [one for one, no in zip(given_up, after, strict=False) if no]
            if attempt >= context.retries.attempts:
                raise
            yield Pause(context.retries.delay(attempt))
        else:
            return None
    raise AssertionError  # count() has no end


def _stored(context: Context, entity: Entity) -> Program[tuple[Item, Entity] | None]:
    """Read what is there, where it matters."""
    schema = entity.__schema__
    if not schema.unique:
        return None
    key = schema.item_key(entity.__dict__)
    request = {"TableName": context.table_name, "Key": key, "ConsistentRead": True}
    item = (yield from context.send("GetItem", request)).get("Item")
    return None if item is None else (item, schema.items.read(item))


def _own(entity: Entity, stored: Item | None, draft: Draft | None) -> Iterator[Write]:
    """Give the writes to the item and its copies; if it is guarded, while it is as it was read."""
    schema = entity.__schema__
    names = tuple(schema.attributes[name] for name in schema.unique)
    same = Basis(schema.table.pk, stored, names).condition if names else None
    if draft is None:
        yield from (Delete(key=key, condition=same) for key in keys_of(schema, entity.__dict__))
    else:
        yield from (
            Put(key=key_in(schema, item), item=item, condition=same) for item in draft.items
        )


def _send(context: Context, writes: list[Write]) -> Program[None]:
    requests = [(write.kind, write.request(context.table_name)) for write in writes]
    if all(write.condition is None for write in writes):
        for kind, request in requests:
            yield from context.send(f"{kind}Item", request)
        return
    actions: list[dict[str, Any]] = [{kind: request} for kind, request in requests]
    token = uuid4().hex
    request = {"TransactItems": actions, "ClientRequestToken": token}
    yield from context.send("TransactWriteItems", request)


def guards_of(entity: Entity) -> Iterator[Guard]:
    """Give the guards of an entity's unique values."""
    for rule in rules_of(entity.__schema__).unique:
        guard = rule.guard(entity.__dict__)
        if guard is not None:
            yield guard


def _name(entity: Entity) -> Identity:
    return identity(entity.__schema__.item_key(entity.__dict__))
