"""Drafts into the table: content first, then guards, then items, so that nothing points at nothing.

All are plain puts of the same bytes each time, but for guards: who comes second with a unique value
is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from singletable.errors import ConditionalCheckFailedException, SingletableError
from singletable.model.large import Stored
from singletable.store.batches import write_items
from singletable.store.context import Context
from singletable.store.large.contents import store_content
from singletable.store.steps import Program
from singletable.values import Item

from .items import Draft
from .transforming import Made, Reject


def write(
    context: Context, made: Iterable[Made], there: Collection[Stored] = ()
) -> Program[tuple[int, list[Reject]]]:
    """Write what rows become; give the number of items, and the rows that were refused.

    Of two that make the same item, the last one's stays. Content that is ``there`` already is not
    stored again.
    """
    rejects: list[Reject] = []
    items: list[Item] = []
    keys: set[tuple[str, ...]] = set()
    count = 0
    for one in made:
        refusal = yield from _guarded(context, one.drafts)
        if refusal is not None:
            rejects.append(Reject(one.row, str(refusal)))
            continue
        for draft in one.drafts:
            for stored, content in draft.contents.items():
                if stored not in there:
                    yield from store_content(context, stored, content)
            items += draft.items
            keys.add(draft.key)
            count += 1
    puts = [{"PutRequest": {"Item": item}} for item in items]
    yield from write_items(context, puts, distinct=len(keys) == count)
    return len(items), rejects


def is_sure(made: Made) -> bool:
    """Tell whether a row cannot be refused any more, as it has no unique value."""
    return not any(draft.guards for draft in made.drafts)


def is_plain(made: Made) -> bool:
    """Tell whether a row is sure, and nothing of it but the items goes into the table."""
    contents = (draft.contents for draft in made.drafts if draft.contents)
    return is_sure(made) and all(stored.path is not None for some in contents for stored in some)


def objects_of(made: Iterable[Made]) -> Iterator[tuple[Stored, str | bytes]]:
    """Give the content that goes to the object store whatever becomes of its row.

    That of a row which may still be refused, for a unique value, has to wait.
    """
    for one in made:
        if is_sure(one):
            for draft in one.drafts:
                for stored, content in draft.contents.items():
                    if stored.path is not None:
                        yield stored, content


def _guarded(context: Context, drafts: Sequence[Draft]) -> Program[SingletableError | None]:
    """Take the unique values of a row's entities; say who has one of them, if somebody has."""
    for part in (part for draft in drafts for part in draft.guards):
        try:
            yield from context.send("PutItem", part.write.request(context.table_name))
        except ConditionalCheckFailedException as error:
            return part.failure(error.fields.get("Item"))
    return None
