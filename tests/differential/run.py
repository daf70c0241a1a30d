"""Running a scenario on both sides, and reading what it leaves behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .compare import Diverged, agree, agree_on_pages
from .known.forms import same_size, whole_maps
from .outcome import Outcome, Request, Step, canonical
from .scenario import Scenario
from .sides import Side, Sides
from .tables import Table

PAGED = {
    "Query": "ExclusiveStartKey",
    "Scan": "ExclusiveStartKey",
    "ExecuteStatement": "NextToken",
}
"""The operations that answer in pages, and the parameter that asks for the next."""
_RECORDED = ("Keys", "NewImage", "OldImage", "SizeBytes", "StreamViewType")


def run(scenario: Scenario, sides: Sides) -> int:
    """Make every request on both sides and compare; give the number of steps compared."""
    with _tables(scenario.tables, sides), suppress(Diverged):
        for step in scenario.steps:
            _take(step, sides, scenario.tables)
        for table in scenario.tables:
            _compare_contents(table, sides)
            _compare_streams(table, sides)
    return len(scenario.steps)


@contextmanager
def _tables(tables: tuple[Table, ...], sides: Sides) -> Iterator[None]:
    try:
        for table in tables:
            for outcome in sides.call("CreateTable", table.document()):
                assert not outcome.failed, (outcome, table.document())
        yield
    finally:
        for table in tables:
            sides.call("DeleteTable", {"TableName": table.name})


def _take(step: Step, sides: Sides, tables: tuple[Table, ...]) -> None:
    """Take a step on both sides and compare what comes of it."""
    if step.operation in PAGED:
        ours, local = (_pages(side, step) for side in sides)
        agree_on_pages(step, ours, local, _sorted_by(step, tables))
    else:
        agree(step, *sides.call(step.operation, step.request))


def _sorted_by(step: Step, tables: tuple[Table, ...]) -> tuple[str, ...]:
    """Name the attributes that a query's items are sorted by."""
    if step.operation != "Query":
        return ()
    (table,) = (each for each in tables if each.name == step.request["TableName"])
    sort_keys = {index.name: index.range for index in table.indexes}
    return sort_keys.get(step.request.get("IndexName", ""), table.keys[1:])


def _pages(side: Side, step: Step) -> list[Outcome]:
    """Read all pages, of all segments where the request has segments."""
    segments = step.request.get("TotalSegments")
    if segments is None:
        return _run_of_pages(side, step.operation, step.request)
    return [
        page
        for segment in range(segments)
        for page in _run_of_pages(side, step.operation, {**step.request, "Segment": segment})
    ]


def _run_of_pages(side: Side, operation: str, request: Request) -> list[Outcome]:
    pages = [side(operation, request)]
    while pages[-1].last:
        pages.append(side(operation, {**request, PAGED[operation]: pages[-1].last}))
    return pages


def _compare_contents(table: Table, sides: Sides) -> None:
    """Compare all items of the table and all entries of its indexes."""
    names: list[dict[str, str]] = [{}, *({"IndexName": index.name} for index in table.indexes)]
    for name in names:
        _take(Step("Scan", {"TableName": table.name, **name}), sides, (table,))


def _compare_streams(table: Table, sides: Sides) -> None:
    ours, local = (_records(side, table) for side in sides)
    for key in ours.keys() | local.keys():
        shown = f"records of {key}\n ours: {ours.get(key)}\nlocal: {local.get(key)}"
        assert len(ours[key]) == len(local[key]), shown
        for mine, theirs in zip(ours[key], local[key], strict=True):
            assert same_size(mine, theirs), shown
            assert {**mine, "SizeBytes": 0} == {**theirs, "SizeBytes": 0}, shown


def _records(side: Side, table: Table) -> defaultdict[str, list[Any]]:
    """Read a stream; give the records of each item, in order."""
    described = side("DescribeTable", {"TableName": table.name}).answer["Table"]
    stream = {"StreamArn": described["LatestStreamArn"]}
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for shard in side("DescribeStream", stream).answer["StreamDescription"]["Shards"]:
        wanted = stream | {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        at = side("GetShardIterator", wanted).answer["ShardIterator"]
        for record in side("GetRecords", {"ShardIterator": at}).answer["Records"]:
            change = record["dynamodb"]
            kept = {name: whole_maps(change.get(name)) for name in _RECORDED}
            kept["eventName"] = record["eventName"]
            key = str(sorted(change["Keys"].items()))
            found[key].append(canonical(kept))
    return found
