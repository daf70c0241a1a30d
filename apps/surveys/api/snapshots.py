"""Snapshots of the library: what a survey was begun with, whatever becomes of the library."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter

from apps.service import After, Idempotent, Limit, Listing
from apps.surveys.design import SurveyConfig
from apps.surveys.snapshots import taken_of
from singletable import Transaction

from .here import READS, WRITES, Here, Id, Own, editable

router = APIRouter(prefix="/surveys/{survey_id}/snapshots", tags=["snapshots"])


@router.get("", responses=READS)
def read(
    survey_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 10
) -> Listing[SurveyConfig]:
    """Give the snapshots of a survey, newest first."""
    return Listing.of(store.snapshots(here.tenant_id, survey_id).limit(limit).page(after))


@router.post("", status_code=201, responses=WRITES)
def take(survey_id: Id, here: Here, store: Own, once: Idempotent) -> SurveyConfig:
    """Take a snapshot of the library, which the survey goes by from now on."""
    survey = editable(store, here, survey_id)
    config = taken_of(store, here.tenant_id, survey_id)

    def write(tx: Transaction) -> None:
        tx.create(config)
        tx.update(survey, current_config_version=config.taken_at)

    made = {"taken_at": config.taken_at.isoformat()}
    ids = once.write(store, made, write, tenant_id=here.tenant_id)
    taken_at = datetime.fromisoformat(ids["taken_at"])
    read = SurveyConfig.get(tenant_id=here.tenant_id, survey_id=survey_id, taken_at=taken_at)
    return store.bind(read.strong()).one()
