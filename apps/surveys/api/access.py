"""Who works on a survey, and as what: everybody of the company may read it."""

from __future__ import annotations

from fastapi import APIRouter

from apps.service import After, Limit, Listing, Problem
from apps.surveys.design import Access, Survey
from apps.surveys.shapes import NewAccess

from .here import READS, WRITES, Here, Id, Own, editable

router = APIRouter(tags=["access"])


@router.get("/me/surveys", responses=READS)
def read(here: Here, store: Own, after: After = None, limit: Limit = 50) -> Listing[Access]:
    """Give the surveys that the caller works on."""
    found = store.surveys_shared_with(here.user_id, here.tenant_id)
    return Listing.of(found.limit(limit).page(after))


@router.put("/surveys/{survey_id}/access/{user_id}", responses=WRITES)
def grant(survey_id: Id, user_id: Id, body: NewAccess, here: Here, store: Own) -> Access:
    """Have somebody edit a survey, or find it in their list."""
    survey = editable(store, here, survey_id)
    if user_id == survey.owner:
        raise Problem(409, "The owner has access already")
    access = Access(user_id=user_id, survey_id=survey_id, tenant_id=here.tenant_id, role=body.role)
    with store.transaction() as tx:
        tx.update(survey, _people(survey, user_id, body.role))
        tx.put(access)
    return access


@router.delete("/surveys/{survey_id}/access/{user_id}", status_code=204, responses=WRITES)
def revoke(survey_id: Id, user_id: Id, here: Here, store: Own) -> None:
    """Have somebody no longer edit a survey, nor find it in their list."""
    survey = editable(store, here, survey_id)
    if user_id == survey.owner:
        raise Problem(409, "The owner stays")
    ids = {"tenant_id": here.tenant_id, "user_id": user_id, "survey_id": survey_id}
    with store.transaction() as tx:
        tx.update(survey, _people(survey, user_id, None))
        tx.delete(Access.key(**ids))


def _people(survey: Survey, user_id: str, role: str | None) -> dict[str, list[str]]:
    """Give the editors and viewers of a survey when somebody has another role, or none."""
    people = {"editor": survey.editors, "viewer": survey.viewers}
    return {
        f"{name}s": sorted({*those} - {user_id} | ({user_id} if name == role else set()))
        for name, those in people.items()
    }
