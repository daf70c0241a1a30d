"""Reads and writes of many items: cut to the service's limits, sent again until all is done.

The service may leave a part of a batch undone, and says which part. That goes out again after a
pause that grows. Order is kept: of what is read, in the answer; of what is written, in the sending.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from singletable.errors import Throttled, UsageError
from singletable.values import Item, key_bytes

from .context import Context
from .steps import Pause, Program

T = TypeVar("T")

KEYS_MAX = 100
"""How many items one request can read by their keys, in a batch or in a transaction."""
WRITES_MAX = 25

Progress = Callable[[int, int], None]
"""Is told how many items are done, and how many there are."""


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut items into lists of a size; the last may be shorter."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def get_items(
    context: Context, keys: Sequence[Item], *, consistent: bool = False, pattern: str | None = None
) -> Program[list[Item | None]]:
    """Read items by their keys, in their order; None for one that is not there."""
    found: dict[Any, Item] = {}
    for request in get_requests(context, keys, consistent=consistent):
        items = yield from _got(context, request, pattern)
        found |= {_identity({name: item[name] for name in keys[0]}): item for item in items}
    return [found.get(_identity(key)) for key in keys]


def get_requests(
    context: Context, keys: Sequence[Item], *, consistent: bool = False
) -> Iterator[dict[str, Any]]:
    """Give the requests that read items by their keys, each of which is asked for once."""
    options = {"ConsistentRead": True} if consistent else {}
    for chunk in chunks(_distinct(keys).values(), KEYS_MAX):
        yield {"RequestItems": {context.table_name: {"Keys": chunk, **options}}}


def get_at_once(
    context: Context, keys: Sequence[Item], pattern: str | None = None
) -> Program[list[Item | None]]:
    """Read items by their keys as they are at one moment, in their order."""
    found: dict[Any, Item | None] = {}
    for request in snapshot_requests(context, keys):
        answer = yield from context.send("TransactGetItems", request, pattern)
        items = [one.get("Item") for one in answer["Responses"]]
        found = dict(zip(_distinct(keys), items, strict=True))
    return [found.get(_identity(key)) for key in keys]


def snapshot_requests(context: Context, keys: Sequence[Item]) -> Iterator[dict[str, Any]]:
    """Give the one request that reads items at one moment; none where there are no keys."""
    distinct = _distinct(keys).values()
    if len(distinct) > KEYS_MAX:
        raise UsageError(
            f"A snapshot is of at most {KEYS_MAX} items, not of {len(distinct)}: read fewer, or "
            "leave out snapshot(), if they need not be of one moment"
        )
    if distinct:
        table = context.table_name
        yield {"TransactItems": [{"Get": {"TableName": table, "Key": key}} for key in distinct]}


def _distinct(keys: Sequence[Item]) -> dict[tuple[bytes, ...], Item]:
    return {_identity(key): key for key in keys}


def _identity(key: Item) -> tuple[bytes, ...]:
    return tuple(key_bytes(key[name]) for name in sorted(key))


def _got(context: Context, request: dict[str, Any], pattern: str | None) -> Program[list[Item]]:
    items: list[Item] = []
    attempt = 0
    while True:
        answer = yield from context.send("BatchGetItem", request, pattern)
        got = answer.get("Responses", {}).get(context.table_name, [])
        items += got
        wanted = answer.get("UnprocessedKeys")
        if not wanted:
            return items
        request = {"RequestItems": wanted}
        attempt = 0 if got else attempt + 1
        yield from _breathe(context, attempt, "keys")


def write_items(
    context: Context,
    writes: Sequence[dict[str, Any]],
    progress: Progress | None = None,
    *,
    distinct: bool = False,
) -> Program[None]:
    """Put and delete items in their order; one that is written twice is left as the last write.

    ``distinct`` says that none is, and saves to look.
    """
    settled = writes if distinct else _settled(writes, context)
    done = 0
    for chunk in chunks(settled, WRITES_MAX):
        yield from _write_chunk(context, chunk)
        done += len(chunk)
        if progress is not None:
            progress(done, len(settled))


def _settled(writes: Sequence[dict[str, Any]], context: Context) -> list[dict[str, Any]]:
    """Keep the last write of each item: a batch may name an item once."""
    names = context.table.primary.attributes
    last: dict[Any, dict[str, Any]] = {}
    for write in writes:
        (content,) = write.values()
        item = content.get("Item") or content["Key"]
        identity = _identity({name: item[name] for name in names})
        last.pop(identity, None)
        last[identity] = write
    return list(last.values())


def _write_chunk(context: Context, writes: list[dict[str, Any]]) -> Program[None]:
    wanted: dict[str, Any] = {context.table_name: writes}
    attempt = 0
    while wanted:
        before = len(wanted[context.table_name])
        answer = yield from context.send("BatchWriteItem", {"RequestItems": wanted})
        wanted = answer.get("UnprocessedItems") or {}
        if wanted:
            attempt = 0 if len(wanted[context.table_name]) < before else attempt + 1
            yield from _breathe(context, attempt, "writes")


def _breathe(context: Context, attempt: int, what: str) -> Program[None]:
    """Wait before the rest of a batch goes out; give up after many times without progress."""
    if attempt >= context.retries.attempts:
        raise Throttled(f"The service left {what} of a batch undone {attempt} times in a row")
    yield Pause(context.retries.delay(attempt + 1))
