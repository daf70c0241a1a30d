"""Requests as CloudWatch metrics, by one line of JSON each: the Embedded Metric Format.

On Lambda a line on standard output is all it takes, and elsewhere the CloudWatch agent reads it.
The line also holds what is not a dimension, for CloudWatch Logs Insights. Each distinct set of
dimension values is a metric that CloudWatch bills: hence few dimensions, and no keys.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TextIO

import orjson

from singletable.errors import UsageError

from .events import RequestEvent

PROPERTIES: Final = ("Table", "Pattern", "Operation", "Index", "Error")
"""What a request has to offer as a dimension."""
UNITS: Final = {
    "Latency": "Milliseconds",
    "ConsumedCapacity": "Count",
    "Retries": "Count",
    "Errors": "Count",
}
"""Metric → unit."""
DIMENSIONS: Final = (("Table", "Pattern"), ("Table", "Operation"))
DIMENSIONS_MAX: Final = 30  # in a set, says the format


class EmfWriter:
    """An observer that writes a line for each request, whole, from whichever thread.

    ``dimensions`` are sets of names, each set giving metrics of its own: a request's properties
    and those of ``properties``, which are added to every line. A set of which a request lacks a
    value, such as the pattern of a plain write, is left out of that request's line.
    """

    def __init__(
        self,
        namespace: str = "singletable",
        stream: TextIO | None = None,
        dimensions: Sequence[Sequence[str]] = DIMENSIONS,
        *,
        properties: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._namespace = namespace
        self._stream = stream
        self._properties = dict(properties or {})
        self._dimensions = [_checked(each, self._properties) for each in dimensions]
        self._clock = clock
        self._writing = threading.Lock()

    def __call__(self, event: RequestEvent) -> None:
        """Write the line of a request that has just ended."""
        line = orjson.dumps(self._document(event)).decode() + "\n"
        stream = self._stream or sys.stdout  # looked up now, as it may be redirected
        with self._writing:
            stream.write(line)
            stream.flush()

    def _document(self, event: RequestEvent) -> dict[str, Any]:
        values = self._properties | _properties(event)
        metrics = _metrics(event)
        directive = {
            "Namespace": self._namespace,
            "Dimensions": [names for names in self._dimensions if values.keys() >= set(names)],
            "Metrics": [{"Name": name, "Unit": UNITS[name]} for name in metrics],
        }
        # The format asks for at least one set of dimensions in a directive.
        directives = [directive] if directive["Dimensions"] else []
        metadata = {"Timestamp": round(self._clock() * 1000), "CloudWatchMetrics": directives}
        return {**values, **metrics, "_aws": metadata}


def _checked(names: Sequence[str], properties: Mapping[str, str]) -> list[str]:
    unknown = [name for name in names if name not in PROPERTIES and name not in properties]
    if unknown:
        known = ", ".join([*PROPERTIES, *properties])
        raise UsageError(
            f"There is no dimension {unknown[0]!r}: take one of {known}, or add it by properties"
        )
    if len(names) > DIMENSIONS_MAX:
        raise UsageError(f"CloudWatch takes {DIMENSIONS_MAX} dimensions in a set, not {len(names)}")
    return list(names)


def _properties(event: RequestEvent) -> dict[str, Any]:
    values = (event.table, event.pattern, event.operation, event.index, event.error)
    named = {name: value for name, value in zip(PROPERTIES, values, strict=True) if value}
    return named if event.items is None else {**named, "Items": event.items}


def _metrics(event: RequestEvent) -> dict[str, float]:
    metrics = {
        "Latency": event.latency_s * 1000,
        "ConsumedCapacity": event.consumed,
        "Retries": event.retries,
        "Errors": int(event.error is not None),
    }
    return {name: value for name, value in metrics.items() if value is not None}
