"""Requests as OpenTelemetry spans and metrics, named as its conventions for DynamoDB name them.

The span of a request is made when the request is over, with the times it began and ended; it is a
child of the span that is then current. So nothing made during a request, such as a span of the
HTTP client, can be a child of it.
"""

from __future__ import annotations

import time
from typing import Any, Final

import orjson

from .events import RequestEvent

try:
    from opentelemetry import metrics, trace
    from opentelemetry.trace import SpanKind, Status, StatusCode
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        'Telemetry needs the OpenTelemetry API: pip install "singletable[otel]"', name=missing.name
    ) from missing

SCOPE: Final = "singletable"
# The bounds that the conventions ask for.
DURATION_BOUNDS_S: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10)

Attributes = dict[str, Any]


class OpenTelemetry:
    """An observer that gives a span and three metrics; without providers, the global ones."""

    def __init__(
        self,
        tracer_provider: trace.TracerProvider | None = None,
        meter_provider: metrics.MeterProvider | None = None,
    ) -> None:
        self._tracer = trace.get_tracer(SCOPE, tracer_provider=tracer_provider)
        meter = metrics.get_meter(SCOPE, meter_provider=meter_provider)
        self._duration = meter.create_histogram(
            "db.client.operation.duration",
            unit="s",
            description="Duration of database client operations.",
            explicit_bucket_boundaries_advisory=DURATION_BOUNDS_S,
        )
        self._consumed = meter.create_counter(
            "singletable.consumed_capacity",
            unit="{capacity_unit}",
            description="Capacity units that requests consumed.",
        )
        self._retries = meter.create_counter(
            "singletable.retries",
            unit="{retry}",
            description="How often requests were sent again.",
        )

    def __call__(self, event: RequestEvent) -> None:
        """Record a request that has just ended."""
        shared = _shared(event)
        self._measure(event, shared)
        self._trace(event, shared)

    def _measure(self, event: RequestEvent, shared: Attributes) -> None:
        self._duration.record(event.latency_s, shared)
        if event.consumed is not None:
            self._consumed.add(event.consumed, shared)
        if event.retries:
            self._retries.add(event.retries, shared)

    def _trace(self, event: RequestEvent, shared: Attributes) -> None:
        ended = time.time_ns()
        span = self._tracer.start_span(
            f"{event.operation} {event.table}".rstrip(),
            kind=SpanKind.CLIENT,
            attributes=shared | _details(event),
            start_time=ended - round(event.latency_s * 1e9),
        )
        if event.error:
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended)


def _shared(event: RequestEvent) -> Attributes:
    """Give the attributes that spans and metrics have in common: few values each."""
    return _present(
        {
            "db.system.name": "aws.dynamodb",
            "db.operation.name": event.operation,
            "db.collection.name": event.table or None,
            "singletable.pattern": event.pattern,
            "error.type": event.error,
        }
    )


def _details(event: RequestEvent) -> Attributes:
    return _present(
        {
            "aws.dynamodb.table_names": event.table.split(",") if event.table else None,
            "aws.dynamodb.index_name": event.index,
            "aws.dynamodb.consumed_capacity": _capacity(event),
            "singletable.items": event.items,
            "singletable.retries": event.retries,
        }
    )


def _capacity(event: RequestEvent) -> list[str] | None:
    """Give the capacity in the form of the conventions: entries of an answer, as JSON."""
    if event.consumed is None:
        return None
    entry = {"TableName": event.table, "CapacityUnits": event.consumed}
    return [orjson.dumps(entry).decode()]


def _present(attributes: Attributes) -> Attributes:
    return {name: value for name, value in attributes.items() if value is not None}
