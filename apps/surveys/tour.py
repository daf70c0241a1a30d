"""Every access pattern, asked of the data to begin with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .design import Surveys
from .seeding import BEGIN

USER = "surveyor-0"
TENANT = "tenant-000"
CLAIMS = {"custom:tenant_id": TENANT}


def tour(store: Surveys) -> Iterator[Any]:
    """Give a read of each access pattern."""
    survey = "survey-000"
    yield store.tenant(TENANT)
    yield store.everything(TENANT)
    yield store.survey(TENANT, survey)
    yield store.surveys(TENANT)
    yield store.surveys_of(TENANT, USER)
    yield store.surveys_everywhere()
    yield store.surveys_shared_with(USER, TENANT)
    yield store.survey_sections(TENANT, survey)
    yield store.survey_elements(TENANT, survey, "roof")
    yield store.survey_components(TENANT, survey, "covering")
    yield store.snapshots(TENANT, survey)
    yield store.sections(TENANT)
    yield store.elements(TENANT, "roof")
    yield store.components(TENANT, "covering")
    yield store.phrases(TENANT, "Defect")
    yield store.phrases_for(TENANT, "covering")
    yield store.uses_of_phrase(TENANT, "worn-covering")
    yield store.images(TENANT)
    yield store.document_versions(TENANT, "terms")
    yield store.with_sync_status(TENANT, "synced")
    yield store.changed_since(TENANT, BEGIN)
    yield store.sync_queue(TENANT)
    yield store.receipt(TENANT, "none")
