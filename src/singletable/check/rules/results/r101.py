"""R101: no key serves a pattern."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.check.design import Design
from singletable.check.faults import (
    asks_strongly,
    filters_keys,
    is_of_keys,
    lacking,
    serving,
    unknown_field,
    unknown_index,
    unsorted,
    wrongly_typed,
)
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.errors import KeyValueError
from singletable.store.tracing import Trace


class R101(Rule):
    """A pattern cannot be made a request: no key serves it.

    The index that it asks is not there, a field of the partition key is not known, what is known
    stands behind something unknown in the sort key, or a parameter is of another type than its
    field. The pattern fails at its first call, whatever data there is. Where it fails with some
    arguments only, since a parameter takes more than its field does, that is a warning.

    Where a key is made of what the caller knows, name it and its fields as they are declared.
    Else declare an index whose partition key is made of that, and whose sort key begins with what
    narrows the result; or give the pattern the parameter that it lacks.
    """

    name = "unserved-pattern"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find the patterns that could not be traced to a request."""
        for trace in design.traces:
            if _is_of_argument(trace):
                yield self._refused(trace)
            elif trace.fault is not None and not _is_explained(trace):
                yield self._of(trace, _fix(design, trace))

    def _of(self, trace: Trace, fix: str) -> Finding:
        schema, keys = trace.reads[0] if trace.reads else (None, None)
        return self.finding(
            f"{trace.pattern.name}() fails when it is called: {trace.fault}",
            fix,
            trace=trace,
            schema=schema,
            keys=keys,
            template=keys.templates[0] if keys and keys.templates else None,
        )

    def _refused(self, trace: Trace) -> Finding:
        """Say that a parameter takes more than its field: such an argument fails, others do not.

        Where it is of another type, all fail.
        """
        schema, keys = trace.reads[0] if trace.reads else (None, None)
        why, mistyped = trace.refused or trace.fault, wrongly_typed(trace)
        what = "fails whatever it is given" if mistyped else "takes arguments that its keys refuse"
        return self.finding(
            f"{trace.pattern.name}() {what}: {why}",
            f"give the parameter the type of the field{f', {mistyped}' if mistyped else ''}",
            trace=trace,
            schema=schema,
            keys=keys,
            severity="error" if mistyped else "warning",
        )


def _fix(design: Design, trace: Trace) -> str:
    """Say what to write: an index only where no key is made of what the pattern knows."""
    if isinstance(trace.fault, KeyValueError):
        return "ask for a value that the field can have"
    cure = unsorted(trace)
    if cure:
        return f"mend the key: {cure}"
    index = unknown_index(trace)
    if not index and not is_of_keys(trace):
        return "mend the pattern"
    served = serving(design, trace)
    if served:
        return f"mend the pattern: {served}, which its caller knows"
    if index:
        return f"ask an index that there is, or declare this one: {index[1]} = Index(…)"
    return _fix_of_key(trace)


def _fix_of_key(trace: Trace) -> str:
    field = unknown_field(trace)
    if field:
        return f"mend the pattern: there is no field {field!r}"
    known = ", ".join(trace.arguments) or "nothing"
    return (
        f"give an entity an Index whose partition key is made of what the caller knows ({known}), "
        "or add the parameter that is missing"
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
