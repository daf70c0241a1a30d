"""A backfill that is killed at any moment, with writers at work, loses nothing."""

from __future__ import annotations

import random
import shutil
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import pytest

from singletable.migrate.backfilling import Backfill, backfill, survey

from .backfilling_kills import killed
from .backfills import Crm, First, FirstVisit, User, Visit, WithSettings, fill
from .test_running import contents


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A table that the first release has filled."""
    made = tmp_path / "crm.db"
    Crm.connect(made).close()
    with First.connect(made) as store, store.backend.engine.together():  # type: ignore[attr-defined]
        fill(store, users=40, visits=1500)
    return made


def test_kills_at_random_moments_end_with_the_same_bytes(path: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    shutil.copy(path, whole)
    backfill(Backfill(WithSettings, str(whole), folder=tmp_path), executor=ThreadPoolExecutor(1))
    job = Backfill(WithSettings, str(path), folder=tmp_path)
    ends = Counter(killed("backfill", path, tmp_path, 20))
    assert ends["killed"] >= 12
    assert 0 <= survey(job).left < 1000  # they came far
    backfill(job, executor=ThreadPoolExecutor(1))
    assert contents(str(path), "crm") == contents(str(whole), "crm")
    assert survey(job).left == 0


class Writers:
    """Write all the while, and remember what has to be there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[tuple[str, str], str] = {}
        self.names: dict[str, str] = {}
        self._stop = threading.Event()
        self._failed: list[BaseException] = []
        works = (self.change_visits, self.change_users)
        self._threads = [threading.Thread(target=self._run, args=(work,)) for work in works]

    def _run(self, work: Callable[[random.Random, int], None]) -> None:
        chance, number = random.Random(7), 0  # noqa: S311 - no secret
        try:
            while not self._stop.wait(0.001):
                work(chance, number)
                number += 1
        except BaseException as error:  # noqa: BLE001 - told when it ends
            self._failed.append(error)

    def change_visits(self, chance: random.Random, number: int) -> None:
        """Write as the first release does, which knows no new index."""
        with First.connect(self.path) as store:
            visit = f"v{chance.randrange(1500)}"
            user, place = f"u{int(visit[1:]) % 40}", f"q{number}"
            store.update(FirstVisit.key(user_id=user, visit_id=visit), place=place)
            self.places[user, visit] = place
            new = FirstVisit(user_id=f"u{number % 40}", visit_id=f"n{number}", place=place)
            store.create(new)
            self.places[new.user_id, new.visit_id] = place

    def change_users(self, chance: random.Random, number: int) -> None:
        """Write as the second release does, which upgrades what it changes."""
        with Crm.connect(self.path) as store:
            user, name = f"u{chance.randrange(40)}", f"Bea{number}"
            store.edit(User.key(user_id=user), lambda one: setattr(one, "first_name", name))
            self.names[user] = name

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert not self._failed, self._failed


@pytest.mark.slow
def test_with_writers_at_work_and_kills_nothing_is_lost(path: Path, tmp_path: Path) -> None:
    job = Backfill(WithSettings, str(path), folder=tmp_path)
    with Writers(path) as writers:
        ends = Counter(killed("backfill", path, tmp_path, 10))
        backfill(job, executor=ThreadPoolExecutor(1))
    assert ends["killed"] >= 5
    assert len(writers.places) > 30
    assert len(writers.names) > 10
    backfill(job, executor=ThreadPoolExecutor(1))  # what the first release wrote behind the scan
    assert survey(job).left == 0
    with Crm.connect(path) as store:
        visits = {(one.user_id, one.visit_id): one for one in store.bind(Visit.scan())}
        users = {one.user_id: one for one in store.bind(User.scan())}
        by_user = {
            one.visit_id: one.place
            for user in users
            for one in store.bind(Visit.by_user.query(user_id=user))
        }
    assert {key: visits[key].place for key in writers.places} == writers.places
    assert by_user == {visit: one.place for (_, visit), one in visits.items()}
    assert {user: users[user].first_name for user in writers.names} == writers.names
    assert sum(one.visits for one in users.values()) == len(visits)
