"""The library of a company, as it is at one moment: what a snapshot keeps."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from singletable import Large

from .design import Component, Element, Owned, Phrase, Section, SurveyConfig, Surveys

Kind = TypeVar("Kind", bound=Owned)


class Library(BaseModel):
    """Has all that a company's surveys are made of."""

    sections: list[Section] = []
    elements: list[Element] = []
    components: list[Component] = []
    phrases: list[Phrase] = []

    @classmethod
    def read(cls, store: Surveys, tenant_id: str) -> Library:
        """Read the library as it is now: a query for each kind, however many there are of it.

        What was in a section that is gone, or in an element of one, is not of the library.
        """
        sections = _all(store, Section, tenant_id)
        of = {one.section_id for one in sections}
        elements = [one for one in _all(store, Element, tenant_id) if one.section_id in of]
        elements.sort(key=lambda one: (one.section_id, one.order))
        of = {one.element_id for one in elements}
        components = [one for one in _all(store, Component, tenant_id) if one.element_id in of]
        phrases = _all(store, Phrase, tenant_id)
        return cls(sections=sections, elements=elements, components=components, phrases=phrases)

    @classmethod
    def load(cls, store: Surveys, snapshot: SurveyConfig) -> Library:
        """Load the library that a snapshot keeps."""
        return cls.model_validate_json(store.load(snapshot.library))

    def packed(self) -> Large[bytes]:
        """Give it as a snapshot keeps it: a library may be larger than an item."""
        return Large(self.model_dump_json().encode())


def _all(store: Surveys, kind: type[Kind], tenant_id: str) -> list[Kind]:
    return store.bind(kind.query(tenant_id=tenant_id).strong()).all()
