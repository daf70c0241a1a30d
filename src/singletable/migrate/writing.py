"""Drafts into the table: content first, then guards, then items, so that nothing points at nothing.

All are plain puts of the same bytes each time, but for guards: who comes second with a unique value
is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from singletable.errors import ConditionalCheckFailedException, SingletableError
from singletable.store.batches import write_items
from singletable.store.context import Context
from singletable.store.large.contents import store_content
from singletable.store.steps import Program
from singletable.values import Item

from .items import Draft
from .transforming import Made, Reject


def write(context: Context, made: Iterable[Made]) -> Program[tuple[int, list[Reject]]]:
    """Write what rows become; give the number of items, and the rows that were refused."""
    rejects: list[Reject] = []
    items: list[Item] = []
    for one in made:
        refusal = yield from _guarded(context, one.drafts)
        if refusal is not None:
            rejects.append(Reject(one.row, str(refusal)))
            continue
        for draft in one.drafts:
            for stored, content in draft.contents.items():
                yield from store_content(context, stored, content)
            items += draft.items
    yield from write_items(context, [{"PutRequest": {"Item": item}} for item in items])
    return len(items), rejects


def _guarded(context: Context, drafts: Sequence[Draft]) -> Program[SingletableError | None]:
    """Take the unique values of a row's entities; say who has one of them, if somebody has."""
    for part in (part for draft in drafts for part in draft.guards):
        try:
            yield from context.send("PutItem", part.write.request(context.table_name))
        except ConditionalCheckFailedException as error:
            return part.failure(error.fields.get("Item"))
    return None
