"""Whose items are in a partition: nobody's own, one owner's, or those of several."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.keys import FieldKey, Keys, slots_of
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.store.tracing import Trace

from .design import Design
from .languages import finite


def is_public(keys: Keys) -> bool:
    """Tell whether a partition of an index is nobody's own: its key names no one."""
    if keys.index.name is None or any(isinstance(part, FieldKey) for part in keys.pk):
        return False
    return all(slot.is_bucket or finite(slot.format) is not None for slot in slots_of(keys.pk))


def scopes_left(
    design: Design, trace: Trace, schema: Schema, keys: Keys
) -> Iterator[tuple[str, list[str]]]:
    """Give the scopes of an entity that a read of an index does not keep to.

    Each comes with the ids by which the items of one such scope were meant to be found. A partition
    that is known by an id which the library made has items of one scope only.
    """
    if keys.index.name is None or keys.told & design.generated:
        return
    for scope, relative in design.scopes.items():
        in_table = scope in schema.keys.told and set(schema.key_fields) != {scope}
        if in_table and scope not in keys.told and scope not in _given(trace, keys):
            yield (
                scope,
                [
                    name
                    for name in sorted(keys.told & relative)
                    if _means_one(design, scope, name, keys)
                ],
            )


def _means_one(design: Design, scope: str, name: str, keys: Keys) -> bool:
    """Tell whether an id stands for one thing: others refer to it, or nothing else is in the key.

    An index whose sort key goes on with the scope expects to hold those of several.
    """
    inside = [one for one in design.schemas if scope in one.keys.told and name in one.fields]
    return len(inside) > 1 or scope not in keys.fields


def _given(trace: Trace, keys: Keys) -> set[str]:
    """Name the fields that a pattern gives, also by their beginning."""
    given = set(trace.known)
    read = trace.read
    if isinstance(read, Query) and read.comparison and read.comparison[0] == "begins_with":
        given |= set([name for part in keys.sk for name in part.fields if name not in given][:1])
    return given
