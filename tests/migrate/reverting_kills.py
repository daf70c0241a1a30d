"""Reverts a migration, and is killed on the way, again and again, until it gets through."""

from __future__ import annotations

import sys
from datetime import timedelta
from functools import partial
from itertools import accumulate, count
from pathlib import Path

from apps.campaigns.design import Campaign, Campaigns, Session, Summary
from apps.campaigns.migration import LeavePostgres
from singletable import NotFound
from singletable.migrate import Cutover, Job, revert, verify
from singletable.model.fields import now

from .kills import in_child, kill_before

MAX_S = 60.0


def main(folder: Path) -> None:
    """Print how often it was killed."""
    job = Job(
        migration=LeavePostgres,
        source=f"sqlite:///{folder / 'old.db'}",
        destination=str(folder / "new.db"),
        folder=folder / "work",
    )
    for kills, step in enumerate(accumulate(count(3))):
        in_child(partial(_write, job, kills))
        if in_child(partial(_revert, job, step)):
            break
        if _is_switched(job):  # killed when all was done: to revert again says so
            in_child(partial(_revert, job, sys.maxsize))
            break
    in_child(partial(_check, job, kills))
    print(kills)  # noqa: T201 - it is what the test reads


def _write(job: Job, number: int) -> None:
    """Write to the new side, which is the right one as long as the revert is not through."""
    with Campaigns.connect(job.destination) as store:
        later = Campaigns(store.backend, clock=lambda: now() + timedelta(hours=1))
        ended = Cutover(later, job.name).wait_to_write()  # and end what a killed one holds
        assert not ended.writes_old
        ids = {"user_id": "u1", "campaign_id": "c1", "session_id": f"new{number}"}
        store.create(Session.model_validate({**ids, "name": f"Since {number}"}))
        store.put(Summary.model_validate({**ids, "audience": "GM", "content": str(number)}))
        store.update(Campaign.key(user_id="u1", campaign_id="c1"), name=f"Since {number}")
        if number > 1:
            gone = {**ids, "session_id": f"new{number - 2}"}
            try:
                store.delete(Session.key(**gone))
                store.delete(Summary.key(**gone, audience="GM"))
            except NotFound:
                raise AssertionError from None


def _revert(job: Job, step: int) -> None:
    kill_before(step)
    assert revert(job, by="ann", max_s=MAX_S, settle_s=0).is_reverted


def _is_switched(job: Job) -> bool:
    with Campaigns.connect(job.destination) as store:
        return Cutover(store, job.name).phase != "done"


def _check(job: Job, last: int) -> None:
    with job.opened() as sides:
        wanted = [(f"new{number}",) for number in range(last + 1)]
        there = [row and row.id for row in sides.source.fetch("sessions", wanted)]
        assert there == [one if n >= last - 1 else None for n, one in enumerate(wanted)]
        [campaign] = sides.source.fetch("campaigns", [("c1",)])
        assert campaign is not None
        assert campaign["name"] == f"Since {last}"
        moves = [move.after for move in sides.books.moves(job.name)]
        assert moves == ["new-100", "done", "new-100"], moves
    assert verify(job, settle_s=0).agrees


if __name__ == "__main__":
    main(Path(sys.argv[1]))
