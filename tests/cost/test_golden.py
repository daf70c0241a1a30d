"""What is printed for the three apps is what was looked at when it was kept.

After a change that is meant, ``REWRITE=1 pytest tests/cost/test_golden.py`` keeps the new output;
then the difference is read.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Store
from singletable.cost import rendering, reporting
from singletable.cost.estimating import estimate
from singletable.cost.explaining import explain
from singletable.cost.figures import Figures
from singletable.cost.prices import Prices
from singletable.cost.traffic import Traffic

GOLDEN = Path(__file__).parent / "golden"
TRAFFIC: dict[type[Store], dict[str, Any]] = {
    Campaigns: {
        "patterns": {"session": {"items": {"Session": 1, "Transcript": 1, "Summary": 2}}},
        "entities": {
            "Session": {"creates_per_s": 1, "updates_per_s": 4, "items": 100_000, "bytes": 900},
            "Summary": {"creates_per_s": 2, "items": 200_000, "bytes": 3000},
        },
    },
    Stories: {
        "entities": {
            "Chapter": {
                "creates_per_s": 2,
                "items": 500_000,
                "content_bytes": 6000,
                "loads_per_s": 50,
            },
            "Vote": {"writes_per_s": 10, "items": 5_000_000},
        }
    },
    Surveys: {
        "patterns": {"survey": {"items": {"Survey": 1, "SurveySection": 8, "SurveyElement": 40}}},
        "entities": {"SurveyElement": {"updates_per_s": 5, "items": 400_000}},
    },
}

every_app = pytest.mark.parametrize("store", TRAFFIC, ids=lambda store: store.__name__.lower())


def _same(name: str, shown: str) -> None:
    path = GOLDEN / name
    if os.environ.get("REWRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown + "\n", "utf-8")
    assert shown + "\n" == path.read_text("utf-8")


@every_app
def test_the_cost_of_an_app(store: type[Store]) -> None:
    made = estimate(Figures(store, Traffic.of(TRAFFIC[store])), Prices.of_region())
    parts = [reporting.title(made), *(grid.text() for grid in reporting.grids(made))]
    _same(f"{store.__name__.lower()}.cost.txt", "\n\n".join([*parts, *reporting.notes(made)]))


@every_app
def test_the_explanation_of_an_app(store: type[Store]) -> None:
    shown = "\n\n".join(map(rendering.text, explain(Figures(store))))
    _same(f"{store.__name__.lower()}.explain.txt", shown)
