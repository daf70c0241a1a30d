"""New entities made of those that are in the table, where they are not there yet.

    class WithSettings(Migration[Code]):
        @entities(Account)
        def settings(self, account: Account) -> Iterator[Entity]:
            yield Settings(username=account.username, theme="light")

Each is created under the condition that what it is made of has not changed since it was read, and
never in the place of one that is there: that may be newer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar

from singletable.errors import AlreadyExists, ConditionFailed, DesignError, TransactionCancelled
from singletable.migrate.items import Draft, fixed
from singletable.migrate.migration import Migration, rows
from singletable.migrate.sources.dynamodb.ids import id_of
from singletable.migrate.sources.dynamodb.kinds import data_of, item_of
from singletable.migrate.sources.source import Row
from singletable.migrate.transforming import Made, Reject, Transformer
from singletable.model.entity import Entity
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.store.writing.actions import Plan, Seen, Targeted
from singletable.store.writing.committing import commit
from singletable.store.writing.whole import Creating
from singletable.store.writing.writes import Basis, Check
from singletable.values import Item

from .judging import reject
from .rewriting import relied_on

E = TypeVar("E", bound=Entity)
Method = Callable[[Any, E], Iterable[Entity]]

ATTEMPTS = 10


def entities(kind: type[E]) -> Callable[[Method[E]], Callable[[Any, Row], Iterable[Entity]]]:
    """Have a method of a migration called with each entity of a class, as the design reads it."""
    schema = kind.__schema__
    if not schema.is_whole:
        raise DesignError(f"@entities({kind.__name__}): it is a base, and has no items of its own")

    def declare(method: Method[E]) -> Callable[[Any, Row], Iterable[Entity]]:
        @wraps(method)
        def given(migration: Any, row: Row) -> Iterable[Entity]:
            entity: Any = schema.items.read(item_of(row))
            return method(migration, entity)

        return rows(schema.type)(given)

    return declare


def row_of(schema: Schema, item: Item) -> Row:
    """Give an item as the rules of a migration are given it."""
    return Row(schema.type, id_of(item, schema.table.primary.attributes), data_of(item))


@dataclass(slots=True)
class Adding(Creating[Any]):
    """Creates an item with the times that it is given, so that it is the same whenever it is."""

    verb = "add"

    def filled(self, old: Entity | None, seen: Seen) -> dict[str, Any]:
        """Give what the rule does not: counts, and numbers."""
        filled = super(Adding, self).filled(old, seen)
        for name in self.schema.updated_fields:
            del filled[name]
        return filled


@dataclass(slots=True)
class Standing(Targeted[Any]):
    """Writes nothing, but lets its transaction fail if an item is no longer as it was read."""

    verb = "rely on"
    item: Item = field(default_factory=dict, kw_only=True)

    def plan(self, seen: Seen) -> Plan:
        """Plan to check the item."""
        schema = self.schema
        same = Basis(schema.table.pk, self.item, tuple(relied_on(schema, self.item))).condition
        return Plan(action=self, writes=(Check(key=self.key, condition=same),), at=seen.at)


class Deriver:
    """Makes what the rules of a migration make of items."""

    def __init__(self, migration: Migration[Any], context: Context, at: datetime) -> None:
        self._migration = migration
        self._context = fixed(context, at)
        self._transformer = Transformer(migration, self._context, at)

    @classmethod
    def of(cls, migration: Migration[Any] | None, context: Context, at: datetime) -> Deriver | None:
        """Make the deriver of a migration, where there is one."""
        return None if migration is None else cls(migration, context, at)

    def makes_of(self, schema: Schema) -> bool:
        """Tell whether there is a rule for the items of an entity."""
        return schema.type in self._migration.rules

    def drafts(self, schema: Schema, item: Item) -> tuple[Draft, ...] | Reject:
        """Give what comes of an item, or why nothing does."""
        rule = self._migration.rules[schema.type]
        made = self._transformer.transform(rule, row_of(schema, item))
        if isinstance(made, Made):
            return made.drafts
        return reject(schema.table, schema.name, item, made.reason)

    def derive(self, schema: Schema, item: Item) -> Program[int | Reject]:
        """Create what comes of an item and is not there; count it."""
        for _ in range(ATTEMPTS):
            drafts = self.drafts(schema, item)
            if isinstance(drafts, Reject):
                return drafts
            try:
                return (yield from self._create(schema, item, drafts))
            except ConditionFailed:
                answer = yield from self._context.send("GetItem", self._get(schema, item))
                if "Item" not in answer:
                    return 0
                item = answer["Item"]
        reason = f"others changed it {ATTEMPTS} times in a row"
        return reject(schema.table, schema.name, item, reason)

    def _create(self, schema: Schema, item: Item, drafts: Iterable[Draft]) -> Program[int]:
        entity = schema.items.read(item)
        key: Key[Any] = Key(schema, {name: getattr(entity, name) for name in schema.key_fields})
        created = 0
        for draft in drafts:
            try:
                actions = [Adding(draft.entity), Standing(key, item=item)]
                yield from commit(self._context, actions)
                created += 1
            except AlreadyExists:
                continue
            except TransactionCancelled as error:
                if not any(isinstance(one.error, AlreadyExists) for one in error.failures):
                    raise
        return created

    def _get(self, schema: Schema, item: Item) -> dict[str, Any]:
        key = {name: item[name] for name in schema.table.primary.attributes}
        return {"TableName": self._context.table_name, "Key": key, "ConsistentRead": True}
