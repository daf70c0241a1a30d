"""The surveying app as it was first written down: its keys, indexes and patterns, faults and all.

Fields that the document nests in an object stand in the item itself where a key needs them. An
index is declared on exactly those entities whose items have its keys in the document.
"""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from singletable import (
    Collection,
    Entity,
    Index,
    Query,
    Store,
    Table,
    camel_case,
    collect,
    pattern,
)

table = Table(
    "SurveyorData",
    indexes=["GSI1", "GSI2", "GSI3", "GSI4", "GSI5"],
    attribute_names=camel_case,
)


class Owned(Entity, table=table, pk="TENANT#{tenant_id}"):
    """What every item of a tenant has."""

    tenant_id: str
    created_at: str
    updated_at: str
    version: int = 1
    sync_status: Literal["synced", "pending", "failed"] = "synced"
    sync_error: str | None = None


class Changing(Owned):
    """What has the keys of GSI4."""

    by_update = Index("GSI4", pk="TENANT#{tenant_id}", sk="{updated_at}")


class Tenant(Owned, sk="METADATA"):
    """A tenant."""


class Survey(Changing, type="SurveyMeta", sk="SURVEY#{survey_id}"):
    """A survey's metadata, which alone has the keys of GSI3 and GSI5."""

    by_type = Index("GSI1", pk="Survey", sk="TENANT#{tenant_id}#SURVEY#{survey_id}")
    by_sync_status = Index("GSI3", pk="TENANT#{tenant_id}#STATUS#{sync_status}", sk="{updated_at}")
    by_owner = Index("GSI5", pk="USER#{owner}", sk="TENANT#{tenant_id}#SURVEY#{survey_id}")

    survey_id: str
    title: str
    address: str
    client_name: str
    survey_date: str
    status: Literal["draft", "published", "archived"] = "draft"
    current_config_version: str
    section_count: int
    completed_sections: int
    owner: str
    editors: list[str]
    viewers: list[str]
    last_mutation_id: int


class SurveySection(Changing, sk="SURVEY#{survey_id}#SECTION#{section_id}"):
    """A section of a survey."""

    in_order = Index("GSI2", pk="SURVEY#{survey_id}", sk="SECTION#{order}")

    survey_id: str
    section_id: str
    name: str
    order: int
    notes: str
    condition: Literal["Good", "Fair", "Poor"]
    photos: list[str]
    completed_at: str | None = None
    completed_by: str | None = None


class SurveyElement(Changing, sk="SURVEY#{survey_id}#ELEMENT#{element_id}"):
    """An element of a survey."""

    in_order = Index("GSI2", pk="SURVEY#{survey_id}#SECTION#{section_id}", sk="ELEMENT#{order}")

    survey_id: str
    section_id: str
    element_id: str
    name: str
    order: int
    condition: Literal["Good", "Fair", "Poor", "N/A"]
    defects: list[str]
    notes: str
    photos: list[str]
    measurements: dict[str, str] | None = None


class SurveyComponent(Changing, sk="SURVEY#{survey_id}#COMPONENT#{component_id}"):
    """A component of a survey."""

    of_element = Index(
        "GSI2", pk="SURVEY#{survey_id}#ELEMENT#{element_id}", sk="COMPONENT#{component_id}"
    )

    survey_id: str
    element_id: str
    component_id: str
    name: str
    material: str
    condition: Literal["Good", "Fair", "Poor"]
    age: str | None = None
    last_maintenance: str | None = None
    defects: list[str]
    notes: str
    photos: list[str]


class ConfigSection(BaseModel):
    """A section of the library with all below it, as it was at some time."""

    id: str
    name: str
    order: int
    elements: list[dict[str, Any]]


class SurveyConfig(Owned, sk="SURVEY#{survey_id}#CONFIG#{timestamp}"):
    """The library as it was at some time."""

    of_survey = Index("GSI2", pk="SURVEY#{survey_id}", sk="CONFIG#{timestamp}")

    survey_id: str
    timestamp: str
    sections: list[ConfigSection]
    phrases: dict[str, list[dict[str, Any]]]


class Section(Changing, sk="SECTION#{section_id}"):
    """A section of the library."""

    by_type = Index("GSI1", pk="Section", sk="TENANT#{tenant_id}#SECTION#{section_id}")

    section_id: str
    name: str
    order: int
    description: str
    created_by: str


class Element(Changing, sk="ELEMENT#{element_id}"):
    """An element of the library."""

    by_type = Index("GSI1", pk="Element", sk="TENANT#{tenant_id}#ELEMENT#{element_id}")
    of_section = Index("GSI2", pk="SECTION#{section_id}", sk="ELEMENT#{element_id}")

    element_id: str
    section_id: str
    name: str
    order: int
    description: str


class Material(BaseModel):
    """What a component may be made of."""

    name: str


class Component(Changing, sk="COMPONENT#{component_id}"):
    """A component of the library."""

    by_type = Index("GSI1", pk="Component", sk="TENANT#{tenant_id}#COMPONENT#{component_id}")
    of_element = Index("GSI2", pk="ELEMENT#{element_id}", sk="COMPONENT#{component_id}")

    component_id: str
    element_id: str
    name: str
    materials: list[Material]


class Phrase(Changing, sk="PHRASE#{kind}#{phrase_id}"):
    """A phrase on a defect or a condition."""

    by_type = Index("GSI1", pk="Phrase#{kind}", sk="TENANT#{tenant_id}#PHRASE#{phrase_id}")

    phrase_id: str
    kind: Literal["Defect", "Condition"]
    name: str
    text: str
    level2: str | None = None
    associated_material_ids: list[str]
    associated_element_ids: list[str]
    associated_component_ids: list[str]


class Image(Owned, sk="IMAGE#{image_id}"):
    """A photograph that was uploaded."""

    image_id: str
    image_path: str
    caption: str


class Access(Entity, table=table, pk="USER#{user_id}", sk="SURVEY#{survey_id}"):
    """A user may see a survey."""

    user_id: str
    survey_id: str


class SyncItem(Owned, sk="SYNC#{timestamp}#{entity_id}"):
    """An entry of the queue of what is to be synchronised."""

    timestamp: str
    entity_id: str


@dataclass
class SurveyView:
    """A complete survey."""

    survey: Survey
    sections: list[SurveySection]
    elements: list[SurveyElement]
    components: list[SurveyComponent]


@dataclass
class Pending:
    """What is pending: the document expects items of every type."""

    surveys: list[Survey]
    sections: list[SurveySection]
    elements: list[SurveyElement]
    components: list[SurveyComponent]


class Surveys(Store, table=table):
    """The document's patterns, and the use cases that it gives for its indexes."""

    @pattern()
    def everything(self, tenant_id: str) -> Query[Owned]:
        """Get all data for a tenant."""
        return Owned.query(tenant_id=tenant_id)

    @pattern()
    def complete_survey(self, tenant_id: str, survey_id: str) -> Collection[SurveyView]:
        """Get the complete survey with all components, in one query."""
        return collect(SurveyView, tenant_id=tenant_id, survey_id=survey_id)

    @pattern()
    def survey_by_prefix(self, tenant_id: str, survey_id: str) -> Query[Survey]:
        """As the code of getCompleteSurvey has it: begins_with(SK, "SURVEY#<id>")."""
        return Survey.query(tenant_id=tenant_id).begins_with(survey_id)

    @pattern()
    def surveys(self, tenant_id: str) -> Query[Survey]:
        """List all surveys for a tenant."""
        return Survey.query(tenant_id=tenant_id)

    @pattern()
    def sections(self, tenant_id: str) -> Query[Section]:
        """Get all sections of the library."""
        return Section.query(tenant_id=tenant_id)

    @pattern()
    def elements(self, tenant_id: str) -> Query[Element]:
        """Get all elements of the library."""
        return Element.query(tenant_id=tenant_id)

    @pattern()
    def components(self, tenant_id: str) -> Query[Component]:
        """Get all components of the library."""
        return Component.query(tenant_id=tenant_id)

    @pattern()
    def sections_by_type(self, tenant_id: str) -> Query[Section]:
        """Or through GSI1: begins_with(GSI1SK, "TENANT#<id>"), with no delimiter at its end."""
        return Section.by_type.query().begins_with(tenant_id)

    @pattern()
    def all_surveys(self) -> Query[Survey]:
        """Get all surveys across tenants (admin)."""
        return Survey.by_type.query()

    @pattern()
    def phrases(self, tenant_id: str, kind: Literal["Defect", "Condition"]) -> Query[Phrase]:
        """Get phrases by type."""
        return Phrase.query(tenant_id=tenant_id, kind=kind)

    @pattern()
    def phrases_for(self, tenant_id: str, element_id: str) -> Query[Phrase]:
        """Get phrases for a specific element: listed as a pattern, and given no key."""
        return Phrase.query(tenant_id=tenant_id, element_id=element_id)

    @pattern()
    def images(self, tenant_id: str) -> Query[Image]:
        """Get all images for a tenant."""
        return Image.query(tenant_id=tenant_id)

    @pattern()
    def survey_sections(self, survey_id: str) -> Query[SurveySection]:
        """The sections of a survey, in their order."""
        return SurveySection.in_order.query(survey_id=survey_id)

    @pattern()
    def survey_elements(self, survey_id: str, section_id: str) -> Query[SurveyElement]:
        """The elements of a survey's section, in their order."""
        return SurveyElement.in_order.query(survey_id=survey_id, section_id=section_id)

    @pattern()
    def survey_components(self, survey_id: str, element_id: str) -> Query[SurveyComponent]:
        """The components of a survey's element."""
        return SurveyComponent.of_element.query(survey_id=survey_id, element_id=element_id)

    @pattern()
    def section_elements(self, section_id: str) -> Query[Element]:
        """Get all elements for a section."""
        return Element.of_section.query(section_id=section_id)

    @pattern()
    def element_components(self, element_id: str) -> Query[Component]:
        """Get all components for an element."""
        return Component.of_element.query(element_id=element_id)

    @pattern()
    def config_versions(self, survey_id: str) -> Query[SurveyConfig]:
        """Get all config versions for a survey."""
        return SurveyConfig.of_survey.query(survey_id=survey_id)

    @pattern()
    def pending(self, tenant_id: str) -> Query[Survey]:
        """Get items pending sync: the request as it is, and the items that have its keys."""
        return Survey.by_sync_status.query(tenant_id=tenant_id, sync_status="pending")

    @pattern()
    def pending_of_every_type(self, tenant_id: str) -> Collection[Pending]:
        """Get items pending sync: what the document expects of that request."""
        return collect(Pending, via="by_sync_status", tenant_id=tenant_id, sync_status="pending")

    @pattern()
    def changed_since(self, tenant_id: str, since: str) -> Query[Changing]:
        """Get recent changes for the Replicache pull."""
        return Changing.by_update.query(tenant_id=tenant_id).gt(since)

    @pattern()
    def surveys_of(self, owner: str) -> Query[Survey]:
        """Get all of a user's surveys."""
        return Survey.by_owner.query(owner=owner)
