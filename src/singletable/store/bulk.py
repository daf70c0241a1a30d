"""Writes of many entities.

What has no rules to keep goes in batches, which are cheap. What is unique, counted, numbered,
versioned or large goes one by one, so that the rules hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from singletable.errors import UsageError, ValidationException
from singletable.model.entity import Entity, rest_of
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.validating import valid

from .batches import Progress, write_items
from .context import Context
from .steps import Program
from .writing.actions import whole
from .writing.committing import write
from .writing.deleting import Deleting
from .writing.effects import rules_of
from .writing.naming import Written, named
from .writing.stored import copies_of, keys_of
from .writing.whole import Putting


def put_many(
    context: Context, entities: Iterable[Entity], progress: Progress | None
) -> Program[None]:
    """Write entities in their order."""
    many = [whole("put_many", one) for one in _several("put_many", entities)]
    if any(_is_kept(entity.__schema__) for entity in many):
        yield from _one_by_one(context, [Putting(entity) for entity in many], progress)
        return
    at = context.clock()
    writes = []
    for entity in map(valid, many):
        schema = entity.__schema__
        values = {**entity.__dict__, **dict.fromkeys(schema.updated_fields, at)}
        for copy in copies_of(schema, values):
            item = schema.items.write(copy, rest_of(entity))
            writes.append({"PutRequest": {"Item": item}})
    try:
        yield from write_items(context, writes, progress)
    except ValidationException as error:
        if told := named(error, map(_written, many)):
            raise told from error
        raise


def delete_many(
    context: Context,
    targets: Iterable[Key[Any] | Entity],
    progress: Progress | None,
    *,
    orphans: bool = False,
) -> Program[None]:
    """Delete items in their order, but children before the parents that count them."""
    several = _several("delete_many", targets)
    actions = [Deleting(target, orphans=orphans) for target in several]
    if any(_is_kept(kin) for action in actions for kin in action.schema.family.values()):
        depths = {schema: _depth(schema) for schema in {action.schema for action in actions}}
        actions.sort(key=lambda action: -depths[action.schema])
        yield from _one_by_one(context, actions, progress)
        return
    writes = [
        {"DeleteRequest": {"Key": key}}
        for action in actions
        for key in keys_of(action.schema, action.values)
    ]
    yield from write_items(context, writes, progress)


def _written(entity: Entity) -> Written:
    putting = Putting(entity)
    schema = putting.schema
    values = copies_of(schema, putting.values)[0]
    return Written(str(putting), schema, tuple(schema.items.write(values).items()))


def _several(verb: str, given: Any) -> Iterable[Any]:
    """Give what a caller gave, if it is several: a model alone would be taken for its fields."""
    if isinstance(given, Entity | Key) or not isinstance(given, Iterable):
        raise UsageError(f"{verb}({given!r}): give several, as in {verb}([…])")
    return given


def _is_kept(schema: Schema) -> bool:
    kept = schema.sequences or schema.aggregates or schema.version_field or schema.large
    return bool(rules_of(schema) or kept)


def _depth(schema: Schema, *below: Schema) -> int:
    """Tell how many generations count an entity's items, one above the other."""
    parents = {rule.parent for rule in rules_of(schema).counts} - {schema, *below}
    return max((1 + _depth(parent, schema, *below) for parent in parents), default=0)


def _one_by_one(context: Context, actions: list[Any], progress: Progress | None) -> Program[None]:
    for done, action in enumerate(actions, 1):
        yield from write(context, action)
        if progress is not None:
            progress(done, len(actions))
