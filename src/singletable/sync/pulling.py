"""Pull: what clients see, as of one moment, as a change of what they were sent before.

DynamoDB gives no snapshot of a query: between its pages, and within one, another transaction may
show in part. So the read stands between two transactional reads of the pulses, which beat with
every mutation: where they differ, it is made again. The views of a group are numbered in the order
in which they were read, since a client that has seen one must never be shown an earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.errors import ConditionFailed, StoreError
from singletable.model.conditions import F
from singletable.store.bulk import put_many
from singletable.store.reading.programs import program
from singletable.store.steps import Pause, Program
from singletable.store.writing.committing import commit
from singletable.store.writing.updating import Updating
from singletable.store.writing.whole import Putting

from .bookkeeping import (
    CHUNK_RENEWED_DAYS,
    GROUP_DAYS,
    Chunk,
    Client,
    Group,
    Pulse,
    View,
    after_days,
)
from .protocol import CLIENT_STATE_NOT_FOUND, Answer, Pull
from .rows import rows_of
from .sessions import Session
from .views import Seen, loaded, packed

QUIET_ATTEMPTS = 8
"""How often a view is read at most to find it at rest."""
ATTEMPTS = 16
DAY_S = 86_400

Beats = dict[int, int]


class Outrun(StoreError):
    """Other pulls of a client group were faster, several times: it pulls again."""


@dataclass(frozen=True, slots=True)
class Pulling:
    """One pull: who pulls, and what the client has."""

    session: Session
    request: Pull

    def run(self) -> Program[Answer]:
        """Read until what was read is of one moment, and newer than what others were sent."""
        base = yield from self._base()
        for attempt in range(1, ATTEMPTS + 1):
            group, beats = yield from self._standing()
            if group is None and self.request.cookie is not None:
                return CLIENT_STATE_NOT_FOUND
            group = group or (yield from self.session.found(self.request.client_group_id))
            seen = yield from self._seen()
            _, after = yield from self._standing()
            torn = after != beats
            if not torn or attempt >= QUIET_ATTEMPTS:
                answer = yield from self._answer(group, base, seen)
                if answer is not None:
                    if torn:
                        self.session.sync.torn(self.session.user, attempt)
                    return answer
            yield Pause(self.session.context.retries.delay(attempt))
        raise Outrun(
            f"Other pulls of the client group {self.request.client_group_id!r} were faster, at "
            f"each of {ATTEMPTS} attempts"
        )

    def _base(self) -> Program[View | None]:
        """Find what the client was sent; None where that is not known (any more)."""
        books, order = self.session.books, self.request.order
        if not order:
            return None
        read = books.view(self.request.client_group_id, order)
        view: View | None = yield from program(books.context, "first", read, None)
        return view

    def _standing(self) -> Program[tuple[Group | None, Beats]]:
        """Read the group and the pulses of its space as of one moment."""
        session = self.session
        read = session.books.standing(self.request.client_group_id, session.space)
        found: list[Group | Pulse] = yield from program(session.books.context, "all", read, None)
        groups = [one for one in found if isinstance(one, Group)]
        beats = {one.number: one.beats for one in found if isinstance(one, Pulse)}
        return session.own(groups[0] if groups else None), beats

    def _seen(self) -> Program[Seen]:
        """Read how far the clients have come, and then what they see.

        In this order: if a mutation is made in between, its effect may show early, but what a
        client is told to be done is never missing.
        """
        books = self.session.books
        read = books.clients(self.request.client_group_id)
        clients: list[Client] = yield from program(books.context, "all", read, None)
        rows = yield from rows_of(self.session)
        return Seen(rows, {one.client: one.last for one in clients})

    def _answer(self, group: Group, base: View | None, seen: Seen) -> Program[Answer | None]:
        """Tell the difference, and keep the view; None if another pull was faster."""
        old, shared = None, dict[str, int]()
        if base is not None:
            if base.chunks.keys() == seen.chunks.keys():
                return {"cookie": base.number, "lastMutationIDChanges": {}, "patch": []}
            old = yield from loaded(self.session.books, base.chunks.keys() - seen.chunks.keys())
            shared = base.chunks if old is not None else shared
        answer = seen.since(old, shared)
        number = max(group.views, self.request.order) + 1
        kept = yield from self._kept(group, number, seen, shared)
        return {"cookie": number, **answer} if kept else None

    def _kept(
        self, group: Group, number: int, seen: Seen, written: dict[str, int]
    ) -> Program[bool]:
        """Keep a view: first its chunks, then the view, as the next of the group."""
        context = self.session.books.context
        today = int(context.clock().timestamp() // DAY_S)
        fresh = [
            Chunk(digest=digest, rows=packed(part))
            for digest, part in seen.chunks.items()
            if today - written.get(digest, 0) >= CHUNK_RENEWED_DAYS
        ]
        yield from put_many(context, fresh, None)
        new = {chunk.digest for chunk in fresh}
        days = {digest: today if digest in new else written[digest] for digest in seen.chunks}
        view = View(group=group.group, number=number, chunks=days)
        counted: dict[str, Any] = {"views": number, "expires_at": after_days(GROUP_DAYS)}
        count = Updating(group, changes=counted, condition=F("views") == group.views)
        try:
            yield from commit(context, [Putting(view), count])
        except ConditionFailed:
            return False
        return True
