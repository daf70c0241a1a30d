"""Every access pattern of the three apps, on every backend and in both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Query, Store
from tests.apps import campaigns, stories, surveys
from tests.apps.worlds import NOW, label

from .conftest import Clock
from .ways import Way

APPS = {
    "campaigns": (campaigns, Campaigns),
    "stories": (stories, Stories),
    "surveys": (surveys, Surveys),
}


@pytest.fixture(params=APPS)
def app(
    request: pytest.FixtureRequest, opened: Callable[..., Any], do: Way, clock: Clock
) -> tuple[Any, Store]:
    """Give the cases of an app, and a store with its data, written when the data says."""
    module, kind = APPS[request.param]
    store = opened(kind)
    for item in module.ITEMS:
        clock.now = getattr(item, "updated_at", NOW)
        do(store.create, item)
    clock.now = NOW
    return module.CASES, store


def test_every_pattern_gives_what_it_says(app: tuple[Any, Store], do: Way) -> None:
    """Its items in their order; of a query, page by page as well, and as many are counted."""
    cases, store = app
    for case in cases:
        read = case.read(store)
        if isinstance(read, Query):
            assert label(do(read.all)) == case.gives, case.says
            assert label(do.each(read.but(page_size=2))) == case.gives, case.says
            assert do(read.count) == len(case.gives), case.says
        else:
            assert label(do(read.first)) == next(iter(case.gives), None), case.says
