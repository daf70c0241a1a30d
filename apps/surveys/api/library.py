"""The library of a company: what its surveys are made of."""

from __future__ import annotations

from fastapi import APIRouter, Response

from apps.service import After, Idempotent, IfMatch, Limit, Listing, change, tagged
from apps.surveys.design import Component, Element, Section
from apps.surveys.shapes import (
    LibraryComponentChanges,
    LibraryElementChanges,
    LibrarySectionChanges,
    NewElement,
    NewLibraryComponent,
    NewSection,
)
from singletable import Transaction

from .here import READS, WRITES, Here, Id, Own

router = APIRouter(prefix="/library", tags=["library"])


@router.get("/sections", responses=READS)
def read_sections(
    here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[Section]:
    """Give the sections of the library."""
    return Listing.of(store.sections(here.tenant_id).limit(limit).page(after))


@router.post("/sections", status_code=201, responses=WRITES)
def add_section(
    body: NewSection, here: Here, store: Own, once: Idempotent, response: Response
) -> Section:
    """Add a section."""
    new = Section(tenant_id=here.tenant_id, created_by=here.user_id, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(new)
        return {"section_id": new.section_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = Section.get(tenant_id=here.tenant_id, **ids)
    return tagged(response, store.bind(read.strong()).one())


@router.patch("/sections/{section_id}", responses=WRITES)
def edit_section(
    section_id: Id, body: LibrarySectionChanges, here: Here, store: Own, version: IfMatch,
    response: Response,
) -> Section:  # fmt: skip
    """Change a section that nobody has changed since."""
    read = Section.get(tenant_id=here.tenant_id, section_id=section_id)
    return change(store, store.bind(read.strong()).one(), version, body, response)


@router.delete("/sections/{section_id}", status_code=204, responses=WRITES)
def delete_section(section_id: Id, here: Here, store: Own) -> None:
    """Delete a section; its elements stay."""
    store.delete(Section.key(tenant_id=here.tenant_id, section_id=section_id))


@router.get("/sections/{section_id}/elements", responses=READS)
def read_elements(
    section_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[Element]:
    """Give the elements of a section, in their order."""
    return Listing.of(store.elements(here.tenant_id, section_id).limit(limit).page(after))


@router.post("/elements", status_code=201, responses=WRITES)
def add_element(
    body: NewElement, here: Here, store: Own, once: Idempotent, response: Response
) -> Element:
    """Add an element to a section."""
    new = Element(tenant_id=here.tenant_id, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        tx.check(Section.key(tenant_id=here.tenant_id, section_id=body.section_id))
        tx.create(new)
        return {"element_id": new.element_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = Element.get(tenant_id=here.tenant_id, **ids)
    return tagged(response, store.bind(read.strong()).one())


@router.patch("/elements/{element_id}", responses=WRITES)
def edit_element(
    element_id: Id, body: LibraryElementChanges, here: Here, store: Own, version: IfMatch,
    response: Response,
) -> Element:  # fmt: skip
    """Change an element that nobody has changed since."""
    read = Element.get(tenant_id=here.tenant_id, element_id=element_id)
    return change(store, store.bind(read.strong()).one(), version, body, response)


@router.get("/elements/{element_id}/components", responses=READS)
def read_components(
    element_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 100
) -> Listing[Component]:
    """Give the components of an element."""
    return Listing.of(store.components(here.tenant_id, element_id).limit(limit).page(after))


@router.post("/components", status_code=201, responses=WRITES)
def add_component(
    body: NewLibraryComponent, here: Here, store: Own, once: Idempotent, response: Response
) -> Component:
    """Add a component to an element."""
    new = Component(tenant_id=here.tenant_id, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        tx.check(Element.key(tenant_id=here.tenant_id, element_id=body.element_id))
        tx.create(new)
        return {"component_id": new.component_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = Component.get(tenant_id=here.tenant_id, **ids)
    return tagged(response, store.bind(read.strong()).one())


@router.patch("/components/{component_id}", responses=WRITES)
def edit_component(
    component_id: Id, body: LibraryComponentChanges, here: Here, store: Own, version: IfMatch,
    response: Response,
) -> Component:  # fmt: skip
    """Change a component that nobody has changed since."""
    read = Component.get(tenant_id=here.tenant_id, component_id=component_id)
    return change(store, store.bind(read.strong()).one(), version, body, response)
