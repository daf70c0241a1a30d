"""A request of every route, each of which succeeds for who owns what it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fastapi.testclient import TestClient


@dataclass(frozen=True)
class Asked:
    """A request of a route, with its path filled in."""

    method: str
    route: str
    ids: dict[str, str]
    body: Any = None
    params: dict[str, str] = field(default_factory=dict)

    def send(self, client: TestClient, **headers: str) -> Any:
        return client.request(
            self.method,
            self.route.format(**self.ids),
            json=self.body,
            params=self.params,
            headers=headers,
        )


def made_by(client: TestClient) -> dict[str, str]:
    """Have a company make one of everything; give the ids."""

    def post(path: str, **body: Any) -> Any:
        answer = client.post(path, json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    assert client.put("/company", json={"name": "Acme"}).status_code == 200
    survey = post("/surveys", title="Mill Lane 3")["survey_id"]
    here = f"/surveys/{survey}"
    section = post(f"{here}/sections", name="Roof")["section_id"]
    element = post(f"{here}/elements", name="Chimney", section_id=section)["element_id"]
    component = post(f"{here}/components", name="Pot", element_id=element)["component_id"]
    taken_at = post(f"{here}/snapshots")["taken_at"]
    library_section = post("/library/sections", name="Roof")["section_id"]
    library_element = post("/library/elements", name="Chimney", section_id=library_section)
    library_component = post(
        "/library/components", name="Pot", element_id=library_element["element_id"]
    )
    phrase = post("/phrases", kind="Defect", name="Worn", text="It is worn.")["phrase_id"]
    client.put(f"/phrases/Defect/{phrase}/fits/{element}")
    post("/images", caption="Roof")
    post("/documents/terms", body="Terms")
    client.put(f"{here}/access/cid", json={"role": "viewer"})
    return {
        "survey_id": survey,
        "section_id": section,
        "element_id": element,
        "component_id": component,
        "library_section": library_section,
        "library_element": library_element["element_id"],
        "library_component": library_component["component_id"],
        "phrase_id": phrase,
        "target_id": element,
        "document_id": "terms",
        "user_id": "cid",
        "kind": "Defect",
        "status": "synced",
        "taken_at": taken_at,
    }


def asked(ids: dict[str, str]) -> Iterator[Asked]:
    """Give a request of every route that names something by an id."""
    library = ids | {
        "section_id": ids["library_section"],
        "element_id": ids["library_element"],
        "component_id": ids["library_component"],
    }
    survey, in_library = "/surveys/{survey_id}", "/library"
    name = {"name": "Changed"}
    yield Asked("GET", survey, ids)
    yield Asked("PATCH", survey, ids, {"title": "Changed"})
    yield Asked("GET", f"{survey}/sections", ids)
    yield Asked("POST", f"{survey}/sections", ids, {"name": "More"})
    yield Asked("PATCH", f"{survey}/sections/{{section_id}}", ids, name)
    yield Asked("GET", f"{survey}/sections/{{section_id}}/elements", ids)
    element = {"name": "More", "section_id": ids["section_id"]}
    yield Asked("POST", f"{survey}/elements", ids, element)
    yield Asked("PATCH", f"{survey}/elements/{{element_id}}", ids, name)
    yield Asked("GET", f"{survey}/elements/{{element_id}}/components", ids)
    component = {"name": "More", "element_id": ids["element_id"]}
    yield Asked("POST", f"{survey}/components", ids, component)
    yield Asked("PATCH", f"{survey}/components/{{component_id}}", ids, name)
    change = {"kind": "section", "id": ids["section_id"], "version": 2, "fields": name}
    yield Asked("POST", f"{survey}/batch", ids, {"changes": [change]})
    yield Asked("GET", f"{survey}/snapshots", ids)
    yield Asked("GET", f"{survey}/snapshots/{{taken_at}}", ids)
    yield Asked("POST", f"{survey}/snapshots", ids)
    yield Asked("PUT", f"{survey}/access/{{user_id}}", ids, {"role": "editor"})
    yield Asked("DELETE", f"{survey}/access/{{user_id}}", ids)
    yield Asked("PATCH", f"{in_library}/sections/{{section_id}}", library, name)
    yield Asked("GET", f"{in_library}/sections/{{section_id}}/elements", library)
    element = {"name": "More", "section_id": ids["library_section"]}
    yield Asked("POST", f"{in_library}/elements", library, element)
    yield Asked("PATCH", f"{in_library}/elements/{{element_id}}", library, name)
    yield Asked("GET", f"{in_library}/elements/{{element_id}}/components", library)
    component = {"name": "More", "element_id": ids["library_element"]}
    yield Asked("POST", f"{in_library}/components", library, component)
    yield Asked("PATCH", f"{in_library}/components/{{component_id}}", library, name)
    yield Asked("DELETE", f"{in_library}/sections/{{section_id}}", library)
    yield Asked("GET", "/phrases/{phrase_id}/fits", ids)
    yield Asked("PUT", "/phrases/{kind}/{phrase_id}/fits/{target_id}", ids)
    yield Asked("GET", "/targets/{target_id}/phrases", ids)
    yield Asked("GET", "/documents/{document_id}", ids)
    yield Asked("POST", "/documents/{document_id}", ids, {"body": "Next"})
    yield Asked("DELETE", f"{survey}/sections/{{section_id}}", ids)
    yield Asked("DELETE", survey, ids)


def listed() -> Iterator[Asked]:
    """Give a request of every route that lists what the caller's company has."""
    for route in ("/company", "/export", "/surveys", "/me/surveys", "/library/sections"):
        yield Asked("GET", route, {})
    for route in ("/images", "/sync/queue", "/phrases/Defect", "/sync/status/synced"):
        yield Asked("GET", route, {})
    yield Asked("GET", "/changes", {}, params={"since": "2020-01-01T00:00:00Z"})
