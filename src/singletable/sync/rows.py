"""The rows of a view: all that its reads find, as clients know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singletable.errors import StoreError, UsageError
from singletable.model.reads import Collection, Get, Query
from singletable.store.context import Context
from singletable.store.reading.collecting import collected
from singletable.store.reading.programs import program
from singletable.store.steps import Program, Together

if TYPE_CHECKING:
    from .sessions import Session


class ViewTooLarge(StoreError):
    """A view has more rows than a pull may read."""


def rows_of(session: Session) -> Program[dict[str, Any]]:
    """Read what a user's clients see, by the key that they know it by."""
    sync = session.sync
    reads = [_program(session.context, read, sync.rows_max) for read in sync.view(session.user)]
    answers = (yield Together(tuple(reads))) if reads else []
    found = [entity for answer in answers for entity in answer]
    if len(found) > sync.rows_max:
        raise ViewTooLarge(
            f"{type(sync).__name__}.view({session.user!r}) has more than {sync.rows_max} rows: "
            "narrow it, or raise rows_max"
        )
    shown = ((entity, sync.value(entity, session.user)) for entity in found)
    return {sync.key(one, session.user): value for one, value in shown if value is not None}


def _program(context: Context, read: Any, most: int) -> Program[list[Any]]:
    if isinstance(read, Collection) and read.page_size is None:
        return collected(context, read.strong(), most)
    if not isinstance(read, Query | Get) or read.shape or getattr(read, "fetches", None):
        raise UsageError(
            f"A view is made of queries, gets and collections of whole entities, not of {read!r}"
        )
    if isinstance(read, Get):
        return _got(context, read)
    bounded = read if read.most else read.limit(most + 1)
    return program(context, "all", bounded.strong(), None)


def _got(context: Context, read: Get[Any]) -> Program[list[Any]]:
    found = yield from program(context, "first", read.strong(), None)
    return [] if found is None else [found]
