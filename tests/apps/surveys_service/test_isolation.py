"""One company tries every id of another, on every route."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import Store
from tests.apps.conftest import in_memory
from tests.apps.surveys_service.asking import asked, listed, made_by
from tests.apps.surveys_service.conftest import Login

FREE = {"/documents/{document_id}"}
"""Names that each company gives for itself: another's are its own, and new."""
ELSEWHERE = {
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("POST", "/development/token"),
    ("PUT", "/uploads/{token}"),
    ("GET", "/admin/surveys"),
    ("PUT", "/company"),
    ("POST", "/surveys"),
    ("POST", "/library/sections"),
    ("POST", "/phrases"),
    ("POST", "/images"),
    ("POST", "/sync/queue"),
    ("POST", "/sync/push"),
    ("POST", "/sync/pull"),
}
"""Routes that are given no id of anything."""


def _all_of(app: FastAPI, tenant: str) -> list[Any]:
    store: Store = app.state.service.store
    items = store.send("Scan", {"TableName": store.table_name})["Items"]
    return [item for item in items if tenant in str(item)]


@in_memory
def test_every_route_is_among_those_that_are_tried(app: FastAPI) -> None:
    ids: dict[str, str] = dict.fromkeys(
        ["survey_id", "section_id", "element_id", "component_id", "library_section"], "x"
    ) | dict.fromkeys(["library_element", "library_component"], "x")
    tried = {(one.method, _route(one.route)) for one in (*asked(ids), *listed())}
    document = app.openapi()
    routes = {
        (method.upper(), path) for path, methods in document["paths"].items() for method in methods
    }

    assert {(method, _route(path)) for method, path in routes - ELSEWHERE} == tried


def _route(path: str) -> str:
    named = {"/phrases/Defect": "/phrases/{kind}", "/sync/status/synced": "/sync/status/{status}"}
    return named.get(path, path)


def test_another_company_finds_and_changes_nothing(
    app: FastAPI, ann: TestClient, eve: TestClient
) -> None:
    ids = made_by(ann)
    before = _all_of(app, "acme")
    for one in asked(ids):
        answer = one.send(eve, **{"If-Match": '"1"'})
        if one.route in FREE:
            assert answer.status_code < 300
        elif one.method == "GET" and answer.status_code == 200:
            assert answer.json() == {"items": [], "next": None}, one
        elif one.method == "DELETE" and answer.status_code == 204:
            pass  # what is not there is gone
        else:
            assert answer.status_code == 404, (one, answer.text)
        assert _all_of(app, "acme") == before, one


@in_memory
def test_lists_have_nothing_of_another_company(
    app: FastAPI, ann: TestClient, eve: TestClient
) -> None:
    ids = made_by(ann)
    assert eve.put("/company", json={"name": "Rival"}).status_code == 200
    for one in listed():
        told = one.send(eve).text
        assert "acme" not in told, one
        assert not [name for name in ids.values() if len(name) == 26 and name in told], one


def test_the_owner_succeeds_with_each_of_them(ann: TestClient) -> None:
    ids = made_by(ann)
    for one in asked(ids):
        version = '"1"'
        if one.method == "PATCH":
            version = _version(ann, one.route, one.ids)
        answer = one.send(ann, **{"If-Match": version})
        assert answer.status_code < 300, (one, answer.text)
    for one in listed():
        assert one.send(ann).status_code == 200


def _version(client: TestClient, route: str, ids: dict[str, str]) -> str:
    """Find the version of what a route is about, in all that the company has."""
    last = route.rpartition("/")[2].strip("{}")
    in_survey = "survey_id" in route
    for one in client.get("/export").json()["items"]:
        kinds = {
            "survey_id": "SurveyMeta",
            "section_id": "SurveySection" if in_survey else "Section",
            "element_id": "SurveyElement" if in_survey else "Element",
            "component_id": "SurveyComponent" if in_survey else "Component",
        }
        if one["type"] == kinds[last] and one[last] == ids[last]:
            return f'"{one["version"]}"'
    raise AssertionError(route)


def test_operators_alone_see_the_surveys_of_all(
    login: Login, ann: TestClient, eve: TestClient
) -> None:
    made_by(ann)
    made_by(eve)
    oscar = login("oscar", "host", "operators")

    assert ann.get("/admin/surveys").status_code == 403
    tenants = {one["tenant_id"] for one in oscar.get("/admin/surveys").json()["items"]}
    assert tenants == {"acme", "rival"}


@in_memory
def test_a_token_without_a_company_opens_nothing(app: FastAPI, login: Login) -> None:
    assert login("eve", "").get("/surveys").status_code == 403


@in_memory
def test_who_is_no_editor_reads_and_changes_nothing(login: Login, ann: TestClient) -> None:
    ids = made_by(ann)
    dan = login("dan", "acme")
    for one in asked(ids):
        if "{survey_id}" not in one.route:
            continue
        expected = 200 if one.method == "GET" else 403
        assert one.send(dan, **{"If-Match": '"1"'}).status_code == expected, one
