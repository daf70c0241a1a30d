"""Extremes that were found by a query, looked at again.

Between the query and the write another item may have come whose own change found nothing to do, as
the old value still stood. So whoever writes what a query found looks again, until that is what
stands there. Nothing here depends on which changes there were: to do it twice does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from singletable.errors import (
    ConditionalCheckFailedException,
    Throttled,
    TransactionCanceledException,
)
from singletable.model.fields import now
from singletable.store.store import Store
from singletable.store.writing.checking import checked
from singletable.store.writing.stored import kin_of, read_as
from singletable.store.writing.writes import Write
from singletable.streams.once import Action

from .extremes import Extreme, Owner
from .planning import read_items
from .targets import Target

ATTEMPTS = 20
REFUSED = (ConditionalCheckFailedException, TransactionCanceledException)


def settle(store: Store, extreme: Extreme, owner: Owner) -> None:
    """Have an extreme be what the items that are there say."""
    wrote: Any = None
    for _ in range(ATTEMPTS):
        target = Target(extreme.schema, owner, now())
        [item] = read_items(store, [extreme.schema.item_key(owner)]).values()
        item = target.living(item)
        if item is None:
            return
        schema = kin_of(extreme.schema, item)
        stands = read_as(schema, item).__dict__[extreme.field]
        found = extreme.found(store, owner)
        is_better, is_worse = extreme.better(found, stands), extreme.better(stands, found)
        # Through an index that is behind, something better may be missed; not what was found there.
        if not is_better and not (is_worse and (extreme.is_sure or stands == wrote)):
            return
        wrote = checked(schema, extreme.field, found)
        if not written(store, target.set(item, {extreme.field: wrote})):
            wrote = None
    raise Throttled(
        f"{extreme.schema.name}.{extreme.field} changes faster than it can be looked for: "
        f"{ATTEMPTS} times in a row"
    )


def written(store: Store, writes: Iterable[Write]) -> bool:
    """Send writes that belong together; False if what they were planned from is no longer so."""
    return sent(store, [{write.kind: write.request(store.table_name)} for write in writes])


def sent(store: Store, actions: Sequence[Action]) -> bool:
    """Send actions, one alone or several in a transaction; False if their conditions fail."""
    try:
        if len(actions) == 1:
            [(kind, request)] = actions[0].items()
            store.send(f"{kind}Item", request)
        elif actions:
            request = {"TransactItems": actions, "ClientRequestToken": uuid4().hex}
            store.send("TransactWriteItems", request)
    except REFUSED:
        return False
    return True
