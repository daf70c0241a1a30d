"""Repair: the table is made to be as the source is, where a verification found that it is not.

A change that comes meanwhile may be put by another before it is undone here: whoever follows does
it again, if this dies. One that died before may have left wrong counts.
"""

from __future__ import annotations

from singletable.migrate.guarding import Guard
from singletable.migrate.phases import Cutover
from singletable.migrate.settling import settle
from singletable.migrate.underway import Underway

from .looking import Look
from .mending import Mender
from .results import Counts, Repaired
from .verifier import Verifier


class Repair:
    """Puts right what a verifier has found."""

    def __init__(self, verifier: Verifier, underway: Underway) -> None:
        self._verifier = verifier
        self._underway = underway
        self._guard = Guard(Cutover(verifier.sides.store, verifier.task.begun.name))

    def repair(self, anew: str | None) -> Repaired:
        """Repair what differs, and make counts true; ``anew`` is where lost changes begin again."""
        verifier, others = self._verifier, self._underway.others()
        count, repaired = verifier.findings.count, Repaired(0, 0)
        if count:
            begun = verifier.sides.books.run_of(verifier.task.begun.name).one()
            self._underway.begin(anew or begun.applied or begun.position or "")
            left = self._mend()
            repaired = Repaired(max(0, count - left), left)
        self._unlist_gone()
        if (count or others) and not verifier.task.job.migration.in_place:
            settle(verifier.sides.store, wait_s=verifier.interval.settle_s)
        if not repaired.left:
            self._underway.end()
        return repaired

    def _unlist_gone(self) -> None:
        """Take from the rejects what is not there to be refused any more."""
        verifier = self._verifier
        books, name = verifier.sides.books, verifier.task.begun.name
        for kind in verifier.sides.migration.kinds:
            for one in books.rejected(name, kind):
                if verifier.scratch.is_gone(one.row_id):
                    books.delete(one)

    def _mend(self) -> int:
        """Mend all that differs; count what still does."""
        verifier = self._verifier
        verifier.tell("repairing")
        mender = Mender(verifier.task, verifier.sides, verifier.looker)
        gone = [mender.delete(page) for page in verifier.leftovers.pages()]
        for page in gone:
            verifier.scratch.forget(page)
        for state in ("stands", "refused"):  # what rows were refused for may be free now
            for doubts in verifier.doubts(state):
                for look in verifier.looker.look(doubts):
                    self._mend_row(mender, look)
            verifier.scratch.turn(state, "waiting")
        left: list[int] = []
        verifier.settle_rows(lambda look: left.append(len(look.differences)), Counts())
        return sum(left) + sum(map(len, verifier.leftovers.pages()))

    def _mend_row(self, mender: Mender, look: Look) -> None:
        if not look.differences:
            return
        if self._guard.wait():
            self._underway.tell()  # who held the writes may have done this again
        else:
            self._underway.go_on()
        mender.mend(look)
