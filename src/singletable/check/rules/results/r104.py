"""R104: a pattern reads an index that its items are not in."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import get_args

from singletable.check.design import Design, reads_of
from singletable.check.finding import Finding
from singletable.check.reach import is_constant
from singletable.check.rule import Rule
from singletable.check.states import can_be
from singletable.model.keys import Keys
from singletable.model.reads import Get
from singletable.model.schema import Schema
from singletable.store.tracing import Trace


class R104(Rule):
    """A pattern reads an index in which its items are not, or not all of them.

    An item is in an index only if it has all of the index's keys. Where a pattern asks for a state
    that `when` keeps out, or for a value that no item can have, the answer is always empty. Where a
    field of the key may be None and the pattern does not give it, the items without it are missing
    from a list that seems to be whole.

    Widen `when`, or ask for what is in the index. Make the field required, or give the list an
    index whose key is made of fields that every item has.
    """

    name = "items-not-in-index"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find reads of indexes that cannot hold, or need not hold, the items."""
        for trace in design.planned:
            if isinstance(trace.read, Get):
                continue
            for schema, keys in reads_of(trace):
                yield from self._empty(trace, schema, keys)
                yield from self._sparse(trace, schema, keys)

    def _empty(self, trace: Trace, schema: Schema, keys: Keys) -> Iterator[Finding]:
        for field, allowed in keys.when:
            value = trace.known.get(field)
            possible = [one for one in allowed if can_be(schema, field, one)]
            contradicts = is_constant(value, trace) and value not in allowed
            if possible and not contradicts:
                continue
            asked = f"{field}={value!r}" if contradicts else f"{field} in {allowed}"
            yield self.finding(
                f"{trace.pattern.name}() always answers nothing: no {schema.name} with {asked} is "
                f"in {keys.index.name}, whose `when` is {field} in {allowed}",
                f"widen when={{{field!r}: …}}, or ask for what the index holds",
                trace=trace,
                schema=schema,
                keys=keys,
                template=next(iter(keys.templates), None),
            )

    def _sparse(self, trace: Trace, schema: Schema, keys: Keys) -> Iterator[Finding]:
        if keys.index.name is None:
            return
        missing = [
            field
            for field in keys.fields
            if field not in trace.known and _may_be_none(schema, field)
        ]
        if missing:
            named = ", ".join(missing)
            yield self.finding(
                f"{trace.pattern.name}() leaves out every {schema.name} whose {named} is None: "
                f"such an item has no key in {keys.index.name}. The list looks whole and is not",
                f"make {named} required, or take it out of the index's key; if the list is meant "
                "to hold only those, ignore this with that reason",
                trace=trace,
                schema=schema,
                keys=keys,
                template=next((one for one in keys.templates if missing[0] in one.fields), None),
                severity="warning",
            )


def _may_be_none(schema: Schema, field: str) -> bool:
    info = schema.fields.get(field)
    return info is not None and NoneType in get_args(info.annotation)
