"""Paginators and waiters with boto3's calls, so that code written for its client runs unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from singletable.errors import ResourceNotFoundException

if TYPE_CHECKING:
    from .engine import Engine


class _Members(NamedTuple):
    """Names what a paginated operation's requests and answers call things."""

    token_in: str
    token_out: str
    result: str
    limit: str | None = "Limit"


_PAGINATED = {
    "query": _Members("ExclusiveStartKey", "LastEvaluatedKey", "Items"),
    "scan": _Members("ExclusiveStartKey", "LastEvaluatedKey", "Items"),
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
        max_items, page_size = settings.pop("MaxItems", None), settings.pop("PageSize", None)
        token = settings.pop("StartingToken", None)
        if settings:
            raise TypeError(f"PaginationConfig does not take {', '.join(settings)}")
        if page_size is not None and self._members.limit:
            request[self._members.limit] = page_size
        if token is not None:
            request[self._members.token_in] = token
        return Pages(self._call, self._members, request, max_items)


@dataclass(frozen=True)
class Pages:
    """Is what a paginator goes through, each time from the start."""

    _call: Callable[..., dict[str, Any]]
    _members: _Members
    _request: dict[str, Any]
    _max_items: int | None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        request, left = dict(self._request), self._max_items
        while True:
            answer = self._call(**request)
            if left is not None:
                answer[self._members.result] = answer.get(self._members.result, [])[:left]
                left -= len(answer[self._members.result])
            yield answer
            token = answer.get(self._members.token_out)
            if not token or left == 0:
                return
            request[self._members.token_in] = token

    def build_full_result(self) -> dict[str, Any]:
        """Give the results of all pages together."""
        member = self._members.result
        return {member: [each for page in self for each in page.get(member, ())]}


class Waiter:
    """Waits for a table; here that takes no time, since tables come and go at once."""

    def __init__(self, engine: Engine, name: str) -> None:
        if name not in ("table_exists", "table_not_exists"):
            raise ValueError(f"no waiter {name}; there are table_exists and table_not_exists")
        self._engine = engine
        self._present = name == "table_exists"

    def wait(self, *, TableName: str, WaiterConfig: dict[str, Any] | None = None) -> None:
        """Return once the table is as wanted; raise at once if it will not be."""
        try:
            self._engine.call("DescribeTable", {"TableName": TableName})
        except ResourceNotFoundException:
            if self._present:
                raise
        else:
            if not self._present:
                raise TimeoutError(f"table {TableName} exists")
