"""The surveying app leaves seven tables of DynamoDB: they become one.

The old tables have an ``id`` for a key and the tenant in ``tenantId``. A survey was one item whose
``content`` is JSON: here it becomes the survey, its sections, elements and components, who may see
it, and the snapshot of the library that it was begun with.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import orjson

from singletable import Entity
from singletable.migrate import Migration, Row, rows

from .design import (
    Access,
    Component,
    Element,
    Image,
    Material,
    Phrase,
    PhraseUse,
    Section,
    Survey,
    SurveyComponent,
    SurveyConfig,
    SurveyElement,
    Surveys,
    SurveySection,
    Tenant,
)
from .snapshots import Library

Json = Mapping[str, Any]

ROLES = {"viewers": "viewer", "editors": "editor", "owner": "owner"}
"""From the one that may do least: who has several has the last."""


class LeaveSevenTables(Migration[Surveys]):
    """From seven tables of DynamoDB to SurveyorData."""

    queries = {
        "Tenants by id": "tenant",
        "every table by tenantId": "everything",
        "Surveys by id, and its content": "survey",
        "Surveys by tenantId": "surveys",
        "Surveys by tenantId, those of an owner": "surveys_of",
        "Surveys, scanned": "surveys_everywhere",
        "Surveys, scanned for owner, editors or viewers": "surveys_shared_with",
        "the config in a survey's content": "snapshots",
        "Sections by tenantId": "sections",
        "Elements by sectionId": "elements",
        "Components by elementId": "components",
        "Phrases by tenantId, of a type": "phrases",
        "Phrases by tenantId, for an element or component": "phrases_for",
        "ImageMetadata by tenantId": "images",
        "every table by syncStatus": "with_sync_status",
        "every table by updatedAt": "changed_since",
    }

    @rows("Tenants")
    def tenants(self, row: Row) -> Iterator[Entity]:
        """A tenant, whose own key is its id."""
        yield Tenant(**{**common(row), "tenant_id": row["id"]}, name=row["name"])

    @rows("Sections")
    def sections(self, row: Row) -> Iterator[Entity]:
        """A section of the library."""
        yield section_of(row, common(row))

    @rows("Elements")
    def elements(self, row: Row) -> Iterator[Entity]:
        """An element of the library."""
        yield element_of(row, row["sectionId"], common(row))

    @rows("Components")
    def components(self, row: Row) -> Iterator[Entity]:
        """A component of the library."""
        yield component_of(row, row["elementId"], common(row))

    @rows("Phrases")
    def phrases(self, row: Row) -> Iterator[Entity]:
        """A phrase, and an item for each element or component that it fits."""
        phrase = phrase_of(row, common(row))
        yield phrase
        targets = [*row.get("associatedElementIds", ()), *row.get("associatedComponentIds", ())]
        for target in dict.fromkeys(targets):
            yield PhraseUse(
                **common(row), target_id=target, phrase_id=phrase.phrase_id, name=phrase.name
            )

    @rows("ImageMetadata")
    def images(self, row: Row) -> Iterator[Entity]:
        """A photograph."""
        yield Image(
            **common(row),
            image_id=row["id"],
            image_path=row["imagePath"],
            caption=row.get("caption") or "",
        )

    @rows("Surveys")
    def surveys(self, row: Row) -> Iterator[Entity]:
        """A survey, taken apart."""
        content = orjson.loads(row["content"])
        yield survey_of(row, content)
        yield snapshot_of(row, content)
        yield from readers_of(row)
        yield from parts_of(row, content)


def common(row: Row) -> dict[str, Any]:
    """What every item of a tenant has."""
    return {
        "tenant_id": row.get("tenantId"),
        "created_at": row["createdAt"],
        "updated_at": row["updatedAt"],
        "sync_status": row.get("syncStatus") or "synced",
        "sync_error": row.get("syncError"),
    }


def survey_of(row: Row, content: Json) -> Survey:
    """What the list of surveys shows."""
    return Survey(
        **common(row),
        survey_id=row["id"],
        title=content.get("title") or "Untitled",
        address=content.get("address") or "",
        client_name=content.get("clientName") or "",
        survey_date=content.get("surveyDate") or "",
        status=content.get("status") or "draft",
        current_config_version=row["createdAt"],
        owner=row["owner"],
        editors=row.get("editors") or [],
        viewers=row.get("viewers") or [],
    )


def readers_of(row: Row) -> Iterator[Access]:
    """Who may see a survey, each once."""
    roles: dict[str, Any] = {}
    for attribute, role in ROLES.items():
        users = row.get(attribute) or []
        roles.update(dict.fromkeys([users] if isinstance(users, str) else users, role))
    for user, role in roles.items():
        yield Access(user_id=user, survey_id=row["id"], tenant_id=row["tenantId"], role=role)


def parts_of(row: Row, content: Json) -> Iterator[Entity]:
    """The sections of a survey with all that is below them."""
    for section in content.get("sections") or ():
        yield SurveySection(
            **part(row, section),
            section_id=section["id"],
            order=section.get("order") or 0,
            completed_at=section.get("completedAt"),
            completed_by=section.get("completedBy"),
        )
        for element in section.get("elements") or ():
            yield SurveyElement(
                **part(row, element),
                section_id=section["id"],
                element_id=element["id"],
                order=element.get("order") or 0,
                defects=element.get("defects") or [],
                measurements=element.get("measurements") or {},
            )
            for component in element.get("components") or ():
                yield SurveyComponent(
                    **part(row, component),
                    element_id=element["id"],
                    component_id=component["id"],
                    material=component.get("material") or "",
                    age=component.get("age"),
                    last_maintenance=component.get("lastMaintenance"),
                    defects=component.get("defects") or [],
                )


def part(row: Row, found: Json) -> dict[str, Any]:
    """What sections, elements and components of a survey have in common."""
    return {
        **common(row),
        "created_at": found.get("createdAt") or row["createdAt"],
        "sync_status": "synced",
        "sync_error": None,
        "survey_id": row["id"],
        "name": found["name"],
        "notes": found.get("notes") or "",
        "condition": found.get("condition") or "N/A",
        "photos": found.get("photos") or [],
    }


def snapshot_of(row: Row, content: Json) -> SurveyConfig:
    """The library as it was when a survey began: of its own sections, where it kept none."""
    taken_at = datetime.fromisoformat(row["createdAt"])
    own = {"tenant_id": row["tenantId"], "created_at": taken_at, "updated_at": taken_at}
    config = content.get("config") or {}
    sections = config.get("sections") or content.get("sections") or ()
    elements = [(one, above["id"]) for above in sections for one in above.get("elements") or ()]
    components = [
        (one, above["id"]) for above, _ in elements for one in above.get("components") or ()
    ]
    library = Library(
        sections=[section_of(one, own) for one in sections],
        elements=[element_of(one, section, own) for one, section in elements],
        components=[component_of(one, element, own) for one, element in components],
        phrases=[phrase_of(one, own) for one in config.get("phrases") or ()],
    )
    return SurveyConfig(
        **common(row), survey_id=row["id"], taken_at=taken_at, library=library.packed()
    )


def section_of(found: Json, own: Json) -> Section:
    """A section, from the library or from a snapshot of it."""
    return Section(
        **own,
        section_id=found["id"],
        name=found["name"],
        order=found.get("order") or 0,
        description=found.get("description") or "",
        created_by=found.get("createdBy"),
    )


def element_of(found: Json, section_id: str, own: Json) -> Element:
    """An element, from the library or from a snapshot of it."""
    return Element(
        **own,
        element_id=found["id"],
        section_id=section_id,
        name=found["name"],
        order=found.get("order") or 0,
        description=found.get("description") or "",
    )


def component_of(found: Json, element_id: str, own: Json) -> Component:
    """A component, from the library or from a snapshot of it."""
    materials = [Material(name=one["name"]) for one in found.get("materials") or ()]
    return Component(
        **own,
        component_id=found["id"],
        element_id=element_id,
        name=found["name"],
        materials=materials,
    )


def phrase_of(found: Json, own: Json) -> Phrase:
    """A phrase, from the library or from a snapshot of it."""
    return Phrase(
        **own,
        phrase_id=found["id"],
        kind=found["type"],
        name=found["name"],
        text=found["phrase"],
        level2=found.get("phraseLevel2"),
        associated_material_ids=found.get("associatedMaterialIds") or [],
    )
