"""The library of a company, as it is at one moment: what a snapshot keeps."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel

from singletable import Large

from .design import Component, Element, Phrase, Section, SurveyConfig, Surveys

KINDS: Final[tuple[Literal["Defect"], Literal["Condition"]]] = ("Defect", "Condition")


class Library(BaseModel):
    """Has all that a company's surveys are made of."""

    sections: list[Section] = []
    elements: list[Element] = []
    components: list[Component] = []
    phrases: list[Phrase] = []

    @classmethod
    def read(cls, store: Surveys, tenant_id: str) -> Library:
        """Read the library: its sections, their elements, their components, and the phrases."""
        sections = store.sections(tenant_id).all()
        elements = [
            one for section in sections for one in store.elements(tenant_id, section.section_id)
        ]
        components = [
            one for element in elements for one in store.components(tenant_id, element.element_id)
        ]
        phrases = [one for kind in KINDS for one in store.phrases(tenant_id, kind)]
        return cls(sections=sections, elements=elements, components=components, phrases=phrases)

    @classmethod
    def load(cls, store: Surveys, snapshot: SurveyConfig) -> Library:
        """Load the library that a snapshot keeps."""
        return cls.model_validate_json(store.load(snapshot.library))

    def packed(self) -> Large[bytes]:
        """Give it as a snapshot keeps it: a library may be larger than an item."""
        return Large(self.model_dump_json().encode())
