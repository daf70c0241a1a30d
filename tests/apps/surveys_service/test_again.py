"""A POST that is sent again is answered as the first time, whatever has happened since."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.apps.conftest import in_memory
from tests.apps.service.again import Again, check_all
from tests.apps.surveys_service.asking import made_by
from tests.apps.surveys_service.conftest import Login

SURVEY = "/surveys/{survey_id}"
WITHOUT = {"/development/token", "/sync/push", "/sync/pull"}
"""Replicache numbers what it sends."""


def _of_survey(ann: TestClient, dan: TestClient, ids: dict[str, str]) -> Iterator[Again]:
    """What an editor does to a survey, who is no longer one when it is sent again."""
    here = SURVEY.format(**ids)
    change = {"kind": "section", "id": ids["section_id"], "version": 1, "fields": {"notes": "x"}}
    bodies: dict[str, Any] = {
        "sections": {"name": "Cellar"},
        "elements": {"name": "Door", "section_id": ids["section_id"]},
        "components": {"name": "Lock", "element_id": ids["element_id"]},
        "batch": {"changes": [change]},
        "snapshots": None,
    }
    for route, body in bodies.items():
        assert ann.put(f"{here}/access/dan", json={"role": "editor"}).status_code == 200
        gone = _deleting(ann, f"{here}/access/dan")
        yield Again(f"{SURVEY}/{route}", dan, f"{here}/{route}", body, gone)


def _deleting(ann: TestClient, path: str) -> Callable[[], None]:
    def move() -> None:
        assert ann.delete(path).status_code == 204

    return move


def _of_company(ann: TestClient, ids: dict[str, str]) -> Iterator[Again]:
    section, element = ids["library_section"], ids["library_element"]
    parent_gone = _deleting(ann, f"/library/sections/{section}")
    part = {"name": "Door", "section_id": section}
    phrase = {"kind": "Defect", "name": "Wet", "text": "It is wet."}
    yield Again("/surveys", ann, "/surveys", {"title": "Next"})
    yield Again("/library/sections", ann, "/library/sections", {"name": "Cellar"})
    yield Again("/library/elements", ann, "/library/elements", part, parent_gone)
    lock = {"name": "Lock", "element_id": element}
    yield Again("/library/components", ann, "/library/components", lock)
    yield Again("/phrases", ann, "/phrases", phrase)
    # The address to send it to is a new one each time.
    yield Again("/images", ann, "/images", {"caption": "Roof"}, kept=itemgetter("image"))
    document = "/documents/terms"

    def another() -> None:
        assert ann.post(document, json={"body": "Third"}).json()["number"] == 3

    yield Again("/documents/{document_id}", ann, document, {"body": "Second"}, another)
    yield Again("/sync/queue", ann, "/sync/queue", {"entity_id": "e1"})
    assert len(ann.get("/sync/queue").json()["items"]) == 1


@in_memory
def test_a_request_sent_again_is_answered_as_before(
    app: FastAPI, login: Login, ann: TestClient
) -> None:
    ids, dan = made_by(ann), login("dan", "acme")
    requests = chain(_of_survey(ann, dan, ids), _of_company(ann, ids))
    check_all(app, requests, WITHOUT)
