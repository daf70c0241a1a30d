"""The surveying app's migration takes a survey apart, and keeps the library that it began with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from apps.surveys.design import Surveys
from apps.surveys.migration import LeaveSevenTables
from apps.surveys.snapshots import Library
from singletable.migrate import Job, plan, run_migration, verify
from singletable.migrate.sources.dynamodb import DynamoSource
from tests.migrate.proof import seven

CONTENT: dict[str, Any] = {
    "title": "12 Harbour Street",
    "sections": [
        {
            "id": "v1-roof",
            "name": "Roof",
            "order": 2,
            "condition": "Poor",
            "elements": [
                {
                    "id": "v1-cover",
                    "name": "Covering",
                    "measurements": {"area": "150 sqm"},
                    "components": [{"id": "v1-tiles", "name": "Tiles", "material": "Clay"}],
                }
            ],
        },
        {"id": "v1-walls", "name": "Walls", "order": 1},
    ],
}
PHRASE = {"id": "p1", "type": "Defect", "name": "Cracked", "phrase": "Some tiles are cracked."}
LIBRARY = {"sections": [{"id": "roof", "name": "Roof", "order": 7}], "phrases": [PHRASE]}
ROW = {
    "tenantId": "t1",
    "createdAt": "2026-01-01T00:00:00+00:00",
    "updatedAt": "2026-01-02T00:00:00+00:00",
    "owner": "ann",
    "editors": ["ann", "ben"],
    "viewers": ["ben", "cid"],
}


def survey(name: str, content: str) -> dict[str, Any]:
    return {**ROW, "id": name, "content": content}


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return _job(tmp_path)


def _job(tmp_path: Path) -> Job:
    seven.create(tmp_path / "old.db")
    with closing(DynamoSource(str(tmp_path / "old.db"))) as source:
        source.put("Tenants", [{**ROW, "id": "t1", "name": "Ann & Ben"}])
        with_library = {**CONTENT, "config": LIBRARY}
        with_phrases = {**CONTENT, "config": {"phrases": [PHRASE]}}
        source.put("Surveys", [survey("v0", orjson.dumps(with_phrases).decode())])
        source.put("Surveys", [survey("v1", orjson.dumps(CONTENT).decode())])
        source.put("Surveys", [survey("v2", orjson.dumps(with_library).decode())])
        fitting = {"associatedElementIds": ["e1", "e2"], "associatedComponentIds": ["e1"]}
        source.put("Phrases", [{**ROW, **PHRASE, **fitting}])
    return Job(
        migration=LeaveSevenTables,
        source=f"dynamodb:{tmp_path / 'old.db'}",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Job:
    job = _job(tmp_path_factory.mktemp("surveys"))
    with ThreadPoolExecutor(1) as executor:
        assert run_migration(job, executor=executor).rejected == 0
    return job


@pytest.fixture
def store(done: Job) -> Any:
    with Surveys.connect(done.destination) as store:
        yield store


def test_every_old_query_has_a_pattern(job: Job) -> None:
    made = plan(job)
    assert made.is_sound
    assert made.unmatched == ()


def test_a_survey_is_taken_apart(store: Surveys, done: Job) -> None:
    view = store.survey("t1", "v1").one()
    assert (view.survey.title, view.survey.section_count) == ("12 Harbour Street", 2)
    [walls, roof] = view.sections
    assert (walls.section.name, walls.elements, roof.section.condition) == ("Walls", [], "Poor")
    [cover] = roof.elements
    assert cover.element.measurements == {"area": "150 sqm"}
    assert [one.material for one in cover.components] == ["Clay"]
    assert verify(done, settle_s=0).agrees


def test_the_library_that_a_survey_kept_is_its_snapshot(store: Surveys) -> None:
    [snapshot] = store.snapshots("t1", "v2").all()
    library = Library.load(store, snapshot)
    assert [(one.section_id, one.order) for one in library.sections] == [("roof", 7)]
    assert [one.text for one in library.phrases] == ["Some tiles are cracked."]
    assert snapshot.taken_at == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("name", ["v0", "v1"], ids=["phrases alone", "nothing"])
def test_a_survey_that_kept_none_has_a_snapshot_of_its_own_parts(store: Surveys, name: str) -> None:
    [snapshot] = store.snapshots("t1", name).all()
    library = Library.load(store, snapshot)
    assert [one.name for one in library.sections] == ["Roof", "Walls"]
    assert [(one.element_id, one.section_id) for one in library.elements] == [
        ("v1-cover", "v1-roof")
    ]
    assert [one.component_id for one in library.components] == ["v1-tiles"]


def test_who_may_see_a_survey_has_the_role_that_may_do_most(store: Surveys) -> None:
    roles = {
        user: {one.role for one in store.surveys_shared_with(user, "t1")}
        for user in ("ann", "ben", "cid")
    }
    assert roles == {"ann": {"owner"}, "ben": {"editor"}, "cid": {"viewer"}}


def test_a_phrase_is_found_from_what_it_fits(store: Surveys) -> None:
    assert [one.phrase_id for one in store.phrases_for("t1", "e1")] == ["p1"]
    assert {one.target_id for one in store.uses_of_phrase("t1", "p1")} == {"e1", "e2"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"title": ', "JSONDecodeError"),
        ('{"sections": [{"name": "Roof"}]}', "the row has no 'id'"),
    ],
)
def test_content_that_is_wrong_is_told(job: Job, content: str, reason: str) -> None:
    with closing(DynamoSource(job.source.removeprefix("dynamodb:"))) as source:
        source.put("Surveys", [survey("v3", content)])
    with ThreadPoolExecutor(1) as executor:
        assert run_migration(job, executor=executor).rejected == 1
    [line] = job.rejects.read_text("utf-8").splitlines()
    assert orjson.loads(line)["id"] == "Surveys/v3"
    assert reason in orjson.loads(line)["reason"]
