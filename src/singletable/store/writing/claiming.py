"""Guards for values that were there before they were to be unique.

A scan finds the items. Each guard is taken in one transaction with a check that its item still has
the value, so whoever writes by the new rule need not stop meanwhile; a release that does not know
of it must have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import uuid4

from singletable.errors import ConditionFailed, TransactionCanceledException, UsageError
from singletable.model.entity import Entity
from singletable.model.pages import Skipped
from singletable.model.schema import Schema
from singletable.store.batches import chunks, get_items
from singletable.store.context import Context, twice
from singletable.store.reading.plans import plan_scan
from singletable.store.reading.sifting import Sieve
from singletable.store.steps import Pause, Program, Together
from singletable.values import Item

from .committing import transaction_of
from .effects import older_basis, rules_of
from .failures import CONDITION
from .stored import key_in
from .uniqueness import Guard
from .writes import Basis, Check, Part, identity

AT_ONCE = 10
"""How many guards are taken side by side."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Tells of an item whose value another one has: both keys, as DynamoDB has them."""

    field: str
    value: Any
    key: Item
    owner: Item


@dataclass(slots=True)
class Claimed:
    """Tells what was found: items read, guards taken that were missing, and values of several."""

    items: int = 0
    taken: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    """Items that could not be read, and so have no guards."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """A value that an item has, and may keep."""

    item: Item
    entity: Entity
    guard: Guard

    @property
    def key(self) -> Item:
        return key_in(self.entity.__schema__, self.item)

    @property
    def unchanged(self) -> Part:
        """Hold while the item has what the guard was made from."""
        schema = self.entity.__schema__
        if schema.items.is_older(self.item):
            basis = older_basis(schema, self.item)
        else:
            fields = set(self.guard.rule.fields) - schema.key_names
            names = tuple(map(schema.attribute, sorted(fields)))
            basis = Basis(schema.table.pk, self.item, names)
        check = Check(key=self.key, condition=basis.condition)
        return Part(check, identity(self.key), lambda _: None)

    def conflict(self, owner: Item) -> Conflict:
        return Conflict(self.guard.rule.field, self.guard.value, self.key, owner)


def claim(context: Context, schema: Schema) -> Program[Claimed]:
    """Take every guard that items of an entity lack, and tell which values several items have."""
    if schema.table is not context.table:
        raise UsageError(
            f"claim_unique({schema.name}): it is in {schema.table}, this store writes to "
            f"{context.table}{twice(context, schema.table)}"
        )
    if not any(one.unique for one in schema.family.values()):
        raise UsageError(
            f"claim_unique({schema.name}): it has no unique field: declare one, as in "
            "email: Annotated[str, Unique()]"
        )
    claimed = Claimed()
    request = plan_scan(schema.entity.scan().strong(), context.table_name)
    while True:
        answer = yield from context.send("Scan", request)
        claimed.items += len(answer["Items"])
        yield from claim_items(context, schema, answer["Items"], claimed)
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return claimed
        request = {**request, "ExclusiveStartKey": start}


def claim_items(
    context: Context, schema: Schema, items: Sequence[Item], claimed: Claimed
) -> Program[None]:
    """Take the guards of some items; of those that were changed meanwhile, as they are then."""
    for attempt in count(1):
        sieve = Sieve.of(schema, context.clock(), once=True)
        claims = list(_claims(sieve, items))
        claimed.skipped += sieve.skipped
        changed = yield from _taken(context, claims, claimed)
        if not changed:
            return
        if attempt >= context.retries.attempts:
            raise ConditionFailed(f"{changed[0]} was changed {attempt} times while it was claimed")
        yield Pause(context.retries.delay(attempt))
        found = yield from get_items(context, changed, consistent=True)
        items = [item for item in found if item is not None]


def _claims(sieve: Sieve, items: Iterable[Item]) -> Iterator[_Claim]:
    for item in items:
        entity = sieve.read(item)
        if entity is not None:
            guards = (rule.guard(entity.__dict__) for rule in rules_of(entity.__schema__).unique)
            yield from (_Claim(item, entity, guard) for guard in guards if guard)


def _taken(context: Context, claims: Sequence[_Claim], claimed: Claimed) -> Program[list[Item]]:
    """Take the guards that are free; give the keys of items to look at again."""
    found = yield from get_items(context, [one.guard.key for one in claims], consistent=True)
    missing: list[tuple[_Claim, Part]] = []
    for one, there in zip(claims, found, strict=True):
        if there == one.guard.item:
            continue
        owner = one.guard.taken_by(there, context.clock())
        if owner is None:
            missing.append((one, one.guard.taken(context.clock())))
        elif (conflict := one.conflict(owner)) not in claimed.conflicts:
            claimed.conflicts.append(conflict)
    changed: list[Item] = []
    for some in chunks(missing, AT_ONCE):
        done = yield Together(tuple(_take(context, one.unchanged, part) for one, part in some))
        claimed.taken += sum(done)
        changed += [one.key for (one, _), is_done in zip(some, done, strict=True) if not is_done]
    return changed


def _take(context: Context, *parts: Part) -> Program[bool]:
    """Send a transaction; tell whether it was done, or met something else than was read."""
    try:
        yield from context.send("TransactWriteItems", transaction_of(context, parts, uuid4().hex))
    except TransactionCanceledException as error:
        if not any(one.get("Code") == CONDITION for one in error.fields["CancellationReasons"]):
            raise
        return False
    return True
