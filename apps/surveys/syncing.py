"""What a surveyor's device sees, and what it may ask for: Replicache, by ``singletable.sync``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from apps.service import Sent
from singletable import Collection, Entity, NotFound, Transaction, collect
from singletable.sync import Mutates, Sync, mutator

from .api.here import Member
from .design import Access, Survey, SurveyComponent, SurveyElement, Surveys, SurveySection
from .shapes import (
    ComponentChanges,
    ElementChanges,
    NewComponent,
    NewElement,
    NewSection,
    NewSurvey,
    Ref,
    SectionChanges,
    SurveyChanges,
)


@dataclass
class OnSite:
    """What surveyors have at hand: they stand together, so that one query reads them."""

    surveys: list[Survey]
    sections: list[SurveySection]
    elements: list[SurveyElement]
    components: list[SurveyComponent]


class NotAllowed(Exception):
    """A surveyor may not change a survey."""


class Made(NewSurvey):
    """A survey that was begun on a device, which made its id."""

    survey_id: Ref


class MadeSection(NewSection):
    """A section that was made on a device."""

    survey_id: Ref
    section_id: Ref


class MadeElement(NewElement):
    """An element that was made on a device."""

    survey_id: Ref
    element_id: Ref


class MadeComponent(NewComponent):
    """A component that was made on a device."""

    survey_id: Ref
    component_id: Ref


class Edit(Sent):
    """Names the part of a survey that is changed."""

    survey_id: Ref


class EditSurvey(Edit):
    """Changes a survey."""

    changes: SurveyChanges


class EditSection(Edit):
    """Changes a section."""

    section_id: Ref
    changes: SectionChanges


class EditElement(Edit):
    """Changes an element."""

    element_id: Ref
    changes: ElementChanges


class EditComponent(Edit):
    """Changes a component."""

    component_id: Ref
    changes: ComponentChanges


class DeviceSync(Sync[Surveys, Member]):
    """Has devices see the surveys of their company, and edit those of their surveyor."""

    def owner(self, user: Member) -> str:
        """Give the user whose devices they are."""
        return user.user_id

    def scope(self, user: Member) -> Mapping[str, Any]:
        """Confine devices to their company."""
        return {"tenant_id": user.tenant_id}

    def view(self, user: Member) -> Iterable[Collection[Any]]:
        """Read the surveys of the company, and nothing else that it has."""
        yield collect(OnSite, tenant_id=user.tenant_id)

    def value(self, entity: Entity, user: Member) -> Any:
        """Show surveys and their parts, without what is of the table alone."""
        return entity.model_dump(mode="json", exclude={"tenant_id", "sync_status", "sync_error"})

    @mutator(name="beginSurvey")
    def begin_survey(self, tx: Transaction, args: Made, user: Member) -> None:
        """Begin a survey."""
        ids = {"tenant_id": user.tenant_id, "survey_id": args.survey_id}
        tx.create(Survey(tenant_id=user.tenant_id, owner=user.user_id, **args.model_dump()))
        tx.create(Access(**ids, user_id=user.user_id, role="owner"))

    @mutator(name="editSurvey")
    def edit_survey(self, tx: Transaction, args: EditSurvey, user: Member) -> Mutates:
        """Change a survey."""
        survey = yield from _editable(user, args.survey_id)
        tx.update(survey, args.changes.told())

    @mutator(name="addSection")
    def add_section(self, tx: Transaction, args: MadeSection, user: Member) -> Mutates:
        """Add a section to a survey."""
        yield from _editable(user, args.survey_id)
        tx.create(SurveySection(tenant_id=user.tenant_id, **args.model_dump()))

    @mutator(name="addElement")
    def add_element(self, tx: Transaction, args: MadeElement, user: Member) -> Mutates:
        """Add an element to a survey."""
        yield from _editable(user, args.survey_id)
        ids = {"tenant_id": user.tenant_id, "survey_id": args.survey_id}
        tx.check(SurveySection.key(**ids, section_id=args.section_id))
        tx.create(SurveyElement(tenant_id=user.tenant_id, **args.model_dump()))

    @mutator(name="addComponent")
    def add_component(self, tx: Transaction, args: MadeComponent, user: Member) -> Mutates:
        """Add a component to a survey."""
        yield from _editable(user, args.survey_id)
        ids = {"tenant_id": user.tenant_id, "survey_id": args.survey_id}
        tx.check(SurveyElement.key(**ids, element_id=args.element_id))
        tx.create(SurveyComponent(tenant_id=user.tenant_id, **args.model_dump()))

    @mutator(name="editSection")
    def edit_section(self, tx: Transaction, args: EditSection, user: Member) -> Mutates:
        """Change a section; what another device changed of it stays."""
        yield from _editable(user, args.survey_id)
        ids = {"survey_id": args.survey_id, "section_id": args.section_id}
        found = yield SurveySection.get(tenant_id=user.tenant_id, **ids)
        tx.update(_found(found), args.changes.told())

    @mutator(name="editElement")
    def edit_element(self, tx: Transaction, args: EditElement, user: Member) -> Mutates:
        """Change an element; what another device changed of it stays."""
        yield from _editable(user, args.survey_id)
        ids = {"survey_id": args.survey_id, "element_id": args.element_id}
        found = yield SurveyElement.get(tenant_id=user.tenant_id, **ids)
        tx.update(_found(found), args.changes.told())

    @mutator(name="editComponent")
    def edit_component(self, tx: Transaction, args: EditComponent, user: Member) -> Mutates:
        """Change a component; what another device changed of it stays."""
        yield from _editable(user, args.survey_id)
        ids = {"survey_id": args.survey_id, "component_id": args.component_id}
        found = yield SurveyComponent.get(tenant_id=user.tenant_id, **ids)
        tx.update(_found(found), args.changes.told())


def _editable(user: Member, survey_id: str) -> Any:
    """Read a survey, and refuse who may not change it."""
    survey = _found((yield Survey.get(tenant_id=user.tenant_id, survey_id=survey_id)))
    if not user.may_edit(survey):
        raise NotAllowed(f"{user.user_id} may not change {survey_id}")
    return survey


def _found(entity: Any) -> Any:
    """Refuse what is not there any more."""
    if entity is None:
        raise NotFound("It was deleted")
    return entity
