"""R103: a prefix that is an id also finds the ids that begin with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.keys import Keys
from singletable.model.reads import Query
from singletable.store.tracing import Trace


class R103(Rule):
    """A query takes an id for a prefix, and also finds every id that begins with it.

    `begins_with(SK, "SURVEY#1")` finds survey 1, and surveys 10 to 19 and 100. The caller asked
    for one and is shown, or deletes, several.

    Give the id as what it is, the value of its field: the library then ends the prefix at a
    delimiter. Keep `begins_with` for what the caller types in, the beginning of a name.
    """

    name = "id-begins-alike"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find prefixes that are arguments which stand for a whole value of the field."""
        ids = {name for schema in design.schemas for name in schema.key_fields}
        wholes = {
            (field, source)
            for trace in design.traces
            for field, value in trace.known.items()
            if (source := trace.source(value))
        }
        for trace in design.planned:
            field, source = _prefix(trace)
            if field in ids and source and ((field, source) in wholes or source == field):
                yield self._of(trace, trace.reads[0][1], field, source)

    def _of(self, trace: Trace, keys: Keys, field: str, source: str) -> Finding:
        return self.finding(
            f"{trace.pattern.name}() asks for keys that begin with {source}: {field}='1' also "
            f"finds '10' and '1a'. The caller names one {field} and gets the items of others",
            f"give the whole value, query(…, {field}={source}), in place of begins_with",
            trace=trace,
            schema=trace.reads[0][0],
            keys=keys,
            template=keys.templates[-1] if keys.templates else None,
        )


def _prefix(trace: Trace) -> tuple[str, str | None]:
    """Give the field that is compared with a prefix, and the parameter that the prefix is."""
    read: Any = trace.read
    if not isinstance(read, Query) or read.comparison is None or not read.keys.sk:
        return "", None
    operator, operands = read.comparison
    if operator != "begins_with":
        return "", None
    following = [name for name in read.keys.sk[0].fields if name not in read.known]
    return following[0] if following else "", trace.source(operands[0])
