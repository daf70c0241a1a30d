"""R101: no key serves a pattern."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.faults import asks_strongly, filters_keys, lacking
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.errors import KeyValueError
from singletable.store.tracing import Trace


class R101(Rule):
    """A pattern cannot be made a request: no key serves it.

    The index that it asks is not there, a field of the partition key is not known, or what is
    known stands behind something unknown in the sort key. The pattern fails at its first call,
    whatever data there is.

    Declare an index whose partition key is made of what the caller knows, and whose sort key
    begins with what narrows the result; or give the pattern the parameter that it lacks.
    """

    name = "unserved-pattern"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find the patterns that could not be traced to a request."""
        for trace in design.traces:
            if _is_of_argument(trace):
                yield self._refused(trace)
            elif trace.fault is not None and not _is_explained(trace):
                yield self._of(trace)

    def _of(self, trace: Trace) -> Finding:
        schema, keys = trace.reads[0] if trace.reads else (None, None)
        known = ", ".join(trace.arguments) or "nothing"
        fix = (
            "give an entity an Index whose partition key is made of what the caller knows "
            f"({known}), or add the parameter that is missing"
        )
        is_value = isinstance(trace.fault, KeyValueError)
        return self.finding(
            f"{trace.pattern.name}() fails when it is called: {trace.fault}",
            "ask for a value that the field can have" if is_value else fix,
            trace=trace,
            schema=schema,
            keys=keys,
            template=keys.templates[0] if keys and keys.templates else None,
        )

    def _refused(self, trace: Trace) -> Finding:
        """Say that a parameter takes more than its field: such an argument fails, others do not."""
        schema, keys = trace.reads[0] if trace.reads else (None, None)
        why = trace.refused or trace.fault
        return self.finding(
            f"{trace.pattern.name}() takes arguments that its keys refuse: {why}",
            "give the parameter the type of the field",
            trace=trace,
            schema=schema,
            keys=keys,
            severity="warning",
        )


def _is_explained(trace: Trace) -> bool:
    """Tell whether another rule says what is wrong."""
    return bool(lacking(trace)) or asks_strongly(trace) or filters_keys(trace)


def _is_of_argument(trace: Trace) -> bool:
    """Tell whether a key refuses a parameter's sample, and not a value of the pattern's own."""
    if not isinstance(trace.fault, KeyValueError):
        return trace.refused is not None
    said = str(trace.fault)
    return any(f"={sample!r} is refused" in said for sample in trace.arguments.values())
