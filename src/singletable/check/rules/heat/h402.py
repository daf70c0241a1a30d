"""H402: the items of an entity are in few partitions."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.heat import heat
from singletable.check.languages import finite
from singletable.check.reach import is_constant
from singletable.check.rule import Rule
from singletable.check.spreading import shard_slot
from singletable.model.keys import Keys, slots_of
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class H402(Rule):
    """The partition key has only few values, such as a status or a type.

    Each value is one partition, which takes 1,000 write units a second. Items are never spread
    evenly over states: most are DONE, and all that is new is in one. The rest of the table is idle
    while that partition is throttled.

    Add what tells items apart: the owner, `USER#{user_id}#STATUS#{status}`, if reads know it; or a
    shard, `STATUS#{status}#{order_id:shard 10}`, if they do not.
    """

    name = "few-partitions"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find partition keys that are made of choices alone."""
        for schema in design.schemas:
            for keys in schema.all_keys:
                count = _partitions(keys)
                reader = None if count else _same_partition(design.readers(schema, keys), keys)
                if not count and reader is None:
                    continue
                is_hot, how = heat(design, schema, count or 1)
                if is_hot:
                    where = f"{_where(keys, count, reader)}: {how}"
                    yield self._of(design, schema, keys, reader, where)

    def _of(
        self, design: Design, schema: Schema, keys: Keys, reader: Trace | None, where: str
    ) -> Finding:
        return self.finding(
            f"all {schema.name} are in {where}",
            f"add the owner, or {shard_slot(design, schema) or 'an id'}, to the key",
            trace=reader,
            schema=schema,
            keys=keys,
            template=keys.templates[0],
        )


def _partitions(keys: Keys) -> int:
    """Count the partitions of a key that has few on its own; 0 for any other."""
    slots = slots_of(keys.pk)
    if not slots or any(slot.scatters for slot in slots):
        return 0
    counts = [len(finite(slot.format) or ()) for slot in slots]
    return prod(counts) if all(counts) else 0


def _same_partition(readers: list[Trace], keys: Keys) -> Trace | None:
    """Find a pattern that reads the same partition at every call, though its key has fields."""
    fields = {slot.field for slot in slots_of(keys.pk)}
    for trace in readers:
        constant = [field for field in fields if is_constant(trace.known.get(field), trace)]
        if fields and len(constant) == len(fields) == len(keys.told):
            return trace
    return None


def _where(keys: Keys, count: int, reader: Trace | None) -> str:
    fields = ", ".join(slot.field for slot in slots_of(keys.pk))
    index = keys.index.name or "the table"
    if reader is None:
        return f"{count} partitions of {index}, one for each {fields}, and most in one of them"
    return (
        f"the few partitions of {index} that {fields} names, as {reader.pattern.name}(), which "
        "always reads the same one, shows"
    )
