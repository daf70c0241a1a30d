"""Paginators and waiters with boto3's calls, so that code written for its client runs unchanged."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from singletable.errors import ResourceNotFoundException, ServiceError, WaiterError
from singletable.values import Item, dumps, loads

if TYPE_CHECKING:
    from .engine import Engine


class _Members(NamedTuple):
    """Names what a paginated operation's requests and answers call things."""

    token_in: str
    token_out: str
    result: str
    limit: str | None = "Limit"
    counts: tuple[str, ...] = ()
    """Numbers to be added up over the pages."""
    of_first: tuple[str, ...] = ()
    """What boto3 gives of the first page alone."""


_ITEMS = _Members(
    "ExclusiveStartKey",
    "LastEvaluatedKey",
    "Items",
    counts=("Count", "ScannedCount"),
    of_first=("ConsumedCapacity",),
)
_PAGINATED = {
    "query": _ITEMS,
    "scan": _ITEMS,
    "list_tables": _Members("ExclusiveStartTableName", "LastEvaluatedTableName", "TableNames"),
    "list_backups": _Members(
        "ExclusiveStartBackupArn", "LastEvaluatedBackupArn", "BackupSummaries"
    ),
    "list_tags_of_resource": _Members("NextToken", "NextToken", "Tags", limit=None),
}


def can_paginate(method: str) -> bool:
    """Tell whether a method has pages."""
    return method in _PAGINATED


class Paginator:
    """Calls a method again until its answer names no next page."""

    def __init__(self, engine: Engine, method: str) -> None:
        if not can_paginate(method):
            raise ValueError(f"{method} has no pages; these have: {', '.join(_PAGINATED)}")
        self._call = getattr(engine, method)
        self._members = _PAGINATED[method]

    def paginate(self, *, PaginationConfig: dict[str, Any] | None = None, **request: Any) -> Pages:
        """Give the pages; PaginationConfig takes MaxItems, PageSize and StartingToken."""
        settings = dict(PaginationConfig or {})
        max_items, token = settings.pop("MaxItems", None), settings.pop("StartingToken", None)
        if self._members.limit:
            page_size = settings.pop("PageSize", None)
            if page_size is not None:
                request[self._members.limit] = int(page_size)
        if settings:
            raise TypeError(f"PaginationConfig does not take {', '.join(settings)}")
        place = _Place() if token is None else _Place.parse(token)
        left = None if max_items is None else int(max_items)
        return Pages(self._call, self._members, request, left, place)


class _Place(NamedTuple):
    """Where to go on: what the next request starts from, and how much of its page was given."""

    start: Any = None
    skip: int = 0

    def __str__(self) -> str:
        place: Item = {"skip": {"N": str(self.skip)}}
        if self.start is not None:
            place["start"] = {"M" if isinstance(self.start, dict) else "S": self.start}
        return b64encode(dumps(place)).decode()

    @classmethod
    def parse(cls, token: str) -> _Place:
        try:
            place = loads(b64decode(token, validate=True))
            (start,) = place["start"].values() if "start" in place else (None,)
            return cls(start, int(place["skip"]["N"]))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"{token!r} is not the NextToken of a paginator") from error


class Pages:
    """The pages of one call, which can be gone through again, from the first."""

    def __init__(
        self,
        call: Callable[..., dict[str, Any]],
        members: _Members,
        request: dict[str, Any],
        max_items: int | None,
        place: _Place,
    ) -> None:
        self._call, self._members, self._request = call, members, request
        self._max_items, self._place = max_items, place
        self.resume_token: str | None = None
        """The StartingToken of what MaxItems left out, once the pages were gone through."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        members, request, left = self._members, dict(self._request), self._max_items
        start, skip = self._place
        self.resume_token = None
        while True:
            if start is not None:
                request[members.token_in] = start
            answer = self._call(**request)
            found = answer.get(members.result, [])
            kept = found[skip:][:left]
            if members.result in answer:
                answer[members.result] = kept
            yield answer
            if skip + len(kept) < len(found):
                self.resume_token = str(_Place(request.get(members.token_in), skip + len(kept)))
                return
            start, skip = answer.get(members.token_out), 0
            left = None if left is None else left - len(kept)
            if not start:
                return
            if left == 0:
                self.resume_token = str(_Place(start))
                return

    def build_full_result(self) -> dict[str, Any]:
        """Give the results of all pages together, and NextToken where MaxItems left some out."""
        members, pages = self._members, list(self)
        whole: dict[str, Any] = {member: pages[0].get(member) for member in members.of_first}
        for member in members.counts:
            whole[member] = sum(page[member] for page in pages)
        if any(members.result in page for page in pages):
            whole[members.result] = [each for page in pages for each in page[members.result]]
        if self.resume_token is not None:
            whole["NextToken"] = self.resume_token
        return whole


_AWAITED: dict[str, tuple[str, Callable[[dict[str, Any]], bool]]] = {
    "table_exists": ("DescribeTable", lambda _answer: True),
    "table_not_exists": ("DescribeTable", lambda _answer: False),
    "contributor_insights_enabled": (
        "DescribeContributorInsights",
        lambda answer: answer["ContributorInsightsStatus"] == "ENABLED",
    ),
    "kinesis_streaming_destination_active": (
        "DescribeKinesisStreamingDestination",
        lambda answer: any(
            each["DestinationStatus"] == "ACTIVE"
            for each in answer["KinesisDataStreamDestinations"]
        ),
    ),
    "export_completed": ("DescribeExport", lambda _answer: True),
    "import_completed": ("DescribeImport", lambda _answer: True),
}
"""Waiter → what it asks, and whether the answer is the one it waits for."""


class Waiter:
    """Waits for a state; here that takes no time, since all is done when it is answered."""

    def __init__(self, engine: Engine, name: str) -> None:
        if name not in _AWAITED:
            raise ValueError(f"no waiter {name}; there are {', '.join(_AWAITED)}")
        self._engine = engine
        self._name = name

    def wait(self, *, WaiterConfig: dict[str, Any] | None = None, **request: Any) -> None:
        """Return if the state is as wanted; raise ``WaiterError`` at once if it will not be."""
        operation, is_reached = _AWAITED[self._name]
        try:
            answer = self._engine.call(operation, request)
        except ServiceError as error:
            is_gone = isinstance(error, ResourceNotFoundException)
            if self._name != "table_not_exists" or not is_gone:
                raise self._failed(str(error), error.response) from error
        else:
            if not is_reached(answer):
                raise self._failed("Max attempts exceeded", answer)

    def _failed(self, reason: str, answer: dict[str, Any]) -> WaiterError:
        """Word a failure as boto3 does."""
        name = "".join(part.capitalize() for part in self._name.split("_"))
        return WaiterError(f"Waiter {name} failed: {reason}", answer)
