"""The programs of scans: every item of a table or index, in one stream or in several segments.

Segments are read side by side. A page has a page of each that is not at its end, and its cursor a
position in each, so that whoever goes page by page holds no more than that of a large table.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from singletable.model.pages import Page
from singletable.model.reads import Scan
from singletable.model.running import Course
from singletable.store.context import Context
from singletable.store.steps import Program, Together
from singletable.values import Item

from .cursors import WHOLE, Position, binding
from .gathering import begun_at, counted, gathered, only
from .merging import resumed
from .plans import Request, plan_scan, plan_scan_count
from .sifting import Sieve


def scan_requests(context: Context, scan: Scan[Any]) -> list[Request]:
    """Give the first request of a scan, or of each of its segments."""
    segments = _segments(scan, plan_scan(scan, context.table_name))
    return list(_limited(scan, segments).values())


def scan_page(context: Context, scan: Scan[Any], after: str | None) -> Program[Page[Any]]:
    """Read one page of each segment that has more."""
    request = plan_scan(scan, context.table_name)
    bound = binding(scan.pattern or "", {**request, "Segments": scan.segments})
    position = Position({}) if after is None else context.cursors.open(after, bound)
    segments = _segments(scan, request)
    left = {part: one for part, one in segments.items() if not position.done(part)}
    read = _limited(scan, left)
    starts = (begun_at(one, position.start_key({}, part)) for part, one in read.items())
    programs = tuple(resumed(context, "Scan", one, scan.pattern) for one in starts)
    answers: list[dict[str, Any]] = (yield Together(programs)) if programs else []
    ends = {part: one.get("LastEvaluatedKey") for part, one in zip(read, answers, strict=True)}
    sieve = _sieve(scan, context)
    items = sieve.all(item for answer in answers for item in answer["Items"])
    reached = Position({**position.keys, **ends})
    if all(map(reached.done, segments)):
        return Page(items, None, sieve.skipped)
    cursor = context.cursors.seal(reached, bound)
    return Page(items, cursor, sieve.skipped)


def scan_all(context: Context, scan: Scan[Any], _: str | None) -> Program[list[Any]]:
    """Read every item, the segments side by side; with a limit, page by page."""
    if scan.most is not None:
        return (yield from gathered(context, scan_page, Course(scan, scan.most)))
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
    """Read so many items, in pages of any size: most items of a table may be of other entities."""
    course = Course(scan.but(most=None), min(count, scan.most or count))
    return (yield from gathered(context, scan_page, course))


def scan_count(context: Context, scan: Scan[Any], _: str | None) -> Program[int]:
    """Count the items up to the limit, the segments side by side."""
    request = plan_scan_count(scan, context.table_name, context.clock())
    segments = _segments(scan, request).values()
    programs = (counted(context, "Scan", one, scan) for one in segments)
    total = sum((yield Together(tuple(programs))))
    return min(total, scan.most or total)


def _segment(context: Context, scan: Scan[Any], request: Request) -> Program[list[Any]]:
    sieve = _sieve(scan, context)
    found: list[Any] = []
    start: Item | None = None
    while True:
        answer = yield from context.send("Scan", begun_at(request, start), scan.pattern)
        found += sieve.all(answer["Items"])
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return found


def _sieve(scan: Scan[Any], context: Context) -> Sieve:
    return Sieve.of(scan.schema, context.clock(), scan.shape, once=True)


def _segments(scan: Scan[Any], request: Request) -> dict[str, Request]:
    """Give the request of each segment, by the name that it has in cursors."""
    if scan.segments == 1:
        return {WHOLE: request}
    return {
        str(segment): {**request, "Segment": segment, "TotalSegments": scan.segments}
        for segment in range(scan.segments)
    }


def _limited(scan: Scan[Any], segments: dict[str, Request]) -> dict[str, Request]:
    """Give the requests of a page: together they read no more than the limit."""
    if scan.most is not None:
        read = dict(islice(segments.items(), scan.most))
        return {
            part: {**request, "Limit": (scan.most + at) // len(read)}
            for at, (part, request) in enumerate(read.items())
        }
    if scan.page_size is not None:
        return {part: {**request, "Limit": scan.page_size} for part, request in segments.items()}
    return segments
