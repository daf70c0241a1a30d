"""The items of a table are made to be as its design has them, whoever writes meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from singletable import Entity, Store, Table
from singletable.backends.address import connect
from singletable.migrate import Migration, entities
from singletable.migrate.backfilling import Backfill, backfill, scanning, survey

from .backfills import Crm, First, FirstUser, FirstVisit, Settings, User, Visit, WithSettings, fill
from .test_running import contents

INLINE = ThreadPoolExecutor(1)


def run(job: Backfill, **options: Any) -> Any:
    """Run in this process, which is quicker to begin."""
    return backfill(job, executor=INLINE, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crm.db"


@pytest.fixture
def old(path: Path) -> Iterator[First]:
    """A table with items of the first release, and the indexes of the second."""
    Crm.connect(path).close()
    with First.connect(path) as store:
        fill(store, users=4, visits=9)
        yield store


@pytest.fixture
def job(old: First, path: Path, tmp_path: Path) -> Backfill:
    return Backfill(Crm, str(path), folder=tmp_path / "work")


def test_a_survey_counts_by_entity_and_by_what_differs(job: Backfill) -> None:
    before = contents(job.at, "crm")
    found = survey(job)
    users, visits, settings = found.entities
    assert (users.entity, users.items, users.left) == ("User", 4, 4)
    assert users.differences == {
        "of schema 1": 4,
        "without first_name": 4,
        "without last_name": 4,
        "without newsletter": 4,
        "without GSI2PK": 4,
        "without GSI2SK": 4,
        "name too much": 4,
    }
    assert visits.differences == {"another GSI1SK": 9, "without GSI2PK": 9, "without GSI2SK": 9}
    assert (settings.items, found.left, found.broken) == (0, 13, 0)
    # A visit goes from one place in an index to another, and comes into the other index.
    assert found.write_units == 4 * 2 + 9 * 4
    assert found.spare_upgrades == ()
    assert contents(job.at, "crm") == before


def test_a_backfill_leaves_what_the_design_would_have_written(job: Backfill, path: Path) -> None:
    done = run(job)
    assert (done.state, done.rows, done.items, done.rejected) == ("done", 13, 13, 0)
    with Crm.connect(path) as store:
        ann = store.bind(User.get(user_id="u1")).one()
        assert (ann.first_name, ann.last_name, ann.version, ann.visits) == ("Ann1", "Doe", 1, 2)
        assert [one.visit_id for one in store.visits_at("p0")] == ["v0", "v3", "v6"]
        assert len(store.bind(User.by_family.query(last_name="Doe")).all()) == 4
        backfilled = contents(job.at, "crm")
        for user in store.bind(User.scan()):
            store.edit(
                User.key(user_id=user.user_id), lambda user: setattr(user, "first_name", "x")
            )
        for visit in store.bind(Visit.scan()):
            store.put(visit)
    visits = [one for one in contents(job.at, "crm") if '"VISIT#' in one]
    assert visits == [one for one in backfilled if '"VISIT#' in one]


def test_the_countdown_ends_at_zero_and_then_the_upgrade_can_go(job: Backfill, path: Path) -> None:
    with Crm.connect(path) as store:
        store.edit(User.key(user_id="u0"), lambda user: setattr(user, "newsletter", True))
        assert survey(job).left == 12  # whoever is written counts no more
    run(job)
    found = survey(job)
    assert found.left == 0
    assert found.spare_upgrades == ("User",)


def test_a_sample_lets_expect_what_is_left(job: Backfill, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "BATCH_ITEMS", 2)
    found = survey(job, sample=4)
    assert (found.looked, found.total, found.left, found.is_whole) == (4, 13, 4, False)
    assert found.left_about == 13
    run(job)
    assert survey(job, sample=4).spare_upgrades == ()  # there may be others
    assert survey(job, sample=100).is_whole


def test_a_second_backfill_writes_nothing(job: Backfill) -> None:
    run(job)
    before = contents(job.at, "crm")
    done = run(job)
    assert (done.rows, done.items) == (13, 0)
    assert contents(job.at, "crm") == before


def test_a_pace_holds_a_backfill_back(job: Backfill) -> None:
    began = time.monotonic()
    assert run(replace(job, units_per_s=100), workers=1).items == 13
    assert time.monotonic() - began > 0.2


def test_what_is_unknown_or_broken_is_told_and_left_alone(job: Backfill, path: Path) -> None:
    backend = connect(str(path))
    strange = {"PK": {"S": "X#1"}, "SK": {"S": "X"}, "Type": {"S": "Ghost"}}
    broken = {"PK": {"S": "USER#u9"}, "SK": {"S": "USER"}, "Type": {"S": "User"}}
    moved = {
        "PK": {"S": "USER#u8"}, "SK": {"S": "VISIT#v1"}, "Type": {"S": "Visit"},
        "user_id": {"S": "u7"}, "visit_id": {"S": "v1"}, "place": {"S": "p"},
    }  # fmt: skip
    for item in (strange, broken, moved):
        backend.call("PutItem", {"TableName": "crm", "Item": item})
    found = survey(job)
    assert (found.unknown, found.broken, found.left) == (1, 3, 13)
    done = run(job)
    assert (done.items, done.rejected) == (13, 3)
    told = {line["id"]: line for line in map(json.loads, job.rejects.read_text().splitlines())}
    assert told["(unknown)/X#1/X"]["reason"] == (
        "it is of the type 'Ghost', which the design does not have"
    )
    assert "name" in told["User/USER#u9/USER"]["reason"]
    assert "the design makes USER#u7 / VISIT#v1" in told["Visit/USER#u8/VISIT#v1"]["reason"]
    for item in (strange, broken, moved):
        key = {"PK": item["PK"], "SK": item["SK"]}
        assert backend.call("GetItem", {"TableName": "crm", "Key": key})["Item"] == item
    backend.close()


def test_new_entities_join_old_collections_once(job: Backfill, path: Path, tmp_path: Path) -> None:
    with Crm.connect(path) as store:
        mine = store.create(Settings(user_id="u0", greeting="Mine"))
    derive = Backfill(WithSettings, str(path), folder=tmp_path / "work")
    found = survey(derive)
    assert {one.entity: one.missing for one in found.entities} == {
        "User": 0,
        "Visit": 0,
        "Settings": 3,
    }
    assert run(derive).items == 13 + 3
    assert run(derive).items == 0
    assert survey(derive).left == 0
    with Crm.connect(path) as store:
        greetings = {one.user_id: one.greeting for one in store.bind(Settings.scan())}
        assert store.bind(Settings.get(user_id="u0")).one() == mine
    assert greetings == {"u0": "Mine", "u1": "Hello Ann1", "u2": "Hello Ann2", "u3": "Hello Ann3"}


class Picky(Migration[First]):
    """Refuses some entities, whose type is not the name of their class."""

    @entities(FirstUser)
    def nothing(self, user: FirstUser) -> Iterator[Entity]:
        if user.user_id == "u1":
            raise ValueError(user.name)
        yield from ()


def test_what_a_rule_refuses_is_told(old: First, path: Path, tmp_path: Path) -> None:
    job = Backfill(Picky, str(path), folder=tmp_path / "work")
    found = survey(job)
    assert [(one.entity, one.items, one.broken) for one in found.entities] == [
        ("FirstUser", 4, 1),
        ("FirstVisit", 9, 0),
    ]
    assert found.unknown == 0
    assert run(job).rejected == 1
    [line] = map(json.loads, job.rejects.read_text().splitlines())
    assert (line["id"], line["reason"]) == ("FirstUser/USER#u1/USER", "ValueError: Ann1 Doe")


def test_a_pass_has_the_same_name_in_every_process() -> None:
    """The order in which a set is written differs from process to process."""

    def design(labels: list[int]) -> type[Store]:
        made = Table("labelled")

        class Label(Entity, table=made, pk="LABEL#{label_id}", sk="LABEL"):
            label_id: str
            numbers: set[int] = set(labels)

        class Labels(Store, table=made):
            """Has a default with several values."""

        return Labels

    assert repr({0, 8}) != repr({8, 0})
    first, second = (Backfill(design(labels), "x.db").name for labels in ([0, 8], [8, 0]))
    assert first == second


def test_a_write_in_between_is_not_lost(job: Backfill, path: Path) -> None:
    """Between the scan and the rewrite, the first release changes and deletes items."""
    nameless = {
        "PK": {"S": "USER#u3"}, "SK": {"S": "USER"}, "Type": {"S": "User"}, "user_id": {"S": "u3"},
    }  # fmt: skip
    with First.connect(path) as first:

        def meddle(*given: Any) -> Any:
            read = original(*given)
            first.update(FirstVisit.key(user_id="u1", visit_id="v1"), place="elsewhere")
            first.update(FirstUser.key(user_id="u2"), name="Bea Roe")
            first.delete(FirstVisit.key(user_id="u2", visit_id="v2"))
            first.send("PutItem", {"TableName": "crm", "Item": nameless})
            return read

        original = scanning.read
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scanning, "read", meddle)
            assert run(job, workers=1).rejected == 1
    assert "User/USER#u3/USER" in job.rejects.read_text()
    with Crm.connect(path) as store:
        assert [one.visit_id for one in store.visits_at("elsewhere")] == ["v1"]
        bea = store.bind(User.get(user_id="u2")).one()
        assert (bea.first_name, bea.version, bea.visits) == ("Bea", 2, 1)
        assert store.bind(Visit.get(user_id="u2", visit_id="v2")).first() is None
    assert survey(job).left == 0
