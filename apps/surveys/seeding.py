"""Realistic data, the same whenever it is made: companies, their library, their surveys."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final, Literal

from singletable import Entity

from .design import (
    Access,
    Component,
    Document,
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

Size = Literal["small", "medium", "large"]

TENANTS: Final[dict[Size, int]] = {"small": 2, "medium": 10, "large": 100}
SURVEYS: Final[dict[Size, int]] = {"small": 3, "medium": 15, "large": 30}
BEGIN = datetime(2026, 2, 2, 9, tzinfo=UTC)

STREETS = ("Mill Lane", "Church Road", "Station Street", "Harbour View", "Elm Grove")
LIBRARY: Final = {
    "Roof": {"Covering": ("Slate", "Tile"), "Chimney": ("Brick", "Render")},
    "Walls": {"Outer leaf": ("Brick", "Stone"), "Windows": ("Timber", "uPVC")},
    "Floors": {"Ground floor": ("Concrete", "Timber")},
}
GRADES = ("Good", "Fair", "Poor", "N/A")


def seed(store: Surveys, size: Size = "small") -> int:
    """Fill a store; count the items."""
    count = 0
    for number in range(TENANTS[size]):
        items = list(_items(f"tenant-{number:03d}", SURVEYS[size], Random(number)))  # noqa: S311 - the same every time
        # Surveys first: sections are counted on them.
        for item in items:
            if isinstance(item, Survey):
                store.put(item)
        store.put_many(item for item in items if not isinstance(item, Survey))
        count += len(items)
    return count


def _items(tenant_id: str, surveys: int, random: Random) -> Iterator[Entity]:
    yield Tenant(tenant_id=tenant_id, name=f"{tenant_id.title()} Surveyors")
    library = list(_library(tenant_id))
    yield from library
    for number in range(surveys):
        yield from _survey(tenant_id, number, library, random)
    for number in range(3):
        yield Image(
            tenant_id=tenant_id,
            image_id=f"image-{number}",
            image_path=f"images/{tenant_id}/image-{number}",
        )
        yield Document(
            tenant_id=tenant_id, document_id="terms", number=number + 1, body=f"Terms, {number + 1}"
        )


def _library(tenant_id: str) -> Iterator[Entity]:
    of: dict[str, Any] = {"tenant_id": tenant_id}
    for order, (section, elements) in enumerate(LIBRARY.items()):
        section_id = _id(section)
        yield Section(**of, section_id=section_id, name=section, order=order)
        for place, (element, materials) in enumerate(elements.items()):
            element_id = _id(element)
            yield Element(
                **of, element_id=element_id, section_id=section_id, name=element, order=place
            )
            yield Component(
                **of,
                component_id=f"{element_id}-main",
                element_id=element_id,
                name=element,
                materials=[Material(name=name) for name in materials],
            )
            yield Phrase(
                **of,
                phrase_id=f"worn-{element_id}",
                kind="Defect",
                name=f"Worn {element}",
                text=f"The {element.lower()} is worn and should be looked at again within a year.",
            )
            yield PhraseUse(
                **of,
                target_id=element_id,
                phrase_id=f"worn-{element_id}",
                name=f"Worn {element}",
            )


def _survey(tenant_id: str, number: int, library: list[Entity], random: Random) -> Iterator[Entity]:
    survey_id = f"survey-{number:03d}"
    begun = BEGIN + timedelta(days=number)
    owner = f"surveyor-{number % 3}"
    of: dict[str, Any] = {"tenant_id": tenant_id, "survey_id": survey_id}
    yield Survey(
        **of,
        title=f"Survey of {random.choice(STREETS)} {random.randint(1, 120)}",
        address=f"{random.randint(1, 120)} {random.choice(STREETS)}",
        survey_date=f"{begun:%Y-%m-%d}",
        status=random.choice(("draft", "published")),
        current_config_version=begun,
        owner=owner,
        created_at=begun,
    )
    yield Access(user_id=owner, survey_id=survey_id, tenant_id=tenant_id, role="owner")
    yield _snapshot(of, begun, library)
    for part in library:
        yield from _part(of, part, random)


def _snapshot(of: dict[str, Any], taken_at: datetime, library: list[Entity]) -> SurveyConfig:
    kept = Library(
        sections=[one for one in library if isinstance(one, Section)],
        elements=[one for one in library if isinstance(one, Element)],
        components=[one for one in library if isinstance(one, Component)],
        phrases=[one for one in library if isinstance(one, Phrase)],
    )
    return SurveyConfig(**of, taken_at=taken_at, library=kept.packed())


def _part(of: dict[str, Any], part: Entity, random: Random) -> Iterator[Entity]:
    """Make the survey's own copy of something in the library, with what was seen."""
    seen: dict[str, Any] = {"condition": random.choice(GRADES)}
    if isinstance(part, Section):
        yield SurveySection(
            **of, **seen, section_id=part.section_id, name=part.name, order=part.order
        )
    elif isinstance(part, Element):
        yield SurveyElement(
            **of,
            **seen,
            section_id=part.section_id,
            element_id=part.element_id,
            name=part.name,
            order=part.order,
        )
    elif isinstance(part, Component):
        yield SurveyComponent(
            **of,
            **seen,
            element_id=part.element_id,
            component_id=part.component_id,
            name=part.name,
            material=random.choice(part.materials).name,
        )


def _id(name: str) -> str:
    return name.lower().replace(" ", "-")
