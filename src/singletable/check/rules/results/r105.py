"""R105: the upper end of a range cuts off the last day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

from singletable.check.design import Design
from singletable.check.finding import Finding
from singletable.check.rule import Rule
from singletable.model.reads import Between, Query
from singletable.store.tracing import Trace

DAY_LENGTH = len("2026-01-31")


class R105(Rule):
    """A range ends at the beginning of its last day, so nothing of that day is found.

    "From the 1st to the 31st" is asked for with `<= "2026-01-31"`, but a key of the 31st is
    "2026-01-31T09:30:00Z", which sorts behind it. The same happens with midnight made from a date.
    The caller sees 30 days and believes they are 31.

    Declare the field a `datetime` and give the range the `date` itself: the library then takes it
    for the whole day. With text keys, end the range at the following day, with `lt`.
    """

    name = "last-day-cut-off"
    severity = "error"

    def find(self, design: Design) -> Iterator[Finding]:
        """Find upper ends that are a date where keys have moments."""
        for trace in design.planned:
            for field, value in _upper_ends(trace):
                fault = _fault(trace, value)
                if fault:
                    schema, keys = trace.reads[0]
                    yield self.finding(
                        f"{trace.pattern.name}() ends its range of {field} at {value!s}, {fault}: "
                        "what happened later on that day is left out",
                        f"declare {field}: datetime and give the range the date itself, which then "
                        "stands for the whole day",
                        trace=trace,
                        schema=schema,
                        keys=keys,
                        template=keys.templates[-1] if keys.templates else None,
                        # Texts of the field may be dates too; the design does not say.
                        severity="warning" if isinstance(value, str) else None,
                    )


def _upper_ends(trace: Trace) -> Iterator[tuple[str, Any]]:
    read = trace.read
    if not isinstance(read, Query):
        return
    for field, value in read.known.items():
        if isinstance(value, Between):
            yield field, value.high
    if read.comparison and read.comparison[0] in {"le", "between"} and read.keys.sk:
        following = [name for part in read.keys.sk for name in part.fields]
        unknown = [name for name in following if name not in read.known]
        yield (unknown or following)[0], read.comparison[1][-1]


def _fault(trace: Trace, value: Any) -> str | None:
    """Say how an upper end was made from a date that the caller gave."""
    if isinstance(value, datetime):
        midnight = value.time() == time.min and trace.source(value) is None
        days = [one for one in trace.arguments.values() if type(one) is date]
        return "midnight of a date that it is given" if midnight and value.date() in days else None
    if isinstance(value, str) and len(value) == DAY_LENGTH and _is_day(value):
        return "a date as text"
    return None


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False
