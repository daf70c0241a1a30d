"""Where a migration stands is told from its notes, with what has to be done in time."""

from __future__ import annotations

from singletable.backends import Backend
from singletable.migrate import Backfill, Cutover, Job, backfill, status
from singletable.migrate.bookkeeping import Books, Return
from singletable.migrate.dual.journal import Journal
from singletable.migrate.reporting import status_notes
from singletable.model.fields import now

from .sources.dynamodb.support import put
from .test_following_dynamodb import Desk, OneDesk, a_day_later, job, old
from .test_reverting import INLINE

__all__ = ["job", "old"]


def test_all_of_it_is_told(job: Job, old: Backend) -> None:
    put(old, "customers", id="new")
    backfill(Backfill(Desk, job.destination, folder=job.folder), executor=INLINE)
    with Desk.connect(job.destination) as store:
        cutover = Cutover(store, OneDesk, refresh_s=0.02)
        cutover.advance("new-50", by="ann", force=True)
        cutover.postpone("the sale")
        Journal(cutover.books, job.name, now).open("customers", ("ann",), "died")
        with cutover.paused(by="bob", max_s=5, settle_s=0):
            made = status(job)
    assert made.state == "copied"
    assert made.following is not None
    assert made.following.hours_left is not None
    assert 23.9 < made.following.hours_left <= 24
    assert (made.following.backlog, made.journal, made.way_back) == (1, 1, None)
    assert made.phase is not None
    assert (made.phase.phase, made.phase.paused_by) == ("new-50", "bob")
    assert [(one.name, one.is_done, one.looked) for one in made.backfills] == [("Desk", True, 2)]
    notes = " ".join(status_notes(made))
    for told in ("for 24.0 h more", "Phase new-50", "the sale", "bob holds", "1 rows are in the"):
        assert told in notes
    assert "Backfill of Desk" in notes


def test_for_how_long_the_way_back_is_open_is_told(job: Job, old: Backend) -> None:
    with Desk.connect(job.destination) as store:
        cutover = Cutover(store, OneDesk, refresh_s=0.02)
        cutover.advance("done", by="ann", force=True)
        begun = cutover.books.run_of(job.name).one()
        noted = Return(name=job.name, number=0, position=str(begun.position), rows=7)
        Books.beside(store).put(noted)
        made = status(job)
    assert made.way_back is not None
    assert (made.way_back.rows, round(made.way_back.hours_left or 0)) == (7, 24)
    assert "The way back is open for 24.0 h more; 7 rows written back." in status_notes(made)


def test_changes_that_are_lost_are_told(job: Job, old: Backend) -> None:
    a_day_later(job)
    made = status(job)
    assert made.following is not None
    assert made.following.hours_left == 0
    [note] = status_notes(made)
    assert note.startswith("Changes are lost: The changes since ")
    assert "Verify with repair" in note
    with Desk.connect(job.destination) as store:
        Cutover(store, OneDesk, refresh_s=0.02).advance("done", by="ann", force=True)
    [note] = status_notes(status(job))
    assert note.startswith("Phase done"), "what nobody can mend any more is not asked for"
