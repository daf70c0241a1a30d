"""By which field the items of a hot partition are best spread over shards."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.keys import FieldKey, Keys, slots_of
from singletable.model.schema import Schema
from singletable.model.templates.formats import Format
from singletable.model.templates.specs import SHARDS_MAX
from singletable.model.templates.times import Day, Moment

from .design import Design, own_ids
from .heat import NEAR, PARTITION_WRITES_PER_S, write_units
from .languages import finite

SHARDS = 10
"""How many are proposed where nothing is said of the traffic."""


def spread(design: Design, schema: Schema, keys: Keys) -> str:
    """Say how to spread the items of one partition; where nothing would, what is missing."""
    slot, template = shard_slot(design, schema), keys.templates[0]
    if slot is None:
        return (
            f"spread them: nothing in the key of {schema.name} parts them evenly, so give it an "
            f"id, and {template}{schema.table.delimiter}{{…:shard {SHARDS}}} of that"
        )
    return f"spread them: {template}{schema.table.delimiter}{slot}"


def shard_slot(design: Design, schema: Schema) -> str | None:
    """Give what to add to a key, ``{story_id:shard 10}``; None if no field would spread the items.

    It is a field of the item's own key, which does not change. The item's own id is best, then a
    field that no other entity has in its key, then the last: what stands before it is rather what
    many items have in common. A time is better than nothing.
    """
    others = [one for one in design.schemas if one is not schema]
    ids, shared = own_ids(schema), {name for one in others for name in one.key_names}
    ranked = [
        (name in ids, name in schema.unique, not is_time, name not in shared, place, name)
        for place, (name, is_time) in enumerate(_spreading(schema))
    ]
    return f"{{{max(ranked)[-1]}:shard {_count(design, schema)}}}" if ranked else None


def _spreading(schema: Schema) -> Iterator[tuple[str, bool]]:
    """Give the fields of many values that a key tells as they are, and whether each is a time.

    A day is none of them: all that is written today has the same.
    """
    written: list[tuple[str, Format | None]]
    written = [(one.field, one.format) for one in schema.keys.parts if isinstance(one, FieldKey)]
    written += [(slot.field, slot.format) for slot in slots_of(schema.keys.parts)]
    for name, format_ in written:
        is_few = format_ is not None and (finite(format_) is not None or format_.lossy)
        if name in schema.key_names and not is_few and not isinstance(format_, Day):
            yield name, isinstance(format_, Moment)


def _count(design: Design, schema: Schema) -> int:
    """Say how many shards the writes need, so that none is near its limit."""
    units = write_units(design, schema)
    if units is None:
        return SHARDS
    return min(SHARDS_MAX, max(2, int(units / (PARTITION_WRITES_PER_S * NEAR)) + 1))
