"""Snapshots of the library: what a survey was begun with, whatever becomes of the library."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from pydantic import AwareDatetime

from apps.service import After, Idempotent, Limit, Listing
from apps.surveys.design import SurveyConfig, Surveys
from apps.surveys.shapes import Snapshot, SnapshotListed
from apps.surveys.snapshots import Library
from singletable import Transaction

from .here import READS, WRITES, Here, Id, Member, Own, editable

router = APIRouter(prefix="/surveys/{survey_id}/snapshots", tags=["snapshots"])


@router.get("", responses=READS)
def read_all(
    survey_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 10
) -> Listing[SnapshotListed]:
    """Name the snapshots of a survey, newest first."""
    page = store.snapshots(here.tenant_id, survey_id).limit(limit).page(after)
    return Listing(items=[SnapshotListed.of(one) for one in page], next=page.next)


@router.get("/{taken_at}", responses=READS)
def read(survey_id: Id, taken_at: AwareDatetime, here: Here, store: Own) -> Snapshot:
    """Give the library as a snapshot keeps it."""
    return _shown(store, here, survey_id, taken_at)


@router.post("", status_code=201, responses=WRITES)
def take(survey_id: Id, here: Here, store: Own, once: Idempotent) -> Snapshot:
    """Take a snapshot of the library, which the survey goes by from now on."""

    def work(tx: Transaction) -> dict[str, str]:
        survey = editable(store, here, survey_id)
        of: dict[str, Any] = {"tenant_id": here.tenant_id, "survey_id": survey_id}
        library, now = Library.read(store, here.tenant_id).packed(), datetime.now(UTC)
        tx.create(SurveyConfig(**of, taken_at=now, library=library))
        tx.update(survey, current_config_version=now)
        return {"taken_at": now.isoformat()}

    made = once.write(store, work, tenant_id=here.tenant_id)
    return _shown(store, here, survey_id, datetime.fromisoformat(made["taken_at"]))


def _shown(store: Surveys, here: Member, survey_id: str, taken_at: datetime) -> Snapshot:
    of = {"tenant_id": here.tenant_id, "survey_id": survey_id}
    found = store.bind(SurveyConfig.get(**of, taken_at=taken_at).strong()).one()
    return Snapshot.of(found, Library.load(store, found))
