"""What writers to both sides left undone, brought to the new side.

Whoever left a row in the journal may have put it already, and nothing that follows from it: the
counts that it changes, and the rows that were refused because of what it had.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from singletable.errors import Unreachable
from singletable.migrate.bookkeeping import Intent, Run
from singletable.migrate.counting import Recounter
from singletable.migrate.running import Sides
from singletable.migrate.transforming import Made, Reject, drafts_of
from singletable.migrate.wanting import Wants
from singletable.store.writing.writes import identity

from .desk import Desk
from .journal import dumped, loaded, row_of

PATIENCE_S = 60.0
"""How long a write may take: what is older was left by a writer that died, or failed."""

SETTLER = "settling"

logger = logging.getLogger("singletable.migrate")


def settle_journal(sides: Sides, begun: Run, *, older_s: float = PATIENCE_S) -> int:
    """Bring to the new side what writers have left undone for so long; count what is left.

    While writes are held, ``older_s=0`` settles everything. One that cannot be is told in the log.
    """
    return sum(1 for _ in unsettled(sides, begun, older_s=older_s))


def unsettled(sides: Sides, begun: Run, *, older_s: float) -> Iterator[str]:
    """Settle the journal as ``settle_journal``; name what is left, and why that is where it failed.

    An entry that fails is left, and does not keep others from being settled.
    """
    desk = Desk.of(sides, begun)
    settler = _Settler(desk, Wants(sides.books, begun.name), Recounter(sides.store))
    limit = desk.journal.clock() - timedelta(seconds=older_s)
    for intent in desk.journal.entries():
        name = f"{intent.kind} {intent.row_id}"
        try:
            if intent.since > limit or not settler.settled(intent):
                yield f"{name}: a writer is at it"
        except Unreachable:
            raise  # it is not the entry's fault
        except Exception as error:
            logger.warning("%s of the journal cannot be settled", name, exc_info=True)
            yield f"{name}: {error}"


@dataclass(frozen=True, slots=True)
class _Settler:
    """Settles entries of the journal."""

    desk: Desk
    wants: Wants
    counts: Recounter

    def settled(self, intent: Intent) -> bool:
        """Settle an entry; tell whether it is gone then, and nobody has come to it meanwhile."""
        before = list(self.desk.entities(intent.made))
        result, after = self.desk.bring(intent, SETTLER)
        if not self.desk.sides.migration.in_place:  # there, others keep counts while they write
            self.counts.owe([*before, *(draft.entity for draft in drafts_of(result))])
        is_counted = self.counts.recount()
        self._bring_waiting(after, result)
        is_alone = after.writers <= {*intent.writers, SETTLER}
        return is_counted and is_alone and self.desk.journal.forget(after)

    def _bring_waiting(self, intent: Intent, result: Made | Reject | None) -> None:
        """Bring rows that were refused because of what this one had, and has no more."""
        freed = intent.made - {dumped(key) for key in self.desk.keys(result)}
        wants = (one for key in sorted(freed) for one in self.wants.of(identity(loaded(key))))
        rows = {(want.kind, tuple(want.id)) for want in wants} - {(intent.kind, row_of(intent))}
        writer, journal = uuid4().hex, self.desk.journal
        for kind, row in rows:
            _, after = self.desk.bring(journal.open(kind, row, writer), writer)
            journal.close(after, writer)
