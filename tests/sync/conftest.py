"""A server on an empty table, for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sync.design import QUICK, Tab, Tasks, TaskSync


@pytest.fixture
def sync() -> Iterator[TaskSync]:
    with Tasks.connect(":memory:", retries=QUICK) as store:
        yield TaskSync(store)


@pytest.fixture
def tab(sync: TaskSync) -> Tab:
    return Tab(sync)
