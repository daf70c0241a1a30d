"""Seven tables of DynamoDB become one while they are written to, and nothing differs."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import pytest

from apps.surveys.design import Surveys
from apps.surveys.migration import LeaveSevenTables
from singletable.migrate import Job

from . import seven
from .course import arrive

ITEMS = int(os.environ.get("SINGLETABLE_PROOF_ITEMS", "100000"))
PAUSE_S = 0.4
"""Of each writer between two changes: a survey is some 40 items, each put by itself."""


def prove(folder: Path, items: int, *, workers: int) -> None:
    """Migrate so many items."""
    tenants = -(-items // seven.ITEMS_A_TENANT)
    old = folder / "old.db"
    seven.create(old)
    seven.fill(old, tenants)
    job = Job(
        migration=LeaveSevenTables,
        source=f"dynamodb:{old}?tables={','.join(seven.TABLES)}",
        destination=str(folder / "new.db"),
        folder=folder / "work",
    )
    checked = arrive(job, partial(seven.writer, old, tenants), workers=workers, pause_s=PAUSE_S)
    found = {one.entity: one.found for one in checked.entities}
    items_found = sum(found.values())
    sys.stdout.write(f"{sum(checked.rows.values()):,} items became {items_found:,}: {found}\n")
    assert sum(checked.rows.values()) >= items * 0.8  # surveys are deleted
    assert found["SurveyConfig"] == found["Survey"] == checked.rows["Surveys"]
    _check_surveys(job, tenants)


def _check_surveys(job: Job, tenants: int) -> None:
    """See that the store reads what the tables had: a survey with its parts and its snapshot."""
    with Surveys.connect(job.destination) as store:
        for number in range(0, tenants, max(1, tenants // 5)):
            tenant = f"t{number:04d}"
            survey = store.surveys(tenant).page()[0]
            view = store.survey(tenant, survey.survey_id).one()
            assert view.survey.section_count == len(view.sections)
            [snapshot] = store.snapshots(tenant, survey.survey_id).all()
            assert snapshot.taken_at == survey.current_config_version


def test_some_hundred_items(tmp_path: Path) -> None:
    prove(tmp_path, 2 * seven.ITEMS_A_TENANT, workers=1)


@pytest.mark.slow
def test_a_hundred_thousand_items(tmp_path: Path) -> None:
    prove(tmp_path, ITEMS, workers=2)
