"""What the design of the surveying app keeps true: one tenant apart from others, and time."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest

from apps.surveys.design import Surveys, SyncItem
from singletable import OutOfScope
from tests.apps.surveys import CASES, world
from tests.apps.worlds import NOW, Case, World, label

OF_NO_TENANT = {"surveys_everywhere"}
OF_T1 = [case for case in CASES if case.gives]


@pytest.fixture
def surveys() -> Iterator[World[Surveys]]:
    """The surveys, for one test to change."""
    made = world()
    with closing(made.store):
        yield made


@pytest.mark.parametrize("case", OF_T1, ids=lambda case: case.says)
def test_a_confined_store_runs_the_patterns_of_its_tenant_alone(
    case: Case[Surveys], surveys: World[Surveys]
) -> None:
    mine, others = (surveys.store.confined(tenant_id=tenant) for tenant in ("t1", "t10"))
    if case.read(mine).pattern not in OF_NO_TENANT:
        assert surveys.run(case.read(mine)) == (case.gives, case.requests)
    with pytest.raises(OutOfScope):
        case.read(others).first()


def test_a_confined_store_refuses_patterns_that_reach_beyond_a_tenant(
    surveys: World[Surveys],
) -> None:
    mine = surveys.store.confined(tenant_id="t1")
    reads = [case.read(mine) for case in OF_T1]
    for read in (each for each in reads if each.pattern in OF_NO_TENANT):
        with pytest.raises(OutOfScope):
            read.first()


def test_a_survey_counts_its_sections(surveys: World[Surveys]) -> None:
    assert [each.section_count for each in surveys.store.surveys("t1")] == [1, 0, 2]


def test_what_is_to_be_synchronised_is_gone_after_a_day(surveys: World[Surveys]) -> None:
    surveys.store.create(
        SyncItem(tenant_id="t10", entity_id="x", expires_at=NOW + timedelta(days=1))
    )
    queue = surveys.store.sync_queue("t10")
    assert label(queue.all()) == ["SyncItem x"]
    surveys.now = NOW + timedelta(days=1, seconds=1)
    assert queue.all() == []
