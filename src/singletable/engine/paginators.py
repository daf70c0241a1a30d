"""Paginators and waiters with boto3's calls, so that code written for its client runs unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from singletable.errors import ResourceNotFoundException

if TYPE_CHECKING:
    from .engine import Engine

# method: (members of an answer, members of the next request)
_TOKENS = {
    "query": ("LastEvaluatedKey", "ExclusiveStartKey"),
    "scan": ("LastEvaluatedKey", "ExclusiveStartKey"),
    "list_tables": ("LastEvaluatedTableName", "ExclusiveStartTableName"),
    "list_backups": ("LastEvaluatedBackupArn", "ExclusiveStartBackupArn"),
    "list_tags_of_resource": ("NextToken", "NextToken"),
}


class Paginator:
    """Calls a method again until its answer names no next page."""

    def __init__(self, engine: Engine, method: str) -> None:
        if method not in _TOKENS:
            raise ValueError(f"{method} has no pages; these have: {', '.join(_TOKENS)}")
        self._call = getattr(engine, method)
        self._answer_member, self._request_member = _TOKENS[method]

    def paginate(
        self, *, PaginationConfig: dict[str, Any] | None = None, **request: Any
    ) -> Iterator[dict[str, Any]]:
        """Give the answers, one for each page."""
        settings = PaginationConfig or {}
        if "PageSize" in settings:
            request["Limit"] = settings["PageSize"]
        if "StartingToken" in settings:
            request[self._request_member] = settings["StartingToken"]
        while True:
            answer = self._call(**request)
            yield answer
            token = answer.get(self._answer_member)
            if not token:
                return
            request[self._request_member] = token


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
