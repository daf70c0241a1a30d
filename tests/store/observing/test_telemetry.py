"""Spans and metrics as OpenTelemetry's own SDK receives them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from singletable.store.observing.events import RequestEvent
from singletable.store.observing.telemetry import DURATION_BOUNDS_S, OpenTelemetry

EVENT = RequestEvent(
    pattern="sessions",
    operation="Query",
    table="rpg",
    index="GSI1",
    consumed=2.5,
    latency_s=0.25,
    retries=3,
    items=20,
)
SHARED = {
    "db.system.name": "aws.dynamodb",
    "db.operation.name": "Query",
    "db.collection.name": "rpg",
    "singletable.pattern": "sessions",
}


class Bench:
    """An observer, and what the SDK was given by it."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])
        self.observe = OpenTelemetry(self.tracers, self.meters)

    def span(self) -> ReadableSpan:
        """Give the first span."""
        return self.exporter.get_finished_spans()[0]

    def points(self) -> dict[str, Any]:
        """Give the one data point of each metric."""
        data = self.reader.get_metrics_data()
        assert data is not None
        [resource] = data.resource_metrics
        [scope] = resource.scope_metrics
        assert scope.scope.name == "singletable"
        return {each.name: each.data.data_points[0] for each in scope.metrics}


@pytest.fixture
def bench() -> Bench:
    """An observer on an SDK in memory."""
    return Bench()


def test_a_request_is_a_client_span_with_the_conventions_attributes(bench: Bench) -> None:
    bench.observe(EVENT)
    span = bench.span()
    assert (span.name, span.kind) == ("Query rpg", SpanKind.CLIENT)
    attributes = dict(_attributes(span))
    [capacity] = attributes.pop("aws.dynamodb.consumed_capacity")
    assert json.loads(capacity) == {"TableName": "rpg", "CapacityUnits": 2.5}
    assert attributes == SHARED | {
        "aws.dynamodb.table_names": ("rpg",),
        "aws.dynamodb.index_name": "GSI1",
        "singletable.items": 20,
        "singletable.retries": 3,
    }
    assert span.status.status_code is StatusCode.UNSET


def test_a_span_ends_when_the_request_did_and_lasts_as_long(bench: Bench) -> None:
    before = time.time_ns()
    bench.observe(EVENT)
    after = time.time_ns()
    span = bench.span()
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.end_time - span.start_time == 250_000_000
    assert before <= span.end_time <= after


def test_a_span_is_a_child_of_the_current_one(bench: Bench) -> None:
    with bench.tracers.get_tracer("app").start_as_current_span("handler") as parent:
        bench.observe(EVENT)
    span = bench.span()
    assert span.name == "Query rpg"
    assert span.parent is not None
    assert span.parent.span_id == parent.get_span_context().span_id


def test_a_failed_request_is_an_error_by_its_type(bench: Bench) -> None:
    bench.observe(replace(EVENT, error="ThrottlingException", consumed=None, items=None))
    span = bench.span()
    assert span.status.status_code is StatusCode.ERROR
    assert _attributes(span)["error.type"] == "ThrottlingException"
    assert "aws.dynamodb.consumed_capacity" not in _attributes(span)
    points = bench.points()
    assert points["db.client.operation.duration"].attributes["error.type"] == "ThrottlingException"
    assert "singletable.consumed_capacity" not in points


def test_durations_capacity_and_retries_are_measured_by_pattern(bench: Bench) -> None:
    bench.observe(EVENT)
    bench.observe(EVENT)
    points = bench.points()
    duration = points["db.client.operation.duration"]
    assert (duration.count, duration.sum) == (2, 0.5)
    assert duration.explicit_bounds == DURATION_BOUNDS_S
    assert points["singletable.consumed_capacity"].value == 5.0
    assert points["singletable.retries"].value == 6
    assert [dict(point.attributes) for point in points.values()] == [SHARED] * 3


def test_what_is_not_known_is_left_out(bench: Bench) -> None:
    bench.observe(RequestEvent(operation="ListTables", table="", latency_s=0.0))
    span = bench.span()
    assert span.name == "ListTables"
    assert _attributes(span) == {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": "ListTables",
        "singletable.retries": 0,
    }


def test_several_tables_are_named_one_by_one(bench: Bench) -> None:
    bench.observe(replace(EVENT, operation="BatchGetItem", table="a,b"))
    assert _attributes(bench.span())["aws.dynamodb.table_names"] == ("a", "b")


def test_without_the_package_the_error_names_the_extra() -> None:
    script = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "try: import singletable.store.observing.telemetry\n"
        "except ModuleNotFoundError as error: print(error.name, error)"
    )
    shown = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert shown.stdout.decode().split(maxsplit=1) == [
        "opentelemetry",
        'Telemetry needs the OpenTelemetry API: pip install "singletable[otel]"\n',
    ]


def _attributes(span: ReadableSpan) -> Mapping[str, Any]:
    assert span.attributes is not None
    return span.attributes
