"""What is sent to the service, and what it shows where that is not the entity itself."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from apps.service import Changes, Sent
from apps.service.uploads import Upload

from .design import (
    Grade,
    Image,
    Survey,
    SurveyComponent,
    SurveyConfig,
    SurveyElement,
    SurveySection,
    SurveyView,
)
from .snapshots import Library

Name = Annotated[str, Field(min_length=1, max_length=200)]
Line = Annotated[str, Field(max_length=500)]
Notes = Annotated[str, Field(max_length=5000)]
Ref = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_-]+$")]
Order = Annotated[int, Field(ge=0, le=99_999)]
Photos = Annotated[list[Ref], Field(max_length=50)]
Defects = Annotated[list[Line], Field(max_length=50)]
Measurements = Annotated[dict[Ref, Line], Field(max_length=50)]
BATCH_MAX = 500


class TenantName(Sent):
    """Says what a company is called."""

    name: Name


class NewSurvey(Sent):
    """Describes a survey that begins."""

    title: Name
    address: Line = ""
    client_name: Line = ""
    survey_date: Line = ""


class SurveyChanges(Changes):
    """Has the fields of a survey that are to change."""

    title: Name = ""
    address: Line = ""
    client_name: Line = ""
    survey_date: Line = ""
    status: Literal["draft", "published", "archived"] = "draft"


class NewSection(Sent):
    """Describes a section."""

    name: Name
    order: Order = 0


class SectionChanges(Changes):
    """Has the fields of a survey's section that are to change."""

    name: Name = ""
    order: Order = 0
    notes: Notes = ""
    condition: Grade = "N/A"
    photos: Photos = []


class NewElement(Sent):
    """Describes an element of a section."""

    section_id: Ref
    name: Name
    order: Order = 0


class ElementChanges(Changes):
    """Has the fields of a survey's element that are to change."""

    name: Name = ""
    order: Order = 0
    condition: Grade = "N/A"
    defects: Defects = []
    notes: Notes = ""
    photos: Photos = []
    measurements: Measurements = {}


class NewComponent(Sent):
    """Describes a component of an element."""

    element_id: Ref
    name: Name
    material: Line = ""


class ComponentChanges(Changes):
    """Has the fields of a survey's component that are to change."""

    name: Name = ""
    material: Line = ""
    condition: Grade = "N/A"
    age: Line | None = None
    last_maintenance: Line | None = None
    defects: Defects = []
    notes: Notes = ""
    photos: Photos = []


class OneChange(Sent):
    """A change of one part of a survey, among others."""

    kind: Literal["section", "element", "component"]
    id: Ref
    version: Annotated[int, Field(ge=0, lt=10**18)]
    fields: dict[str, Any]


class Batch(Sent):
    """Many changes of one survey, of each part at most one."""

    changes: Annotated[list[OneChange], Field(min_length=1, max_length=BATCH_MAX)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len({(one.kind, one.id) for one in self.changes}) < len(self.changes):
            raise ValueError("a part is changed once in a batch: put its changes together")
        return self


class BatchDone(BaseModel):
    """Says how many changes were made."""

    changed: int


class LibrarySectionChanges(Changes):
    """Has the fields of a library's section that are to change."""

    name: Name = ""
    order: Order = 0
    description: Notes = ""


class LibraryElementChanges(Changes):
    """Has the fields of a library's element that are to change."""

    name: Name = ""
    order: Order = 0
    description: Notes = ""


class OneMaterial(Sent):
    """Names what a component may be made of."""

    name: Name


Materials = Annotated[list[OneMaterial], Field(max_length=50)]


class NewLibraryComponent(Sent):
    """Describes a component of the library."""

    element_id: Ref
    name: Name
    materials: Materials = []


class LibraryComponentChanges(Changes):
    """Has the fields of a library's component that are to change."""

    name: Name = ""
    materials: Materials = []


class NewPhrase(Sent):
    """A sentence for reports."""

    kind: Literal["Defect", "Condition"]
    name: Name
    text: Notes
    level2: Line | None = None
    associated_material_ids: Annotated[list[Ref], Field(max_length=50)] = []


class NewImage(Sent):
    """Describes a photograph that is to be uploaded."""

    caption: Line = ""


class ImageUpload(BaseModel):
    """A photograph, and where to send it."""

    image: Image
    upload: Upload


class NewDocument(Sent):
    """The next version of a document."""

    body: Annotated[str, Field(max_length=100_000)]


class NewAccess(Sent):
    """Says as what somebody works on a survey."""

    role: Literal["editor", "viewer"]


class Waiting(Sent):
    """Names what is to be synchronised."""

    entity_id: Ref


class SnapshotListed(BaseModel):
    """Names a snapshot of the library, and tells how large it is."""

    survey_id: str
    taken_at: datetime
    size_bytes: int

    @classmethod
    def of(cls, found: SurveyConfig) -> SnapshotListed:
        """Show what stands in the snapshot's item."""
        size = found.library.size_bytes
        return cls(survey_id=found.survey_id, taken_at=found.taken_at, size_bytes=size)


class Snapshot(Library):
    """The library as it was."""

    survey_id: str
    taken_at: datetime

    @classmethod
    def of(cls, found: SurveyConfig, library: Library) -> Snapshot:
        """Show a snapshot with what it keeps."""
        return cls(survey_id=found.survey_id, taken_at=found.taken_at, **dict(library))


class ElementShown(BaseModel):
    """An element with its components."""

    element: SurveyElement
    components: list[SurveyComponent]


class SectionShown(BaseModel):
    """A section with its elements."""

    section: SurveySection
    elements: list[ElementShown]


class SurveyShown(BaseModel):
    """A whole survey."""

    survey: Survey
    sections: list[SectionShown]

    @classmethod
    def of(cls, view: SurveyView) -> SurveyShown:
        """Show what one request has read."""
        return cls.model_validate(view, from_attributes=True)
