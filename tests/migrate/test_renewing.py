"""The end of what a source tells is found, however it tells it."""

from __future__ import annotations

import pytest

from singletable.backends import Backend
from singletable.migrate import Job
from singletable.migrate.renewing import end_of
from singletable.migrate.sources.source import Followed
from singletable.migrate.verifying.waiting import Interval

from .sources.dynamodb.support import put
from .test_following_dynamodb import job, old

__all__ = ["job", "old"]


def test_the_end_is_behind_pages_that_are_short(
    job: Job, old: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.sources.dynamodb.following.LIMIT_MAX", 2)
    for name in "abcde":
        put(old, "customers", id=name)
    with job.opened() as sides:
        begun, source = sides.books.run_of(job.name).one(), sides.source
        assert isinstance(source, Followed)
        assert begun.position is not None
        changes, applied = source.changes(begun.position, 500)
        assert len(changes) == 2
        sides.books.update(begun, applied=applied)
        assert not Interval(sides, job.name, settle_s=0, patience_s=0).wait()
        assert source.backlog(end_of(source, begun.position)) == 0
