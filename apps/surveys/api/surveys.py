"""Surveys: their list, and each of them as a whole."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from apps.service import After, Idempotent, IfMatch, Limit, Listing, Problem, change, tagged
from apps.surveys.design import (
    Access,
    Survey,
    SurveyComponent,
    SurveyConfig,
    SurveyElement,
    SurveySection,
)
from apps.surveys.shapes import NewSurvey, SurveyChanges, SurveyShown
from singletable import Transaction

from .here import READS, WRITES, Everyone, Here, Id, Own, editable

router = APIRouter(tags=["surveys"])

Owner = Annotated[str | None, Query(min_length=1, max_length=100)]


@router.get("/surveys", responses=READS)
def read_all(
    here: Here, store: Own, owner: Owner = None, after: After = None, limit: Limit = 50
) -> Listing[Survey]:
    """Give the company's surveys, newest first, or those of one of its users."""
    chosen = store.surveys(here.tenant_id)
    if owner is not None:
        chosen = store.surveys_of(here.tenant_id, owner)
    return Listing.of(chosen.limit(limit).page(after))


@router.post("/surveys", status_code=201, responses=WRITES)
def begin(body: NewSurvey, here: Here, store: Own, once: Idempotent, response: Response) -> Survey:
    """Begin a survey, which its owner works on from then on."""
    new = Survey(tenant_id=here.tenant_id, owner=here.user_id, **body.model_dump())
    access = Access(
        user_id=here.user_id, survey_id=new.survey_id, tenant_id=here.tenant_id, role="owner"
    )

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(new)
        tx.create(access)
        return {"survey_id": new.survey_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    read = Survey.get(tenant_id=here.tenant_id, **ids).strong()
    return tagged(response, store.bind(read).one())


@router.get("/surveys/{survey_id}", responses=READS)
def read(survey_id: Id, here: Here, store: Own, response: Response) -> SurveyShown:
    """Give a survey with its sections, their elements and their components: one request."""
    view = store.survey(here.tenant_id, survey_id).one()
    tagged(response, view.survey)
    return SurveyShown.of(view)


@router.patch("/surveys/{survey_id}", responses=WRITES)
def edit(
    survey_id: Id, body: SurveyChanges, here: Here, store: Own, version: IfMatch,
    response: Response,
) -> Survey:  # fmt: skip
    """Change a survey that nobody has changed since."""
    return change(store, editable(store, here, survey_id), version, body, response)


@router.delete("/surveys/{survey_id}", status_code=204, responses=WRITES)
def delete(survey_id: Id, here: Here, store: Own) -> None:
    """Delete a survey with all its parts; stopped in the middle, it goes on when asked again."""
    survey = editable(store, here, survey_id)
    if survey.owner != here.user_id and not here.is_admin:
        raise Problem(403, "Only the owner may delete a survey")
    ids = {"tenant_id": here.tenant_id, "survey_id": survey_id}
    # By their kinds, so that a part whose section or element is gone goes too; sections first, so
    # that nobody adds to one whose elements are gone already.
    for kind in (SurveySection, SurveyElement, SurveyComponent, SurveyConfig):
        store.delete_many(store.bind(kind.query(**ids).strong()))
    people = {survey.owner, *survey.editors, *survey.viewers}
    store.delete_many(Access.key(user_id=one, **ids) for one in people)
    store.delete(survey)  # not if somebody was let in meanwhile, or took a snapshot


@router.get("/admin/surveys", responses=READS)
def read_everywhere(
    here: Here, everyone: Everyone, after: After = None, limit: Limit = 50
) -> Listing[Survey]:
    """Give the surveys of all companies; for who runs the service."""
    if not here.is_operator:
        raise Problem(403, "Only operators of the service may do this")
    return Listing.of(everyone.surveys_everywhere().limit(limit).page(after))
