"""The surveying app, as surveyors use it."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from apps.service import Settings
from apps.surveys.design import Phrase, Surveys, SurveySection
from apps.surveys.syncing import DeviceSync
from singletable.sync import Outrun
from tests.apps.conftest import Place, in_memory
from tests.apps.service.trying import EXAMPLES, try_all
from tests.apps.surveys_service.asking import made_by
from tests.apps.surveys_service.conftest import Login


@pytest.fixture
def ids(ann: TestClient) -> dict[str, str]:
    return made_by(ann)


def _sections(app: FastAPI, survey_id: str, count: int) -> list[str]:
    ids = [f"s{n}" for n in range(count)]
    of: dict[str, Any] = {"tenant_id": "acme", "survey_id": survey_id}
    app.state.service.store.put_many(
        SurveySection(**of, section_id=one, name=one, order=n) for n, one in enumerate(ids)
    )
    return ids


def _notes(ids: list[str]) -> list[dict[str, Any]]:
    """Ask for a change of each section."""
    return [
        {"kind": "section", "id": one, "version": 1, "fields": {"notes": "seen"}} for one in ids
    ]


def test_a_survey_comes_whole_in_one_request(ann: TestClient, ids: dict[str, str]) -> None:
    whole = ann.get(f"/surveys/{ids['survey_id']}").json()

    assert whole["survey"]["section_count"] == 1
    [section] = whole["sections"]
    [element] = section["elements"]
    [component] = element["components"]
    names = (section["section"]["name"], element["element"]["name"], component["name"])
    assert names == ("Roof", "Chimney", "Pot")


def test_a_part_is_changed_in_part_and_by_version(ann: TestClient, ids: dict[str, str]) -> None:
    path = f"/surveys/{ids['survey_id']}/sections/{ids['section_id']}"
    first = ann.patch(path, json={"condition": "Poor"}, headers={"If-Match": '"1"'})
    second = ann.patch(path, json={"notes": "wet"}, headers={"If-Match": first.headers["etag"]})
    stale = ann.patch(path, json={"notes": "dry"}, headers={"If-Match": '"1"'})

    changed = second.json()
    assert (changed["condition"], changed["notes"], changed["name"]) == ("Poor", "wet", "Roof")
    assert stale.status_code == 412


@in_memory
def test_what_does_not_fit_is_refused(ann: TestClient, ids: dict[str, str]) -> None:
    path = f"/surveys/{ids['survey_id']}/sections/{ids['section_id']}"
    for body in ({"condition": "Excellent!"}, {"order": -1}, {"photos": ["x"] * 51}, {}, {"x": 1}):
        assert ann.patch(path, json=body, headers={"If-Match": '"1"'}).status_code == 422
    heavy = {"name": "Pot", "element_id": "e", "materials": [{"name": "m" * 500_000}]}
    assert ann.post("/library/components", json=heavy).status_code == 422


def test_a_batch_is_made_as_a_whole_or_not_at_all(
    app: FastAPI, ann: TestClient, ids: dict[str, str]
) -> None:
    survey = f"/surveys/{ids['survey_id']}"
    changes = _notes(_sections(app, ids["survey_id"], 20))
    stale = [*changes[:-1], {**changes[-1], "version": 7}]

    assert ann.post(f"{survey}/batch", json={"changes": stale}).status_code == 412
    notes = {one["notes"] for one in ann.get(f"{survey}/sections").json()["items"]}
    assert notes == {""}
    assert ann.post(f"{survey}/batch", json={"changes": changes}).json() == {"changed": 20}


def test_a_large_batch_goes_on_where_it_stopped(
    app: FastAPI, ann: TestClient, ids: dict[str, str]
) -> None:
    survey = f"/surveys/{ids['survey_id']}"
    sections = _sections(app, ids["survey_id"], 150)
    body = {"changes": _notes(sections)}
    assert ann.post(f"{survey}/batch", json=body).status_code == 422
    last = f"{survey}/sections/{sections[-1]}"
    changed = ann.patch(last, json={"condition": "Good"}, headers={"If-Match": '"1"'})
    assert changed.status_code == 200
    key = {"Idempotency-Key": "b1"}
    assert ann.post(f"{survey}/batch", json=body, headers=key).status_code == 412
    right = {"changes": [*body["changes"][:-1], {**body["changes"][-1], "version": 2}]}
    assert ann.post(f"{survey}/batch", json=right, headers=key).json() == {"changed": 150}

    whole = ann.get(survey).json()["sections"]
    versions = [one["section"]["version"] for one in whole if one["section"]["notes"] == "seen"]
    assert sorted(versions) == [2] * 149 + [3]


@in_memory
def test_a_large_batch_sent_twice_is_made_once(
    app: FastAPI, ann: TestClient, ids: dict[str, str]
) -> None:
    survey = f"/surveys/{ids['survey_id']}"
    changes = _notes(_sections(app, ids["survey_id"], 120))
    key = {"Idempotency-Key": "b1"}
    for _ in range(2):
        answer = ann.post(f"{survey}/batch", json={"changes": changes}, headers=key)
        assert answer.json() == {"changed": 120}
    whole = ann.get(survey).json()["sections"]
    assert [one["section"]["version"] for one in whole].count(2) == 120


def test_a_survey_goes_with_all_its_parts(
    app: FastAPI, ann: TestClient, ids: dict[str, str], place: Place
) -> None:
    """However many they are: more than a transaction takes."""
    survey = f"/surveys/{ids['survey_id']}"
    _sections(app, ids["survey_id"], 130 if place["address"] == ":memory:" else 30)

    assert ann.delete(survey).status_code == 204
    left = {one["type"] for one in ann.get("/export").json()["items"]}
    assert not left & {"SurveyMeta", "SurveySection", "SurveyElement", "SurveyConfig"}
    assert ann.get("/me/surveys").json()["items"] == []


@in_memory
@pytest.mark.parametrize("route", ["", "/sections/{section_id}"], ids=["survey", "section"])
def test_what_is_added_meanwhile_goes_with_what_is_deleted(
    ann: TestClient, ids: dict[str, str], route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, delete_many = f"/surveys/{ids['survey_id']}", Surveys.delete_many
    added = {
        "elements": {"name": "Late", "section_id": ids["section_id"]},
        "components": {"name": "Late", "element_id": ids["element_id"]},
    }

    def add() -> list[int]:
        here = [ann.post(f"{survey}/{kind}", json=body) for kind, body in added.items()]
        return [answer.status_code for answer in here]

    def delete(store: Surveys, *given: Any) -> None:
        add()
        delete_many(store, *given)
        add()

    monkeypatch.setattr(Surveys, "delete_many", delete)
    assert ann.delete(survey + route.format(**ids)).status_code == 204
    assert add() == [404, 404]
    left = {one["type"] for one in ann.get("/export").json()["items"]}
    assert not left & {"SurveySection", "SurveyElement", "SurveyComponent"}


@in_memory
def test_a_survey_that_changes_meanwhile_is_deleted_when_asked_again(
    login: Login, ann: TestClient, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, delete_many = f"/surveys/{ids['survey_id']}", Surveys.delete_many

    def delete(store: Surveys, *given: Any) -> None:
        delete_many(store, *given)
        assert ann.put(f"{survey}/access/dan", json={"role": "editor"}).status_code == 200
        assert ann.post(f"{survey}/snapshots").status_code == 201

    with monkeypatch.context() as patched:
        patched.setattr(Surveys, "delete_many", delete)
        assert ann.delete(survey).status_code == 412
    assert ann.delete(survey).status_code == 204
    left = {one["type"] for one in ann.get("/export").json()["items"]}
    assert not left & {"SurveyMeta", "SurveyConfig"}
    assert login("dan", "acme").get("/me/surveys").json()["items"] == []


def test_a_snapshot_keeps_the_library_as_it_was(ann: TestClient, ids: dict[str, str]) -> None:
    survey = f"/surveys/{ids['survey_id']}"
    ann.post(f"{survey}/snapshots")
    ann.delete(f"/library/sections/{ids['library_section']}")
    newest, first = ann.get(f"{survey}/snapshots").json()["items"]
    kept = ann.get(f"{survey}/snapshots/{newest['taken_at']}").json()

    assert [one["name"] for one in kept["sections"]] == ["Roof"]
    assert ann.get(f"{survey}/snapshots/{first['taken_at']}").json()["phrases"] == []
    assert ann.get(survey).json()["survey"]["current_config_version"] == newest["taken_at"]


def test_a_snapshot_may_be_larger_than_an_item(
    app: FastAPI, ann: TestClient, ids: dict[str, str]
) -> None:
    store, path = app.state.service.store, f"/surveys/{ids['survey_id']}/snapshots"
    for name in ("One", "Two"):
        store.put(Phrase(tenant_id="acme", kind="Defect", name=name, text="It is worn. " * 20_000))
    taken = ann.post(path)

    assert taken.status_code == 201
    assert sorted(one["name"] for one in taken.json()["phrases"]) == ["One", "Two", "Worn"]
    assert ann.get(path).json()["items"][0]["size_bytes"] > 400_000


def test_phrases_are_found_by_kind_and_by_what_they_fit(
    ann: TestClient, ids: dict[str, str]
) -> None:
    fitting = ann.get(f"/targets/{ids['target_id']}/phrases").json()["items"]
    targets = ann.get(f"/phrases/{ids['phrase_id']}/fits").json()["items"]

    assert [one["name"] for one in fitting] == ["Worn"]
    assert [one["target_id"] for one in targets] == [ids["target_id"]]
    assert len(ann.get("/phrases/Defect").json()["items"]) == 1
    assert ann.get("/phrases/Condition").json()["items"] == []


def test_documents_have_versions_latest_first(ann: TestClient, ids: dict[str, str]) -> None:
    ann.post("/documents/terms", json={"body": "New terms"})
    versions = ann.get("/documents/terms").json()["items"]

    assert [(one["number"], one["body"]) for one in versions] == [(2, "New terms"), (1, "Terms")]


@in_memory
def test_an_image_is_uploaded_where_it_is_told(ann: TestClient) -> None:
    made = ann.post("/images", json={"caption": "Roof"}).json()

    assert ann.put(made["upload"]["url"], content=b"jpeg").status_code == 204
    assert made["image"]["image_path"].startswith("images/acme/")


def test_an_editor_may_change_a_survey(login: Login, ann: TestClient, ids: dict[str, str]) -> None:
    survey = f"/surveys/{ids['survey_id']}"
    assert ann.put(f"{survey}/access/dan", json={"role": "editor"}).status_code == 200
    dan = login("dan", "acme")
    version = dan.get(survey).headers["etag"]
    changed = dan.patch(survey, json={"title": "Dan's"}, headers={"If-Match": version})

    assert changed.status_code == 200
    assert [one["role"] for one in dan.get("/me/surveys").json()["items"]] == ["editor"]
    assert dan.delete(survey).status_code == 403


def test_changes_are_told_after_a_moment(ann: TestClient, ids: dict[str, str]) -> None:
    everything = ann.get("/export").json()["items"]
    last = max(one["updated_at"] for one in everything)
    assert ann.get("/changes", params={"since": last}).json()["items"] == []
    ann.post("/sync/queue", json={"entity_id": "e1"})
    assert len(ann.get("/changes", params={"since": last}).json()["items"]) == 1
    assert [one["entity_id"] for one in ann.get("/sync/queue").json()["items"]] == ["e1"]


def _send(client: TestClient, path: str, **body: Any) -> Any:
    whole = {"profileID": "p", "clientGroupID": "g1", "schemaVersion": "", **body}
    return client.post(f"/sync/{path}", json=whole)


def test_devices_push_and_pull(login: Login, ann: TestClient, ids: dict[str, str]) -> None:
    def mutation(number: int, name: str, **args: Any) -> dict[str, Any]:
        return {"id": number, "name": name, "args": args, "clientID": "c1", "timestamp": 0}

    edit = mutation(
        1,
        "editSection",
        survey_id=ids["survey_id"],
        section_id=ids["section_id"],
        changes={"condition": "Fair"},
    )
    begin = mutation(2, "beginSurvey", survey_id="from-device", title="On site")
    for _ in range(2):
        assert _send(ann, "push", pushVersion=1, mutations=[edit, begin]).json() == {}
    pulled = _send(ann, "pull", pullVersion=1, cookie=None).json()
    rows = {one["key"]: one["value"] for one in pulled["patch"] if one["op"] == "put"}

    assert pulled["lastMutationIDChanges"] == {"c1": 2}
    assert rows[f"SurveySection/{ids['survey_id']}/{ids['section_id']}"]["condition"] == "Fair"
    assert rows["SurveyMeta/from-device"]["owner"] == "ann"
    assert not [key for key in rows if key.startswith(("Phrase", "Tenant", "Image"))]
    dan = login("dan", "acme")
    assert _send(dan, "pull", pullVersion=1, cookie=None).status_code == 403
    assert _send(ann, "pull", pullVersion=1, cookie=None, clientGroupID=7).status_code == 400


def test_a_part_from_a_device_needs_its_parent(ann: TestClient, ids: dict[str, str]) -> None:
    args = {"survey_id": ids["survey_id"], "section_id": "gone", "element_id": "e", "name": "x"}
    add = {"id": 1, "name": "addElement", "args": args, "clientID": "c1", "timestamp": 0}
    assert _send(ann, "push", pushVersion=1, mutations=[add]).json() == {}
    pulled = _send(ann, "pull", pullVersion=1, cookie=None).json()

    assert pulled["lastMutationIDChanges"] == {"c1": 1}
    assert not [one for one in pulled["patch"] if one.get("key", "").endswith("/e")]


@in_memory
@pytest.mark.parametrize("odd", ["1" + "0" * 30, '"\\ud800"'], ids=["number", "character"])
def test_a_batch_of_odd_values_is_refused(ann: TestClient, ids: dict[str, str], odd: str) -> None:
    change = f'{{"kind": "section", "id": "x", "version": 1, "fields": {{"notes": {odd}}}}}'
    content = f'{{"changes": [{change}]}}'
    headers = {"Content-Type": "application/json", "Idempotency-Key": "k1"}
    path = f"/surveys/{ids['survey_id']}/batch"

    assert ann.post(path, content=content, headers=headers).status_code == 404


@in_memory
def test_a_part_is_changed_once_in_a_batch(ann: TestClient, ids: dict[str, str]) -> None:
    change = {"kind": "section", "id": ids["section_id"], "version": 1, "fields": {"notes": "x"}}
    twice = ann.post(f"/surveys/{ids['survey_id']}/batch", json={"changes": [change, change]})

    assert twice.status_code == 422


def test_who_is_no_longer_an_editor_changes_nothing(
    login: Login, ann: TestClient, ids: dict[str, str]
) -> None:
    survey = f"/surveys/{ids['survey_id']}"
    ann.put(f"{survey}/access/dan", json={"role": "editor"})
    assert ann.delete(f"{survey}/access/dan").status_code == 204
    dan = login("dan", "acme")

    assert dan.get("/me/surveys").json()["items"] == []
    assert dan.delete(f"{survey}/sections/{ids['section_id']}").status_code == 403


@in_memory
def test_a_device_reads_surveys_and_nothing_else_that_a_company_has(
    app: FastAPI, ann: TestClient, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DeviceSync, "rows_max", 4)  # a survey, its section, element, component
    pulled = _send(ann, "pull", pullVersion=1, cookie=None)
    rows = [one["key"].partition("/")[0] for one in pulled.json()["patch"][1:]]

    assert sorted(rows) == ["SurveyComponent", "SurveyElement", "SurveyMeta", "SurveySection"]
    assert len(ann.get("/export").json()["items"]) > 4
    monkeypatch.setattr(DeviceSync, "rows_max", 3)
    assert _send(ann, "pull", pullVersion=1, cookie=None).status_code == 413


@in_memory
def test_a_pull_that_others_were_faster_than_is_to_be_sent_again(
    app: FastAPI, ann: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outrun(*_: object) -> None:
        raise Outrun("Other pulls were faster")

    monkeypatch.setattr(app.state.sync, "pull", outrun)
    answer = _send(ann, "pull", pullVersion=1, cookie=None)

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


def test_another_company_sees_no_rows(eve: TestClient, ids: dict[str, str]) -> None:
    pulled = _send(eve, "pull", pullVersion=1, cookie=None, clientGroupID="g2").json()

    assert [one for one in pulled["patch"] if one["op"] == "put"] == []


@in_memory
@EXAMPLES
def test_every_answer_is_documented(app: FastAPI, settings: Settings, examples: int) -> None:
    assert settings.issuer is not None
    token = settings.issuer.token("ann", **{"custom:tenant_id": "acme"})
    known = made_by_client(app, settings)

    assert try_all(app, token, examples=examples, known=known) >= 40


def made_by_client(app: FastAPI, settings: Settings) -> dict[str, str]:
    assert settings.issuer is not None
    claims: dict[str, Any] = {"custom:tenant_id": "acme", "cognito:groups": ["admins"]}
    token = settings.issuer.token("ann", **claims)
    return made_by(TestClient(app, headers={"Authorization": f"Bearer {token}"}))
