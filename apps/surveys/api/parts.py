"""The parts of a survey: sections, elements, components, each with what was seen on site."""

from __future__ import annotations

from fastapi import APIRouter, Response

from apps.service import After, Idempotent, IfMatch, Limit, Listing, change, tagged
from apps.surveys.design import SurveyComponent, SurveyElement, SurveySection
from apps.surveys.shapes import (
    ComponentChanges,
    ElementChanges,
    NewComponent,
    NewElement,
    NewSection,
    SectionChanges,
)
from singletable import Transaction

from .here import READS, WRITES, Here, Id, Own, editable

router = APIRouter(prefix="/surveys/{survey_id}", tags=["parts of a survey"])


@router.get("/sections", responses=READS)
def read_sections(
    survey_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[SurveySection]:
    """Give the sections of a survey, in their order."""
    return Listing.of(store.survey_sections(here.tenant_id, survey_id).limit(limit).page(after))


@router.post("/sections", status_code=201, responses=WRITES)
def add_section(
    survey_id: Id, body: NewSection, here: Here, store: Own, once: Idempotent, response: Response
) -> SurveySection:
    """Add a section to a survey."""
    new = SurveySection(tenant_id=here.tenant_id, survey_id=survey_id, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        editable(store, here, survey_id)
        tx.create(new)
        return {"section_id": new.section_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = SurveySection.get(tenant_id=here.tenant_id, survey_id=survey_id, **ids)
    return tagged(response, store.bind(read.strong()).one())


@router.patch("/sections/{section_id}", responses=WRITES)
def edit_section(
    survey_id: Id,
    section_id: Id,
    body: SectionChanges,
    here: Here,
    store: Own,
    version: IfMatch,
    response: Response,
) -> SurveySection:
    """Change a section that nobody has changed since."""
    editable(store, here, survey_id)
    read = SurveySection.get(tenant_id=here.tenant_id, survey_id=survey_id, section_id=section_id)
    return change(store, store.bind(read.strong()).one(), version, body, response)


@router.delete("/sections/{section_id}", status_code=204, responses=WRITES)
def delete_section(survey_id: Id, section_id: Id, here: Here, store: Own) -> None:
    """Delete a section with its elements and their components.

    Stopped in the middle, it goes on when asked again.
    """
    editable(store, here, survey_id)
    of = {"tenant_id": here.tenant_id, "survey_id": survey_id}
    every_element = store.bind(SurveyElement.query(**of).strong())
    # From above, so that nobody adds to what is gone.
    store.delete(SurveySection.key(**of, section_id=section_id))
    store.delete_many(one for one in every_element if one.section_id == section_id)
    # Then the elements that are left: the other way round, a new component would seem to lack its.
    components = store.bind(SurveyComponent.query(**of).strong()).all()
    left = {one.element_id for one in every_element}
    store.delete_many(one for one in components if one.element_id not in left)


@router.get("/sections/{section_id}/elements", responses=READS)
def read_elements(
    survey_id: Id, section_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[SurveyElement]:
    """Give the elements of a section, in their order."""
    found = store.survey_elements(here.tenant_id, survey_id, section_id)
    return Listing.of(found.limit(limit).page(after))


@router.post("/elements", status_code=201, responses=WRITES)
def add_element(
    survey_id: Id, body: NewElement, here: Here, store: Own, once: Idempotent, response: Response
) -> SurveyElement:
    """Add an element to a section of a survey."""
    new = SurveyElement(tenant_id=here.tenant_id, survey_id=survey_id, **body.model_dump())
    section = SurveySection.key(
        tenant_id=here.tenant_id, survey_id=survey_id, section_id=body.section_id
    )

    def work(tx: Transaction) -> dict[str, str]:
        editable(store, here, survey_id)
        tx.check(section)
        tx.create(new)
        return {"element_id": new.element_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = SurveyElement.get(tenant_id=here.tenant_id, survey_id=survey_id, **ids)
    return tagged(response, store.bind(read.strong()).one())


@router.patch("/elements/{element_id}", responses=WRITES)
def edit_element(
    survey_id: Id,
    element_id: Id,
    body: ElementChanges,
    here: Here,
    store: Own,
    version: IfMatch,
    response: Response,
) -> SurveyElement:
    """Change an element that nobody has changed since."""
    editable(store, here, survey_id)
    read = SurveyElement.get(tenant_id=here.tenant_id, survey_id=survey_id, element_id=element_id)
    return change(store, store.bind(read.strong()).one(), version, body, response)


@router.get("/elements/{element_id}/components", responses=READS)
def read_components(
    survey_id: Id, element_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[SurveyComponent]:
    """Give the components of an element."""
    found = store.survey_components(here.tenant_id, survey_id, element_id)
    return Listing.of(found.limit(limit).page(after))


@router.post("/components", status_code=201, responses=WRITES)
def add_component(
    survey_id: Id, body: NewComponent, here: Here, store: Own, once: Idempotent,
    response: Response,
) -> SurveyComponent:  # fmt: skip
    """Add a component to an element of a survey."""
    new = SurveyComponent(tenant_id=here.tenant_id, survey_id=survey_id, **body.model_dump())
    element = SurveyElement.key(
        tenant_id=here.tenant_id, survey_id=survey_id, element_id=body.element_id
    )

    def work(tx: Transaction) -> dict[str, str]:
        editable(store, here, survey_id)
        tx.check(element)
        tx.create(new)
        return {"component_id": new.component_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = SurveyComponent.get(tenant_id=here.tenant_id, survey_id=survey_id, **ids)
    return tagged(response, store.bind(read.strong()).one())


@router.patch("/components/{component_id}", responses=WRITES)
def edit_component(
    survey_id: Id,
    component_id: Id,
    body: ComponentChanges,
    here: Here,
    store: Own,
    version: IfMatch,
    response: Response,
) -> SurveyComponent:
    """Change a component that nobody has changed since."""
    editable(store, here, survey_id)
    read = SurveyComponent.get(
        tenant_id=here.tenant_id, survey_id=survey_id, component_id=component_id
    )
    return change(store, store.bind(read.strong()).one(), version, body, response)
