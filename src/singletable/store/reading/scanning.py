"""The programs of scans: every item of a table or index, in one stream or in several segments.

Segments are read side by side. A page has a page of each that is not at its end, and its cursor a
position in each, so that whoever goes page by page holds no more than that of a large table.
"""

from __future__ import annotations

from typing import Any

from singletable.model.pages import Page
from singletable.model.reads import Scan
from singletable.store.context import Context
from singletable.store.steps import Program, Together
from singletable.values import Item

from .cursors import WHOLE, Position, binding
from .plans import Request, plan_scan, plan_scan_count
from .querying import only
from .sifting import Sieve, tally


def scan_requests(context: Context, scan: Scan[Any]) -> list[Request]:
    """Give the first request of a scan, or of each of its segments."""
    return list(_segments(scan, _request(context, scan)).values())


def scan_page(context: Context, scan: Scan[Any], after: str | None) -> Program[Page[Any]]:
    """Read one page of each segment that has more."""
    request = _request(context, scan)
    bound = binding(scan.pattern or "", {**request, "Segments": scan.segments})
    position = Position({}) if after is None else context.cursors.open(after, bound)
    left = [
        (part, _from(one, position.start_key({}, part)))
        for part, one in _segments(scan, request).items()
        if not position.done(part)
    ]
    programs = tuple(context.send("Scan", one, scan.pattern) for _, one in left)
    answers: list[dict[str, Any]] = (yield Together(programs)) if programs else []
    ends = {part: one.get("LastEvaluatedKey") for (part, _), one in zip(left, answers, strict=True)}
    sieve = _sieve(scan, context)
    items = sieve.all(item for answer in answers for item in answer["Items"])
    if not any(ends.values()):
        return Page(items, None, sieve.skipped)
    cursor = context.cursors.seal(Position({**position.keys, **ends}), bound)
    return Page(items, cursor, sieve.skipped)


def scan_all(context: Context, scan: Scan[Any], _: str | None) -> Program[list[Any]]:
    """Read every item, the segments side by side."""
    requests = scan_requests(context, scan)
    segments = yield Together(tuple(_segment(context, scan, request) for request in requests))
    return [entity for segment in segments for entity in segment]


def scan_first(context: Context, scan: Scan[Any], _: str | None) -> Program[Any]:
    """Read until there is an item."""
    found = yield from _some(context, scan, 1)
    return found[0] if found else None


def scan_one(context: Context, scan: Scan[Any], _: str | None) -> Program[Any]:
    """Read until there are two items, or no more."""
    found = yield from _some(context, scan, 2)
    return only(found, scan.schema.name)


def _some(context: Context, scan: Scan[Any], count: int) -> Program[list[Any]]:
    items: list[Any] = []
    after: str | None = None
    while True:
        page = yield from scan_page(context, scan, after)
        items += page.items
        after = page.next
        if len(items) >= count or after is None:
            return items


def scan_count(context: Context, scan: Scan[Any], _: str | None) -> Program[int]:
    """Count the items, the segments side by side."""
    request = plan_scan_count(scan, context.table_name, context.clock())
    segments = _segments(scan, request).values()
    counts: list[int] = yield Together(tuple(_counted(context, scan, one) for one in segments))
    return sum(counts)


def _counted(context: Context, scan: Scan[Any], request: Request) -> Program[int]:
    total: int = 0
    start: Item | None = None
    while True:
        answer = yield from context.send("Scan", _from(request, start), scan.pattern)
        total += tally(answer, scan.schema)
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return total


def _segment(context: Context, scan: Scan[Any], request: Request) -> Program[list[Any]]:
    sieve = _sieve(scan, context)
    found: list[Any] = []
    start: Item | None = None
    while True:
        answer = yield from context.send("Scan", _from(request, start), scan.pattern)
        found += sieve.all(answer["Items"])
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return found


def _sieve(scan: Scan[Any], context: Context) -> Sieve:
    return Sieve.of(scan.schema, context.clock(), scan.shape, once=True)


def _request(context: Context, scan: Scan[Any]) -> Request:
    request = plan_scan(scan, context.table_name)
    return request if scan.page_size is None else {**request, "Limit": scan.page_size}


def _segments(scan: Scan[Any], request: Request) -> dict[str, Request]:
    """Give the request of each segment, by the name that it has in cursors."""
    if scan.segments == 1:
        return {WHOLE: request}
    return {
        str(segment): {**request, "Segment": segment, "TotalSegments": scan.segments}
        for segment in range(scan.segments)
    }


def _from(request: Request, start: Item | None) -> Request:
    return request if start is None else {**request, "ExclusiveStartKey": start}
