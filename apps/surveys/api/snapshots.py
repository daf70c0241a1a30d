"""Snapshots of the library: what a survey was begun with, whatever becomes of the library."""

from __future__ import annotations

from fastapi import APIRouter

from apps.service import After, Limit, Listing
from apps.surveys.design import SurveyConfig
from apps.surveys.snapshots import taken_of

from .here import READS, WRITES, Here, Id, Own, editable

router = APIRouter(prefix="/surveys/{survey_id}/snapshots", tags=["snapshots"])


@router.get("", responses=READS)
def read(
    survey_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 10
) -> Listing[SurveyConfig]:
    """Give the snapshots of a survey, newest first."""
    return Listing.of(store.snapshots(here.tenant_id, survey_id).limit(limit).page(after))


@router.post("", status_code=201, responses=WRITES)
def take(survey_id: Id, here: Here, store: Own) -> SurveyConfig:
    """Take a snapshot of the library, which the survey goes by from now on."""
    survey = editable(store, here, survey_id)
    config = taken_of(store, here.tenant_id, survey_id)
    with store.transaction() as tx:
        tx.create(config)
        tx.update(survey, current_config_version=config.taken_at)
    return config
