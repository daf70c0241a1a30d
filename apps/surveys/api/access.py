"""Who may see a survey."""

from __future__ import annotations

from fastapi import APIRouter

from apps.service import After, Limit, Listing, Problem
from apps.surveys.design import Access
from apps.surveys.shapes import NewAccess

from .here import READS, WRITES, Everyone, Here, Id, Own, editable

router = APIRouter(tags=["access"])


@router.get("/me/surveys", responses=READS)
def read(here: Here, everyone: Everyone, after: After = None, limit: Limit = 50) -> Listing[Access]:
    """Give the surveys that the caller may see, in this company."""
    found = everyone.surveys_shared_with(here.user_id, here.tenant_id)
    return Listing.of(found.limit(limit).page(after))


@router.put("/surveys/{survey_id}/access/{user_id}", responses=WRITES)
def grant(
    survey_id: Id, user_id: Id, body: NewAccess, here: Here, store: Own, everyone: Everyone
) -> Access:
    """Let somebody see or edit a survey."""
    survey = editable(store, here, survey_id)
    if user_id == survey.owner:
        raise Problem(409, "The owner has access already")
    editors = {*survey.editors} - {user_id} | ({user_id} if body.role == "editor" else set())
    viewers = {*survey.viewers} - {user_id} | ({user_id} if body.role == "viewer" else set())
    access = Access(user_id=user_id, survey_id=survey_id, tenant_id=here.tenant_id, role=body.role)
    with everyone.transaction() as tx:
        tx.update(survey, editors=sorted(editors), viewers=sorted(viewers))
        tx.put(access)
    return access
