"""Follows and is outrun before a step by another, and killed some steps later: every way once.

The other changes the same rows and brings them to the table, by following or as a writer to both
sides. Whatever the killed one has put over that, who follows next makes good.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from functools import partial
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from singletable.backends.address import connect
from singletable.migrate import Cutover, DualWrites, Job, follow, following, underway, verify
from singletable.streams.aggregates import verify as drifts

from .kills import do_before, in_child, kill_before
from .sources.dynamodb.support import put
from .test_units import People, ToPeople, job_in

LATER = (1, 2, 3, 5, 8)
"""So many steps after it was outrun it is killed."""


def main(folder: Path, every: int) -> None:
    """Outrun one before every so-manieth step; print how often it was killed."""
    job, kills = job_in(folder), 0
    for step in count(1, every):
        killed = [_killed(job, step, later) for later in LATER]
        kills += sum(killed)
        if not any(killed):
            break
    print(kills)  # noqa: T201 - it is what the test reads


def _killed(job: Job, step: int, later: int) -> bool:
    """Change rows, and follow, outrun and killed; then see that all is good after the next."""
    name = f"{step}-{later}"
    in_child(partial(_change, job, name))
    mine, others = Pipe()
    rival = os.fork()
    if not rival:
        mine.close()
        in_child(partial(_outrun, job, name, others))
        os._exit(0)
    others.close()
    lived = in_child(partial(_follow, step, later, job, mine))
    mine.close()
    _, status = os.waitpid(rival, 0)
    assert status == 0
    in_child(partial(_check, job))
    return not lived


def _change(job: Job, name: str) -> None:
    with closing(connect(_old(job))) as old:
        put(old, "people", id="ann", email=f"first-{name}@x")
        put(old, "orders", id=f"ann-{name}", name="ann")
        put(old, "orders", id=f"new-{name}", name=f"new-{name}")


def _outrun(job: Job, name: str, told: Connection) -> None:
    """Wait to be told, and be faster; or hear that the other has come to its end before that."""
    try:
        told.recv()
    except EOFError:
        return
    with (
        closing(connect(_old(job))) as old,
        People.connect(job.destination) as store,
        DualWrites(job, Cutover(store, ToPeople)) as dual,
    ):
        with dual.writing("people", f"new-{name}"):
            put(old, "people", id=f"new-{name}")
        if len(name) % 2:
            with dual.writing("people", "ann"):
                put(old, "people", id="ann", email=f"second-{name}@x")
        else:
            put(old, "people", id="ann", email=f"second-{name}@x")
            follow(job)
    told.send("done")


def _follow(step: int, later: int, job: Job, rival: Connection) -> None:
    following.CHANGES = 1  # one at a time, so that nobody waits for the file

    def outrun() -> None:
        rival.send("go")
        rival.recv()
        kill_before(later)

    do_before(step, outrun)
    follow(job)


def _check(job: Job) -> None:
    underway.PATIENCE_S = 0  # nobody else is at work
    follow(job)
    checked = verify(job, settle_s=0)
    assert checked.agrees, list(map(str, checked.differences))
    with People.connect(job.destination) as store:
        wrong = drifts(store, settled=True)
        assert not wrong, list(map(str, wrong))


def _old(job: Job) -> str:
    return job.source.removeprefix("dynamodb:").partition("?")[0]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
