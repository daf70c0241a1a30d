"""The library of a company, as it is at one moment."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, Literal

from .design import SurveyConfig, Surveys

KINDS: Final[tuple[Literal["Defect"], Literal["Condition"]]] = ("Defect", "Condition")


def taken_of(store: Surveys, tenant_id: str, survey_id: str) -> SurveyConfig:
    """Read the library: its sections, their elements, their components, and the phrases."""
    sections = store.sections(tenant_id).all()
    elements = [
        one for section in sections for one in store.elements(tenant_id, section.section_id)
    ]
    components = [
        one for element in elements for one in store.components(tenant_id, element.element_id)
    ]
    phrases = [one for kind in KINDS for one in store.phrases(tenant_id, kind)]
    return SurveyConfig(
        tenant_id=tenant_id,
        survey_id=survey_id,
        taken_at=datetime.now(UTC),
        sections=sections,
        elements=elements,
        components=components,
        phrases=phrases,
    )
