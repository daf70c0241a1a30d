"""Items that are written back as they are read: those that are used most are upgraded first.

It is a backend between a store and its table, which looks at the answers that go by. An item that
is not as the design has it is rewritten after it was read, under the condition that it is still so;
a read never fails, nor is its answer another, whatever becomes of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from singletable.backends import Backend
from singletable.errors import SingletableError
from singletable.store.context import Context
from singletable.store.drivers import arun, run
from singletable.store.store import Store
from singletable.values import Item

from .differing import Differing
from .judging import judge
from .rewriting import rewrite

S = TypeVar("S", bound=Store)

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})


def lazily(store: S) -> S:
    """Give a store that writes back, as the design has it, what it reads and is not so yet."""
    return store.through(WritingBack(store.backend, store.context))


@dataclass(slots=True)
class WritingBack:
    """A backend that rewrites items which it has read."""

    backend: Backend
    context: Context
    rewritten: int = 0
    failed: int = 0
    """How often a rewrite did not succeed: the item stays as it is, for another time."""

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        answer = self.backend.call(operation, request)
        for found in self._found(operation, request, answer):
            try:
                self.rewritten += run(rewrite(self.context, found), self.backend)
            except SingletableError:
                self.failed += 1
        return answer

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        answer = await self.backend.acall(operation, request)
        for found in self._found(operation, request, answer):
            try:
                self.rewritten += await arun(rewrite(self.context, found), self.backend)
            except SingletableError:
                self.failed += 1
        return answer

    def close(self) -> None:
        """Close the backend."""
        self.backend.close()

    async def aclose(self) -> None:
        """Close the backend."""
        await self.backend.aclose()

    def _found(
        self, operation: str, request: dict[str, Any], answer: dict[str, Any]
    ) -> list[Differing]:
        if operation not in READS:
            return []
        table = self.context.table
        items = list(_whole(operation, request, answer, self.context))
        return judge(table, items).differing if items else []


def _whole(
    operation: str, request: dict[str, Any], answer: dict[str, Any], context: Context
) -> Iterator[Item]:
    """Give the items of an answer that are whole, not only what was asked for of them."""
    if operation == "BatchGetItem":
        name = context.table_name
        asked = request["RequestItems"].get(name, {})
        if _is_whole({"TableName": name, **asked}, context):
            yield from answer.get("Responses", {}).get(name, ())
    elif operation == "TransactGetItems":
        pairs = zip(request["TransactItems"], answer["Responses"], strict=True)
        yield from (
            got["Item"] for one, got in pairs if "Item" in got and _is_whole(one["Get"], context)
        )
    elif _is_whole(request, context):
        yield from answer.get("Items", ())
        if "Item" in answer:
            yield answer["Item"]


def _is_whole(request: dict[str, Any], context: Context) -> bool:
    """Tell whether a request asks for whole items of the store's own table."""
    if "ProjectionExpression" in request or request.get("Select", "").startswith("SPECIFIC"):
        return False
    name = request.get("IndexName")
    index = None if name is None else context.table.indexes.get(name)
    whole = name is None or (index is not None and index.projection == "ALL")
    return whole and request.get("TableName") == context.table_name
