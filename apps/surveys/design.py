"""The design of the surveying app: its table, its entities, every access pattern.

All that a tenant owns lies in the tenant's partition, and in partitions of the indexes that name
the tenant, so that a store confined to one tenant can run every pattern but two: the
administrator's, and the one that starts from a user, who may have access in several tenants.
A survey's own sections, elements and components are copies of the library's, filled in on site;
they stand behind the survey, so that one query reads the whole of it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel

from apps.receipts import Receipt
from singletable import (
    Collection,
    Copied,
    Entity,
    Get,
    Index,
    Large,
    Query,
    Store,
    Table,
    camel_case,
    collect,
    count_of,
    created,
    expires,
    pattern,
    ulid,
    updated,
    version,
)

table = Table(
    "SurveyorData",
    indexes=["GSI1", "GSI2", "GSI3", "GSI4", "GSI5"],
    attribute_names=camel_case,
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
)

Grade = Literal["Good", "Fair", "Poor", "N/A"]
SyncStatus = Literal["synced", "pending", "failed"]


class Owned(Entity, table=table, pk="TENANT#{tenant_id}"):
    """What every item of a tenant has, and the two indexes that hold all of them."""

    by_sync_status = Index("GSI3", pk="TENANT#{tenant_id}#STATUS#{sync_status}", sk="{updated_at}")
    by_update = Index("GSI4", pk="TENANT#{tenant_id}", sk="{updated_at}")

    tenant_id: str
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()
    sync_status: SyncStatus = "synced"
    sync_error: str | None = None


class Tenant(Owned, sk="METADATA"):
    """A surveying company."""

    name: str


class Survey(Owned, type="SurveyMeta", sk="SURVEY#{survey_id}"):
    """A survey: what its list shows. The content stands in items of its own."""

    everywhere = Index(
        "GSI1", pk="SURVEYS#{survey_id:shard 10}", sk="TENANT#{tenant_id}#SURVEY#{survey_id}"
    )
    of_tenant = Index("GSI2", pk="TENANT#{tenant_id}#SURVEYS", sk="{created_at}#{survey_id}")
    by_owner = Index("GSI5", pk="TENANT#{tenant_id}#USER#{owner}", sk="SURVEY#{survey_id}")

    survey_id: str = ulid()
    title: str
    address: str = ""
    client_name: str = ""
    survey_date: str = ""
    status: Literal["draft", "published", "archived"] = "draft"
    current_config_version: datetime | None = None
    section_count: int = count_of("SurveySection")
    owner: str
    editors: list[str] = []
    viewers: list[str] = []


class SurveySection(Owned, sk="SURVEY#{survey_id}#SECTION#{section_id}"):
    """A section of one survey, with what was seen."""

    in_order = Index(
        "GSI2",
        pk="TENANT#{tenant_id}#SURVEY#{survey_id}",
        sk="SECTION#{order:05d}#{section_id}",
    )

    survey_id: str
    section_id: str = ulid()
    name: str
    order: int = 0
    notes: str = ""
    condition: Grade = "N/A"
    photos: list[str] = []
    completed_at: datetime | None = None
    completed_by: str | None = None


class SurveyElement(Owned, sk="SURVEY#{survey_id}#ELEMENT#{element_id}"):
    """A building element of one survey."""

    in_order = Index(
        "GSI2",
        pk="TENANT#{tenant_id}#SURVEY#{survey_id}#SECTION#{section_id}",
        sk="ELEMENT#{order:05d}#{element_id}",
    )

    survey_id: str
    section_id: str
    element_id: str = ulid()
    name: str
    order: int = 0
    condition: Grade = "N/A"
    defects: list[str] = []
    notes: str = ""
    photos: list[str] = []
    measurements: dict[str, str] = {}


class SurveyComponent(Owned, sk="SURVEY#{survey_id}#COMPONENT#{component_id}"):
    """A component of a building element of one survey."""

    of_element = Index(
        "GSI2",
        pk="TENANT#{tenant_id}#SURVEY#{survey_id}#ELEMENT#{element_id}",
        sk="COMPONENT#{component_id}",
    )

    survey_id: str
    element_id: str
    component_id: str = ulid()
    name: str
    material: str = ""
    condition: Grade = "N/A"
    age: str | None = None
    last_maintenance: str | None = None
    defects: list[str] = []
    notes: str = ""
    photos: list[str] = []


class Material(BaseModel):
    """What a component may be made of."""

    name: str


class Section(Owned, sk="SECTION#{section_id}"):
    """A section of the tenant's library."""

    section_id: str = ulid()
    name: str
    order: int = 0
    description: str = ""
    created_by: str | None = None


class Element(Owned, sk="ELEMENT#{element_id}"):
    """An element of the tenant's library."""

    of_section = Index(
        "GSI2",
        pk="TENANT#{tenant_id}#SECTION#{section_id}",
        sk="ELEMENT#{order:05d}#{element_id}",
    )

    element_id: str = ulid()
    section_id: str
    name: str
    order: int = 0
    description: str = ""


class Component(Owned, sk="COMPONENT#{component_id}"):
    """A component of the tenant's library, with the materials to choose from."""

    of_element = Index(
        "GSI2", pk="TENANT#{tenant_id}#ELEMENT#{element_id}", sk="COMPONENT#{component_id}"
    )

    component_id: str = ulid()
    element_id: str
    name: str
    materials: list[Material] = []


class Phrase(Owned, sk="PHRASE#{kind}#{phrase_id}"):
    """A sentence for reports, on a defect or a condition."""

    phrase_id: str = ulid()
    kind: Literal["Defect", "Condition"]
    name: str
    text: str
    level2: str | None = None
    associated_material_ids: list[str] = []


class PhraseUse(Owned, sk="PHRASEFOR#{target_id}#{phrase_id}"):
    """A phrase fits an element or component: one item for each, both ways to read."""

    of_phrase = Index(
        "GSI2", pk="TENANT#{tenant_id}#PHRASE#{phrase_id}", sk="PHRASEFOR#{target_id}"
    )

    target_id: str
    phrase_id: str
    name: Annotated[str, Copied(Phrase, "name")]


class SurveyConfig(Owned, sk="CONFIG#{survey_id}#{taken_at}"):
    """The library as it was when a survey began, or was brought up to date.

    It does not stand among the survey's parts, or whoever opens the survey would pay for it; and
    what it keeps is not in its item, which two indexes hold again.
    """

    survey_id: str
    taken_at: datetime
    library: Large[bytes]


class Image(Owned, sk="IMAGE#{image_id}"):
    """A photograph that was uploaded."""

    image_id: str = ulid()
    image_path: str
    caption: str = ""


class Document(Owned, sk="DOCUMENT#{document_id}#VERSION#{number:05d desc}"):
    """A version of a document; the newest sorts first."""

    document_id: str
    number: int
    body: str


class Access(Entity, table=table, pk="TENANT#{tenant_id}#USER#{user_id}", sk="SURVEY#{survey_id}"):
    """Notes which surveys somebody works on, and as what.

    The key names the tenant: ids of surveys are made on devices, and one company must not be able
    to write over what another has noted.
    """

    user_id: str
    survey_id: str
    tenant_id: str
    role: Literal["owner", "editor", "viewer"]


class SyncItem(Owned, sk="SYNC#{created_at}#{entity_id}"):
    """An entry of the queue of what is to be synchronised; gone after a day."""

    entity_id: str
    expires_at: datetime = expires(days=1)


class Request(
    Receipt, Entity, table=table, pk="TENANT#{tenant_id}#REQUESTS", sk="REQUEST#{request_id}"
):
    """What became of a request, for who sends it again."""

    tenant_id: str


@dataclass
class ElementView:
    """An element with its components."""

    element: SurveyElement
    components: list[SurveyComponent]


@dataclass
class SectionView:
    """A section with its elements."""

    section: SurveySection
    elements: list[ElementView]

    def __post_init__(self) -> None:
        self.elements.sort(key=lambda view: view.element.order)


@dataclass
class SurveyView:
    """A whole survey, as the site sheet shows it."""

    survey: Survey
    sections: list[SectionView]

    def __post_init__(self) -> None:
        self.sections.sort(key=lambda view: view.section.order)


class Surveys(Store, table=table):
    """Every access pattern of the surveying app."""

    ignored = {
        "H407": {
            "Survey": "its own item changes a few times a day: what changes more is elsewhere"
        },
        "K207": {
            "Component": "a component has a dozen materials to choose from",
        },
        "R107": {"surveys_everywhere": "for administrators, who see drafts too"},
        "R109": {"surveys_everywhere": "for administrators, who see every tenant"},
    }

    @pattern()
    def tenant(self, tenant_id: str) -> Get[Tenant]:
        """The company."""
        return Tenant.get(tenant_id=tenant_id)

    @pattern(page=100)
    def everything(self, tenant_id: str) -> Query[Owned]:
        """All data of a tenant, of every type: for exports."""
        return Owned.query(tenant_id=tenant_id)

    @pattern(rate_per_s=5)
    def survey(self, tenant_id: str, survey_id: str) -> Collection[SurveyView]:
        """A survey with its sections, their elements and their components, in one request."""
        return collect(SurveyView, tenant_id=tenant_id, survey_id=survey_id)

    @pattern(rate_per_s=5, page=50)
    def surveys(self, tenant_id: str) -> Query[Survey]:
        """The surveys of a tenant, newest first."""
        return Survey.of_tenant.query(tenant_id=tenant_id).newest_first()

    @pattern(rate_per_s=5, page=50)
    def surveys_of(self, tenant_id: str, owner: str) -> Query[Survey]:
        """The surveys of a user in a tenant."""
        return Survey.by_owner.query(tenant_id=tenant_id, owner=owner)

    @pattern(page=50)
    def surveys_everywhere(self) -> Query[Survey]:
        """All surveys of all tenants: for administrators."""
        return Survey.everywhere.query()

    @pattern(page=50)
    def surveys_shared_with(self, user_id: str, tenant_id: str) -> Query[Access]:
        """The surveys of a tenant that a user works on."""
        return Access.query(user_id=user_id, tenant_id=tenant_id)

    @pattern()
    def survey_sections(self, tenant_id: str, survey_id: str) -> Query[SurveySection]:
        """The sections of a survey, in their order."""
        return SurveySection.in_order.query(tenant_id=tenant_id, survey_id=survey_id)

    @pattern()
    def survey_elements(
        self, tenant_id: str, survey_id: str, section_id: str
    ) -> Query[SurveyElement]:
        """The elements of a survey's section, in their order."""
        return SurveyElement.in_order.query(
            tenant_id=tenant_id, survey_id=survey_id, section_id=section_id
        )

    @pattern()
    def survey_components(
        self, tenant_id: str, survey_id: str, element_id: str
    ) -> Query[SurveyComponent]:
        """The components of a survey's element."""
        return SurveyComponent.of_element.query(
            tenant_id=tenant_id, survey_id=survey_id, element_id=element_id
        )

    @pattern()
    def snapshots(self, tenant_id: str, survey_id: str) -> Query[SurveyConfig]:
        """The library snapshots of a survey, newest first."""
        return SurveyConfig.query(tenant_id=tenant_id, survey_id=survey_id).newest_first()

    @pattern()
    def sections(self, tenant_id: str) -> Query[Section]:
        """The sections of the library."""
        return Section.query(tenant_id=tenant_id)

    @pattern()
    def elements(self, tenant_id: str, section_id: str) -> Query[Element]:
        """The library's elements of a section, in their order."""
        return Element.of_section.query(tenant_id=tenant_id, section_id=section_id)

    @pattern()
    def components(self, tenant_id: str, element_id: str) -> Query[Component]:
        """The library's components of an element."""
        return Component.of_element.query(tenant_id=tenant_id, element_id=element_id)

    @pattern()
    def phrases(self, tenant_id: str, kind: Literal["Defect", "Condition"]) -> Query[Phrase]:
        """The phrases on defects, or those on conditions."""
        return Phrase.query(tenant_id=tenant_id, kind=kind)

    @pattern()
    def phrases_for(self, tenant_id: str, target_id: str) -> Query[PhraseUse]:
        """The phrases that fit an element or component."""
        return PhraseUse.query(tenant_id=tenant_id, target_id=target_id)

    @pattern()
    def uses_of_phrase(self, tenant_id: str, phrase_id: str) -> Query[PhraseUse]:
        """The elements and components that a phrase fits."""
        return PhraseUse.of_phrase.query(tenant_id=tenant_id, phrase_id=phrase_id)

    @pattern(page=50)
    def images(self, tenant_id: str) -> Query[Image]:
        """All images of a tenant."""
        return Image.query(tenant_id=tenant_id)

    @pattern(page=10)
    def document_versions(self, tenant_id: str, document_id: str) -> Query[Document]:
        """The versions of a document, the latest first."""
        return Document.query(tenant_id=tenant_id, document_id=document_id)

    @pattern(page=100)
    def with_sync_status(self, tenant_id: str, status: SyncStatus) -> Query[Owned]:
        """What waits to be synchronised, or failed to be, oldest first."""
        return Owned.by_sync_status.query(tenant_id=tenant_id, sync_status=status)

    @pattern(page=100)
    def changed_since(self, tenant_id: str, since: datetime) -> Query[Owned]:
        """What was changed after a moment, oldest first."""
        return Owned.by_update.query(tenant_id=tenant_id).gt(since)

    @pattern()
    def sync_queue(self, tenant_id: str) -> Query[SyncItem]:
        """The queue of what is to be synchronised, oldest first."""
        return SyncItem.query(tenant_id=tenant_id)

    @pattern()
    def receipt(self, tenant_id: str, request_id: str) -> Get[Request]:
        """What became of a request that is sent again."""
        return Request.get(tenant_id=tenant_id, request_id=request_id).strong()
