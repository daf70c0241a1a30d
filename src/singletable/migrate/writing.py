"""Drafts into the table: guards first, then content, then items, so that nothing points at nothing.

All are plain puts of the same bytes each time, but for guards: who comes second with a unique value
is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from uuid import uuid4

from singletable.errors import SingletableError
from singletable.model.large import Stored
from singletable.store.batches import chunks, write_items
from singletable.store.context import Context
from singletable.store.large.contents import store_content
from singletable.store.steps import Program
from singletable.store.writing.committing import REFUSALS, transaction_of
from singletable.store.writing.failures import judged
from singletable.store.writing.joining import WRITES_MAX
from singletable.store.writing.writes import Identity, Part, identity
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
    """Take the unique values of a row's entities, all or none; say who has one, if somebody has."""
    parts: dict[Identity, Part] = {}
    for part in (part for draft in drafts for part in draft.guards):
        first = parts.setdefault(identity(part.write.key), part)
        if part.cause != first.cause:
            return part.failure(first.write.key)
    try:
        for some in chunks(parts.values(), WRITES_MAX):
            yield from _taken(context, some)
    except REFUSALS as error:
        refused = judged(error, some).errors
        if not refused:
            raise
        return refused[0][1]
    return None


def _taken(context: Context, parts: Sequence[Part]) -> Program[None]:
    if len(parts) == 1:
        yield from context.send("PutItem", parts[0].write.request(context.table_name))
    else:
        request = transaction_of(context, parts, uuid4().hex)
        yield from context.send("TransactWriteItems", request)
