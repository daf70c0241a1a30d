"""Surveys of two tenants with ids that begin alike, and what each access pattern gives of them."""

from datetime import datetime

from apps.surveys.design import (
    Access,
    Component,
    Document,
    Element,
    Image,
    Material,
    Phrase,
    PhraseUse,
    Request,
    Section,
    Survey,
    SurveyComponent,
    SurveyConfig,
    SurveyElement,
    Surveys,
    SurveySection,
    SyncItem,
    SyncStatus,
    Tenant,
)
from singletable import Entity, Large
from tests.apps.worlds import Case, World, at


def _survey(tenant: str, survey: str, owner: str, month: int) -> Survey:
    return Survey(
        tenant_id=tenant,
        survey_id=survey,
        title=f"{survey} Harbour Street",
        owner=owner,
        created_at=at(month, 1),
        updated_at=at(month, 2),
    )


def _image(image: str, status: SyncStatus, changed: datetime) -> Image:
    return Image(
        tenant_id="t1",
        image_id=image,
        image_path=f"{image}.jpg",
        sync_status=status,
        updated_at=changed,
    )


SECTION = Section(tenant_id="t1", section_id="se1", name="Outside", order=1, updated_at=at(1, 3))

ITEMS: list[Entity] = [
    Tenant(tenant_id="t1", name="Ann & Ben", updated_at=at(1, 1)),
    Tenant(tenant_id="t10", name="Others", updated_at=at(1, 1)),
    _survey("t1", "sv1", "ann", 2),
    _survey("t1", "sv10", "ben", 4),
    _survey("t1", "sv2", "ann", 3),
    _survey("t10", "sv3", "ann", 3),
    *(
        SurveySection(
            tenant_id=tenant,
            survey_id=survey,
            section_id=section,
            name=section,
            order=order,
            updated_at=at(5, 1),
        )
        for tenant, survey, section, order in (
            ("t1", "sv1", "a", 10),
            ("t1", "sv1", "b", 2),
            ("t1", "sv10", "c", 1),
            ("t10", "sv3", "d", 1),
        )
    ),
    *(
        SurveyElement(
            tenant_id="t1",
            survey_id=survey,
            section_id=section,
            element_id=element,
            name=element,
            order=order,
            measurements={"width": "2.40"},
            updated_at=at(5, 2),
        )
        for survey, section, element, order in (
            ("sv1", "a", "e1", 10),
            ("sv1", "a", "e2", 9),
            ("sv1", "b", "e3", 1),
            ("sv10", "c", "e4", 1),
        )
    ),
    *(
        SurveyComponent(
            tenant_id="t1",
            survey_id=survey,
            element_id=element,
            component_id=component,
            name=component,
            updated_at=at(5, 3),
        )
        for survey, element, component in (
            ("sv1", "e1", "k1"),
            ("sv1", "e1", "k2"),
            ("sv1", "e3", "k3"),
            ("sv10", "e4", "k4"),
        )
    ),
    SECTION,
    Section(tenant_id="t10", section_id="se1", name="Roof", updated_at=at(1, 3)),
    *(
        Element(
            tenant_id="t1",
            section_id=section,
            element_id=element,
            name=element,
            order=order,
            updated_at=at(1, 4),
        )
        for section, element, order in (("se1", "el1", 10), ("se1", "el2", 9), ("se10", "el3", 1))
    ),
    *(
        Component(
            tenant_id="t1",
            element_id=element,
            component_id=component,
            name=component,
            materials=[Material(name="slate")],
            updated_at=at(1, 5),
        )
        for element, component in (("el1", "co2"), ("el1", "co1"), ("el10", "co3"))
    ),
    Phrase(
        tenant_id="t1",
        phrase_id="p1",
        kind="Defect",
        name="Crack",
        text="There is a crack.",
        updated_at=at(1, 6),
    ),
    Phrase(
        tenant_id="t1",
        phrase_id="p2",
        kind="Condition",
        name="Sound",
        text="It is sound.",
        updated_at=at(1, 6),
    ),
    *(
        PhraseUse(
            tenant_id="t1", target_id=target, phrase_id=phrase, name="Crack", updated_at=at(1, 7)
        )
        for target, phrase in (("el1", "p1"), ("el1", "p2"), ("el10", "p1"))
    ),
    *(
        SurveyConfig(
            tenant_id="t1",
            survey_id=survey,
            taken_at=at(2, day),
            library=Large(b"{}"),
            updated_at=at(2, day),
        )
        for survey, day in (("sv1", 3), ("sv1", 9), ("sv10", 5))
    ),
    _image("i1", "pending", at(6, 2)),
    _image("i2", "pending", at(6, 1)),
    _image("i3", "failed", at(6, 3)),
    *(
        Document(tenant_id="t1", document_id=document, number=number, body="…", updated_at=at(1, 8))
        for document, number in (("d1", 1), ("d1", 2), ("d1", 10), ("d10", 3))
    ),
    Request(tenant_id="t1", request_id="r1", fingerprint="f", made={}, expires_at=at(12, 31, 13)),
    Access(user_id="ann", survey_id="sv1", tenant_id="t1", role="owner"),
    Access(user_id="ann", survey_id="sv3", tenant_id="t10", role="viewer"),
    Access(user_id="ben", survey_id="sv1", tenant_id="t1", role="editor"),
    *(
        SyncItem(
            tenant_id="t1",
            entity_id=entity,
            created_at=at(6, day),
            updated_at=at(6, day),
            expires_at=at(12, 31, 18),
        )
        for entity, day in (("i1", 5), ("i2", 4))
    ),
]

WHOLE_SURVEY = {
    "survey": "Survey sv1",
    "sections": [
        {
            "section": "SurveySection b",
            "elements": [{"element": "SurveyElement e3", "components": ["SurveyComponent k3"]}],
        },
        {
            "section": "SurveySection a",
            "elements": [
                {"element": "SurveyElement e2", "components": []},
                {
                    "element": "SurveyElement e1",
                    "components": ["SurveyComponent k1", "SurveyComponent k2"],
                },
            ],
        },
    ],
}

EVERYTHING = """
    Component co1, Component co2, Component co3,
    SurveyConfig 03, SurveyConfig 09, SurveyConfig 05,
    Document 10, Document 2, Document 1, Document 3,
    Element el1, Element el2, Element el3,
    Image i1, Image i2, Image i3,
    Tenant t1,
    Phrase p2, Phrase p1,
    PhraseUse p1, PhraseUse p2, PhraseUse p1,
    Section se1,
    Survey sv1,
    SurveyComponent k1, SurveyComponent k2, SurveyComponent k3,
    SurveyElement e1, SurveyElement e2, SurveyElement e3,
    SurveySection a, SurveySection b,
    Survey sv10, SurveyComponent k4, SurveyElement e4, SurveySection c,
    Survey sv2,
    SyncItem i2, SyncItem i1
"""

CASES: list[Case[Surveys]] = [
    Case("a tenant is one item", lambda store: store.tenant("t1"), ["Tenant t1"]),
    Case(
        "everything is all types of one tenant",
        lambda store: store.everything("t1"),
        [each.strip() for each in EVERYTHING.split(",")],
    ),
    Case(
        "a survey comes whole, sections and elements in their order",
        lambda store: store.survey("t1", "sv1"),
        [WHOLE_SURVEY],
    ),
    Case(
        "a survey may be empty",
        lambda store: store.survey("t1", "sv2"),
        [{"survey": "Survey sv2", "sections": []}],
    ),
    Case("a survey of others is none", lambda store: store.survey("t10", "sv1"), []),
    Case(
        "surveys come newest first",
        lambda store: store.surveys("t1"),
        ["Survey sv10", "Survey sv2", "Survey sv1"],
    ),
    Case(
        "an owner's surveys are of one tenant",
        lambda store: store.surveys_of("t1", "ann"),
        ["Survey sv1", "Survey sv2"],
    ),
    Case(
        "surveys of all tenants come in order, from ten shards",
        lambda store: store.surveys_everywhere(),
        ["Survey sv1", "Survey sv10", "Survey sv2", "Survey sv3"],
        requests=10,
    ),
    Case(
        "shared surveys are of one tenant",
        lambda store: store.surveys_shared_with("ann", "t1"),
        ["Access sv1"],
    ),
    Case(
        "a survey's sections come in their order, 2 before 10",
        lambda store: store.survey_sections("t1", "sv1"),
        ["SurveySection b", "SurveySection a"],
    ),
    Case(
        "a section's elements come in their order, 9 before 10",
        lambda store: store.survey_elements("t1", "sv1", "a"),
        ["SurveyElement e2", "SurveyElement e1"],
    ),
    Case(
        "components are of one element",
        lambda store: store.survey_components("t1", "sv1", "e1"),
        ["SurveyComponent k1", "SurveyComponent k2"],
    ),
    Case(
        "snapshots come newest first, of one survey",
        lambda store: store.snapshots("t1", "sv1"),
        ["SurveyConfig 09", "SurveyConfig 03"],
    ),
    Case(
        "the library's sections are of one tenant",
        lambda store: store.sections("t1"),
        ["Section se1"],
    ),
    Case(
        "the library's elements come in their order, of one section",
        lambda store: store.elements("t1", "se1"),
        ["Element el2", "Element el1"],
    ),
    Case(
        "the library's components are of one element",
        lambda store: store.components("t1", "el1"),
        ["Component co1", "Component co2"],
    ),
    Case("phrases are of one kind", lambda store: store.phrases("t1", "Defect"), ["Phrase p1"]),
    Case(
        "phrases fit one target",
        lambda store: store.phrases_for("t1", "el1"),
        ["PhraseUse p1", "PhraseUse p2"],
    ),
    Case(
        "a phrase fits several targets",
        lambda store: store.uses_of_phrase("t1", "p1"),
        ["PhraseUse p1", "PhraseUse p1"],
    ),
    Case("images", lambda store: store.images("t1"), ["Image i1", "Image i2", "Image i3"]),
    Case(
        "versions of a document, 10 before 2",
        lambda store: store.document_versions("t1", "d1"),
        ["Document 10", "Document 2", "Document 1"],
    ),
    Case(
        "what waits comes oldest first",
        lambda store: store.with_sync_status("t1", "pending"),
        ["Image i2", "Image i1"],
    ),
    Case(
        "what was changed after a moment comes oldest first, of every type",
        lambda store: store.changed_since("t1", at(5, 3)),
        ["Image i2", "Image i1", "Image i3", "SyncItem i2", "SyncItem i1"],
    ),
    Case(
        "the queue comes oldest first",
        lambda store: store.sync_queue("t1"),
        ["SyncItem i2", "SyncItem i1"],
    ),
    Case("a request is known", lambda store: store.receipt("t1", "r1"), ["Request r1"]),
    Case("to its own tenant alone", lambda store: store.receipt("t10", "r1"), []),
]


def world() -> World[Surveys]:
    """Write the items into a store."""
    return World(Surveys, ITEMS, CASES)
