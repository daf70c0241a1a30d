"""K206: a caller has to know what it cannot know."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design, reads_of
from singletable.check.finding import Finding
from singletable.check.reach import is_constant
from singletable.check.rule import Rule
from singletable.model.keys import Keys, slots_of
from singletable.model.reads import Between
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class K206(Rule):
    """A pattern finds an item by the exact moment at which it was written.

    The store fills in the moment, to the microsecond. Only who has read the item knows it, and a
    link, a form or another service has at best a rounded one: the item is not found.

    Find the item by its id: an index with the id for a partition key, or an id that sorts by time
    (`ulid()`) in place of the moment in the primary key. For a range of time, use a time bucket.
    """

    name = "unknowable-key-part"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find arguments that are moments which the store filled in, taken as a whole."""
        for trace in design.planned:
            for schema, keys in reads_of(trace):
                exact = {slot.field for slot in slots_of(keys.parts) if not slot.is_bucket}
                for field in (*schema.created_fields, *schema.updated_fields):
                    if field in exact and _is_given(trace, field):
                        yield self._of(trace, schema, keys, field)

    def _of(self, trace: Trace, schema: Schema, keys: Keys, field: str) -> Finding:
        return self.finding(
            f"{trace.pattern.name}() finds {schema.name} by {field}, a moment that the store fills "
            "in to the microsecond: who has only a link or an id cannot find the item",
            f"declare an Index by the item's id, or put an id of ulid() in place of {{{field}}}",
            trace=trace,
            schema=schema,
            keys=keys,
            template=next((one for one in keys.templates if field in one.fields), None),
        )


def _is_given(trace: Trace, field: str) -> bool:
    value = trace.known.get(field)
    return value is not None and not isinstance(value, Between) and not is_constant(value, trace)
