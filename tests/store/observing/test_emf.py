"""One line for each request, as the Embedded Metric Format has it."""

from __future__ import annotations

import io
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from singletable.errors import UsageError
from singletable.store.observing.emf import EmfWriter
from singletable.store.observing.events import RequestEvent

EVENT = RequestEvent(
    pattern="sessions",
    operation="Query",
    table="rpg",
    index="GSI1",
    consumed=2.5,
    latency_s=0.25,
    retries=1,
    items=20,
)


def _written(event: RequestEvent, **options: Any) -> dict[str, Any]:
    stream = io.StringIO()
    EmfWriter(stream=stream, clock=lambda: 1700000000.1234, **options)(event)
    [line] = stream.getvalue().splitlines()
    document: dict[str, Any] = json.loads(line)
    return document


def _directives(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the directives; fail if one names what the document does not have, or has wrongly."""
    directives: list[dict[str, Any]] = document["_aws"]["CloudWatchMetrics"]
    for directive in directives:
        assert directive["Dimensions"]
        for name in {name for names in directive["Dimensions"] for name in names}:
            assert isinstance(document[name], str)
            assert 1 <= len(document[name]) <= 1024
        for metric in directive["Metrics"]:
            assert isinstance(document[metric["Name"]], int | float)
    return directives


def test_a_request_is_one_document() -> None:
    document = _written(EVENT)
    _directives(document)
    assert document == {
        "_aws": {
            "Timestamp": 1700000000123,
            "CloudWatchMetrics": [
                {
                    "Namespace": "singletable",
                    "Dimensions": [["Table", "Pattern"], ["Table", "Operation"]],
                    "Metrics": [
                        {"Name": "Latency", "Unit": "Milliseconds"},
                        {"Name": "ConsumedCapacity", "Unit": "Count"},
                        {"Name": "Retries", "Unit": "Count"},
                        {"Name": "Errors", "Unit": "Count"},
                    ],
                }
            ],
        },
        "Table": "rpg",
        "Pattern": "sessions",
        "Operation": "Query",
        "Index": "GSI1",
        "Items": 20,
        "Latency": 250.0,
        "ConsumedCapacity": 2.5,
        "Retries": 1,
        "Errors": 0,
    }


def test_an_error_counts_and_its_unknown_capacity_is_no_metric() -> None:
    document = _written(replace(EVENT, error="ThrottlingException", consumed=None, items=None))
    [directive] = _directives(document)
    assert (document["Error"], document["Errors"]) == ("ThrottlingException", 1)
    assert "ConsumedCapacity" not in {metric["Name"] for metric in directive["Metrics"]}
    assert not {"ConsumedCapacity", "Items"} & document.keys()


def test_a_set_of_dimensions_that_a_request_lacks_is_left_out() -> None:
    [directive] = _directives(_written(replace(EVENT, pattern=None)))
    assert directive["Dimensions"] == [["Table", "Operation"]]


def test_a_request_with_none_of_the_dimensions_is_a_log_line_only() -> None:
    document = _written(replace(EVENT, pattern=None), dimensions=[["Pattern"]])
    assert _directives(document) == []
    assert document["Latency"] == 250.0


def test_namespace_and_properties_are_the_callers() -> None:
    document = _written(
        EVENT,
        namespace="Campaigns",
        dimensions=[["Service", "Pattern"], ["Service"], []],
        properties={"Service": "api", "Stage": "prod"},
    )
    [directive] = _directives(document)
    assert directive["Namespace"] == "Campaigns"
    assert directive["Dimensions"] == [["Service", "Pattern"], ["Service"], []]
    assert document["Stage"] == "prod"


def test_a_dimension_that_nothing_gives_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match=r"no dimension 'Servce': take one of Table, .*Service"):
        EmfWriter(dimensions=[["Servce"]], properties={"Service": "api"})


def test_more_dimensions_than_the_format_allows_are_refused() -> None:
    with pytest.raises(UsageError, match="30 dimensions in a set, not 31"):
        EmfWriter(dimensions=[["Table"] * 31])


def test_lines_go_to_standard_output_as_it_is_then(capsys: pytest.CaptureFixture[str]) -> None:
    EmfWriter()(EVENT)
    assert json.loads(capsys.readouterr().out)["Pattern"] == "sessions"


class Halting(io.TextIOBase):
    """A stream that gives way to other threads within a write, and remembers each."""

    def __init__(self) -> None:
        self.writes: list[str] = []
        self.inside = 0
        self.crowded = False

    def write(self, text: str, /) -> int:
        """Keep what is written."""
        self.inside += 1
        time.sleep(0.001)
        self.crowded |= self.inside > 1
        self.inside -= 1
        self.writes.append(text)
        return len(text)


def test_threads_write_whole_lines_one_after_the_other() -> None:
    stream = Halting()
    write = EmfWriter(stream=stream)  # type: ignore[arg-type] # all of a TextIO that is used
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, [EVENT] * 20))
    assert len(stream.writes) == 20
    assert not stream.crowded
    assert all(line.endswith("\n") and json.loads(line) for line in stream.writes)
