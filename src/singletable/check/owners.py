"""Whose items are in a partition: nobody's own, one owner's, or those of several."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.expressions import And
from singletable.model.conditions import Check, Condition, Joined
from singletable.model.keys import FieldKey, Keys, slots_of
from singletable.model.operands import Field, Literal
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.model.templates.formats import Format
from singletable.model.templates.times import Day, Moment
from singletable.store.tracing import Trace

from .design import Design
from .languages import finite


def is_public(keys: Keys) -> bool:
    """Tell whether a partition of an index is nobody's own: its key names no one.

    It tells nothing, a time, or one of a few values.
    """
    written = [part.format for part in keys.pk if isinstance(part, FieldKey)]
    written += [slot.format for slot in slots_of(keys.pk) if not slot.is_bucket]
    return keys.index.name is not None and all(map(_is_anybodys, written))


def _is_anybodys(format_: Format | None) -> bool:
    return isinstance(format_, Day | Moment) or (
        format_ is not None and finite(format_) is not None
    )


def is_mixed(design: Design, trace: Trace, schema: Schema, keys: Keys, scope: str) -> bool:
    """Tell whether a read of an index meets items of several scopes, as far as the design shows.

    It does where the partition is nobody's own, where the pattern is told nothing, so that it
    answers everybody alike, and where the sort key goes on with the scope. Of an item between two
    owners, with both in its key, each has a list.
    """
    if is_public(keys):
        return True
    is_link = keys.told & design.owners & schema.key_names
    return not is_link and (not trace.arguments or scope in keys.fields)


def scopes_left(
    design: Design, trace: Trace, schema: Schema, keys: Keys
) -> Iterator[tuple[str, list[str]]]:
    """Give the scopes of an entity that a read of an index does not keep to.

    Each comes with the ids by which the items of one such scope were meant to be found. A partition
    that is known by an id which the library made, or by a unique value, has items of one scope.
    """
    unique = {name for name, one in schema.unique.items() if one.within is None}
    if keys.index.name is None or keys.told & (design.generated | unique):
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
    """Name the fields that a pattern gives, also by their beginning, or keeps to by its filter."""
    read = trace.read
    given = set(trace.known) | _equated(getattr(read, "condition", None))
    if isinstance(read, Query) and read.comparison and read.comparison[0] == "begins_with":
        given |= set([name for part in keys.sk for name in part.fields if name not in given][:1])
    return given


def _equated(condition: Condition | None) -> set[str]:
    """Name the fields that a condition holds to one value."""
    match condition:
        case Check("=", (Field(path), Literal())):
            return {path}
        case Joined(node, several) if node is And:
            return set().union(*map(_equated, several))
    return set()
