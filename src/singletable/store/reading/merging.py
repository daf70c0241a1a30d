"""One page of a plan: of one partition, of shards merged in order, of buckets one after another.

Shards are read side by side and merged by sort key. A page ends where it is full, or where a shard
that has more has given all it read: what comes next might be in what was not read yet; or after a
stated number of buckets. A cursor has a position for each shard of one bucket, those before it
being done, so no item comes twice, none is left out, and a long span makes no long cursor.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

from singletable.errors import ValidationException
from singletable.store.context import Context
from singletable.store.steps import Program, Together
from singletable.values import Item, key_bytes

from .cursors import WHOLE, Position, beside, binding, refusal
from .plans import GROUPS_MAX, Plan, Request

BEGIN = Position({})
Positions = dict[str, Item | None] | None


class Batch(NamedTuple):
    """The items of one page, and the cursor of the next."""

    items: list[Item]
    cursor: str | None


@dataclass(slots=True)
class Shard:
    """What one partition gave for a page, and how much of it was taken."""

    part: str
    partition: Item
    waiting: deque[Item]
    last_read: Item | None
    taken: Item | None

    @property
    def is_dry(self) -> bool:
        """Tell whether all that was read is taken, and there is more to read."""
        return not self.waiting and self.last_read is not None

    def record(self, keys: dict[str, Item | None], attributes: tuple[str, ...]) -> None:
        """Note where to go on: behind the last item taken, None at the end, else as before."""
        if not self.waiting:
            last = self.last_read
            keys[self.part] = None if last is None else beside(last, self.partition)
        elif self.taken is not None:
            key = {name: self.taken[name] for name in attributes}
            keys[self.part] = beside(key, self.partition)


def merged_page(context: Context, plan: Plan, after: str | None) -> Program[Batch]:
    """Read one page."""
    identity = plan.identity()
    bound, position = None, BEGIN
    if after is not None:
        bound = binding(plan.pattern or "", identity)
        position = context.cursors.open(after, bound)
    if plan.is_single:
        items, keys = yield from _single(context, plan, identity, position)
    else:
        items, keys = yield from _several(context, plan, position)
    if keys is None:
        return Batch(items, None)
    bound = bound or binding(plan.pattern or "", identity)
    return Batch(items, context.cursors.seal(Position(keys), bound))


def _single(
    context: Context, plan: Plan, request: Request, position: Position
) -> Program[tuple[list[Item], Positions]]:
    partition = plan.groups[0][0]
    start = position.start_key(partition)
    if start is not None:
        request = {**request, "ExclusiveStartKey": start}
    answer = yield from resumed(context, plan.operation, request, plan.pattern)
    last = answer.get("LastEvaluatedKey")
    return answer["Items"], None if last is None else {WHOLE: beside(last, partition)}


def _several(
    context: Context, plan: Plan, position: Position
) -> Program[tuple[list[Item], Positions]]:
    items: list[Item] = []
    keys: Positions = None
    groups = _numbered(plan)
    begin = _begin(groups, position)
    for group in groups[begin : begin + GROUPS_MAX]:
        keys = {part: position.keys[part] for part, _ in group if part in position.keys}
        left = [(part, partition) for part, partition in group if not position.done(part)]
        room = None if plan.page_size is None else plan.page_size - len(items)
        shards = yield Together(
            tuple(_shard(context, plan, part, partition, position) for part, partition in left)
        )
        items += _merged(shards, plan, room)
        for shard in shards:
            shard.record(keys, plan.key_attributes)
        if any(shard.waiting or shard.last_read is not None for shard in shards):
            return items, keys
        if group is groups[-1]:
            return items, None
        if room is not None and len(items) == plan.page_size:
            return items, keys
    return items, keys


def resumed(
    context: Context, operation: str, request: Request, pattern: str | None
) -> Program[dict[str, Any]]:
    """Send the request of a page; one that is refused for where it begins has a forged cursor."""
    sent = context.send(operation, request, pattern)
    return _explained(sent) if "ExclusiveStartKey" in request else sent


def _explained(sent: Program[dict[str, Any]]) -> Program[dict[str, Any]]:
    try:
        return (yield from sent)
    except ValidationException as error:
        raise refusal() from error


def _begin(groups: list[list[tuple[str, Item]]], position: Position) -> int:
    """Find the group in which a page begins: where the last one ended, or the one behind."""
    for at, group in enumerate(groups):
        if any(part in position.keys for part, _ in group):
            return at + all(position.done(part) for part, _ in group)
    return 0


def _numbered(plan: Plan) -> list[list[tuple[str, Item]]]:
    """Give each partition the name that it has in cursors."""
    numbers = iter(range(sum(map(len, plan.groups))))
    return [[(str(next(numbers)), partition) for partition in group] for group in plan.groups]


def _shard(
    context: Context, plan: Plan, part: str, partition: Item, position: Position
) -> Program[Shard]:
    request = plan.request(partition, position.start_key(partition, part))
    answer = yield from resumed(context, plan.operation, request, plan.pattern)
    waiting = deque(answer["Items"])
    return Shard(part, partition, waiting, answer.get("LastEvaluatedKey"), None)


def _merged(shards: list[Shard], plan: Plan, room: int | None) -> Iterator[Item]:
    """Take items from the shards in order, as far as what was read tells it."""
    if any(shard.is_dry for shard in shards):
        return
    waiting = [[(shard, item) for item in shard.waiting] for shard in shards]
    in_order = merge(*waiting, key=partial(_order, plan.keys.index.sk), reverse=not plan.forward)
    for shard, item in islice(in_order, room):
        shard.taken = shard.waiting.popleft()
        yield item
        if shard.is_dry:
            return


def _order(names: tuple[str, ...], found: tuple[Shard, Item]) -> tuple[bytes, ...]:
    return tuple([key_bytes(found[1][name]) for name in names])
