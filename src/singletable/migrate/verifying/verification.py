"""A verification from its beginning to its end, and what is noted of its repair."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from singletable.errors import UsageError
from singletable.migrate.bookkeeping import Run
from singletable.migrate.owning import NO_FILE
from singletable.migrate.renewing import begun_anew
from singletable.migrate.running import Job, Sides
from singletable.migrate.underway import Underway

from .findings import Findings
from .reading import Task
from .repairing import Repair
from .results import Verification
from .scratch import Scratch, remove
from .verifier import Show, Verifier
from .waiting import Interval

SETTLE_S = 1.0
PATIENCE_S = 60.0


def verify(
    job: Job,
    *,
    repair: bool = False,
    content: bool = False,
    workers: int = 1,
    settle_s: float = SETTLE_S,
    patience_s: float = PATIENCE_S,
    show: Show | None = None,
) -> Verification:
    """Compare the source with the table, both ways; writes may go on.

    With ``repair`` the table is made to be as the source is. ``content`` loads all large content,
    which is otherwise known by its checksum. Between two looks at what differs it waits for
    ``settle_s``, and where changes are followed until those were applied, up to ``patience_s``.
    Where changes were lost, and nothing is left to repair, they are followed anew from its
    beginning on.
    """
    job.folder.mkdir(parents=True, exist_ok=True)
    path = job.folder / f"{job.name}.verify"
    with job.opened() as sides, closing(Scratch.new(path)) as scratch:
        begun, is_done = _begun(job, sides), _is_done(job, sides, repair=repair)
        anew = begun_anew(sides, begun) if repair else None
        task = Task(job, begun, path, content, is_done)
        underway = Underway(sides.books, job.name, sides.store.context.clock)
        left = underway.left()
        interval = Interval(sides, job.name, settle_s, patience_s)
        findings = Findings(job.folder / f"{job.name}.differences.jsonl")
        with closing(findings):
            verifier = Verifier(task, sides, scratch, interval, findings, workers, show)
            verifier.check()
            repaired = Repair(verifier, underway).repair(anew) if repair else None
        result = verifier.result(repaired)
        if repair and result.agrees:  # what others died over is made good
            for one in left:
                underway.forget(one)
        if anew is not None and result.agrees:
            # What the lost changes told was never heard by the file of owners either.
            sides.books.update(begun, position=anew, applied=None, owners=NO_FILE)
            result = replace(result, followed_anew=True)
    remove(path)
    return result


def _begun(job: Job, sides: Sides) -> Run:
    begun = sides.books.run_of(job.name).first()
    if begun is None or begun.state == "copying":
        raise UsageError(f"{job.name} is not copied yet: run it, then verify it")
    return begun


def _is_done(job: Job, sides: Sides, *, repair: bool) -> bool:
    phase = sides.books.phase_of(job.name).first()
    is_done = phase is not None and phase.phase == "done"
    if is_done and repair:
        raise UsageError(
            f"{job.name} is done, and the table is written to: to repair it from the source would "
            "undo that; verify it without repair"
        )
    return is_done
