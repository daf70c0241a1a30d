"""T301: a lookup takes for unique what nothing keeps unique."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, slots_of
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.keys import Keys
from singletable.model.reads import Query
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class T301(Rule):
    """A lookup takes a value for unique, and nothing keeps it unique.

    The index has one item for each value: its partition key is the value, its sort key has nothing
    to tell items apart. In a relational database a unique constraint stood behind such a lookup.
    An index of DynamoDB has none: two items with the same value are both in it, and whoever logs in
    by e-mail gets one of two accounts.

    Annotate the field, `email: Annotated[str, Unique()]`, and the store keeps it unique, whoever
    writes; within a tenant, `Unique(within="TENANT#{tenant_id}")`.
    """

    name = "lost-uniqueness"
    severity = "warning"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find indexes for lookups by a field that is neither unique nor generated."""
        for schema, _, keys in design.placements:
            field = _looked_up(keys)
            if field is None or field in {*schema.unique, *design.generated, *design.owners}:
                continue
            readers = [one for one in design.readers(schema, keys) if _is_lookup(one)]
            if readers and not _is_whole_key(schema, keys):
                yield self.finding(
                    f"{readers[0].pattern.name}() takes {field} for unique, but nothing keeps two "
                    f"{schema.name} from having the same: the caller then gets either, or both",
                    f"annotate it: {field}: Annotated[…, Unique()]",
                    trace=readers[0],
                    schema=schema,
                    keys=keys,
                    template=keys.templates[0],
                )


def _looked_up(keys: Keys) -> str | None:
    """Name the one field of a key that has no other; None for another kind of key."""
    fields = {slot.field for slot in slots_of((*keys.pk, *keys.sk))}
    return fields.pop() if len(fields) == 1 and keys.told == fields else None


def _is_whole_key(schema: Schema, keys: Keys) -> bool:
    return schema.key_names <= set(keys.fields)


def _is_lookup(trace: Trace) -> bool:
    """Tell whether a pattern expects one item: a list has pages, of more than one item."""
    if not isinstance(trace.read, Query):
        return False
    size = trace.read.page_max
    return size is None or (size == 1 and trace.source(size) is None)
