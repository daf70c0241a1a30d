"""An item rewritten as the design has it, unless somebody has changed it since it was read.

Then it is read again, and rewritten from what it is by then: so no write of anybody's is lost. Its
version and times stay as they are, as it means the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

from singletable.errors import ConditionalCheckFailedException, NotFound
from singletable.expressions import Action as Clause
from singletable.expressions import Remove, Set, Value
from singletable.expressions import Update as Clauses
from singletable.model.entity import Entity
from singletable.model.fields import Attribute
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.store.context import Context
from singletable.store.large.saving import Contents
from singletable.store.steps import Program
from singletable.store.writing.actions import E, Plan, Seen, alive
from singletable.store.writing.committing import NO_NUMBERS, commit
from singletable.store.writing.editing import Editing
from singletable.store.writing.stored import key_in, read_as
from singletable.store.writing.writes import Basis, Update, attribute, every, identity
from singletable.values import Item

from .differing import Differing, difference


@dataclass(slots=True)
class Rewriting(Editing[E]):
    """Writes an item as the design of today has it; it means the same."""

    verb = "rewrite"
    change: Callable[[E], E | None] = field(default=lambda _: None, kw_only=True)
    known: Differing | None = field(default=None, kw_only=True)
    """How the item differed when it was read."""

    def plan(self, seen: Seen) -> Plan:
        """Plan to write what differs in the item and all its copies, if anything does."""
        schema = self.schema
        old = schema.living(seen.items[identity(self.key)], seen.at)
        if old is None:
            raise self.failure(None)
        is_known = self.known is not None and self.known.old is old
        found = self.known if is_known else difference(schema, old)
        if found is None:
            same = read_as(schema, old)
            return Plan(action=self, writes=(), at=seen.at, before=same, after=same)
        names = dict.fromkeys((*found.names, *relied_on(schema, old)))
        basis = Basis(schema.table.pk, old, tuple(names))
        condition = every(basis.condition, alive(schema, seen.at))
        writes = tuple(
            Update(
                key=key_in(schema, made),
                clauses=Clauses(tuple(_clauses(found, copy))),
                condition=condition,
            )
            for copy, made in enumerate(found.copies)
        )
        before = cast(E, found.entity)
        return Plan(
            action=self, writes=writes, at=seen.at, before=before, after=before, basis=basis
        )


def rewrite(context: Context, found: Differing) -> Program[bool]:
    """Rewrite an item that was read and differs; tell whether it was there to be rewritten."""
    schema, entity = found.schema, found.entity
    key: Key[Entity] = Key(schema, {name: getattr(entity, name) for name in schema.key_fields})
    action = Rewriting(key, known=found)
    try:
        if len(found.copies) == 1:
            items = {identity(action.key): found.old}
            seen = Seen(context.clock(), items, NO_NUMBERS, Contents(context))
            try:
                yield from _send(context, action.plan(seen))
            except ConditionalCheckFailedException:
                pass  # it has changed since
            else:
                return True
        yield from commit(context, [action], alone=True)
    except NotFound:
        return False
    return True


def _send(context: Context, plan: Plan) -> Program[None]:
    for write in plan.writes:
        yield from context.send("UpdateItem", write.request(context.table_name))


def relied_on(schema: Schema, old: Item) -> Iterator[str]:
    """Name the attributes of an item that tell whether somebody has changed it.

    Who changes it changes its version, where it has one, and then that is enough; but not of an
    item that older code may write, and not for what others keep in it.
    """
    apart = {*schema.table.primary.attributes}
    kept = {schema.attributes[name] for name in schema.aggregates}
    followed = {schema.attributes[name] for name in schema.followed}
    version = schema.version_field and schema.attributes[schema.version_field]
    if version not in old or schema.items.is_older(old) or _renamed(schema):
        names = {name for name in old if name not in kept} | followed
    else:
        names = {version, *followed}
    yield from sorted(names - apart)


def _renamed(schema: Schema) -> bool:
    return any(marker.older for marker in schema.marked(Attribute).values())


def _clauses(found: Differing, copy: int) -> Iterator[Clause]:
    for name, value in found.changes(copy):
        place = attribute(name)
        yield Remove(place) if value is None else Set(place, Value(value))
