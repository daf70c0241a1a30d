"""Two designs side by side: a survey as one large item, and as many small ones.

A survey of 90 KB is read and one of its 180 parts is changed. What is said of such changes, that
they halve the bill or speed up reads, is computed: reads cost the same, since bytes do, and writes
a small part; so the saving is a matter of how many writes there are.
"""

from dataclasses import dataclass

import pytest

from singletable import Collection, Entity, Get, Store, Table, collect, pattern
from singletable.cost import comparing
from singletable.cost.comparing import Comparison
from singletable.cost.estimating import estimate
from singletable.cost.figures import Figures
from singletable.cost.prices import Prices
from singletable.cost.traffic import Traffic

PARTS, PART_BYTES = 180, 500

blobs = Table("blobs")
parts = Table("parts")


class Whole(Entity, table=blobs, pk="TENANT#{tenant_id}", sk="SURVEY#{survey_id}"):
    """A survey with all that is in it."""

    tenant_id: str
    survey_id: str
    body: str


class AsBlobs(Store, table=blobs):
    """Surveys, each in one item."""

    @pattern()
    def survey(self, tenant_id: str, survey_id: str) -> Get[Whole]:
        """A survey."""
        return Whole.get(tenant_id=tenant_id, survey_id=survey_id)


class Survey(Entity, table=parts, pk="TENANT#{tenant_id}", sk="SURVEY#{survey_id}"):
    """What the list of surveys shows."""

    tenant_id: str
    survey_id: str
    title: str


class Piece(Entity, table=parts, pk="TENANT#{tenant_id}", sk="SURVEY#{survey_id}#PART#{part_id}"):
    """A part of a survey."""

    tenant_id: str
    survey_id: str
    part_id: str
    body: str


@dataclass
class SurveyView:
    """A survey with its parts."""

    survey: Survey
    parts: list[Piece]


class AsParts(Store, table=parts):
    """Surveys, each part in an item of its own."""

    @pattern()
    def survey(self, tenant_id: str, survey_id: str) -> Collection[SurveyView]:
        """A survey with its parts."""
        return collect(SurveyView, tenant_id=tenant_id, survey_id=survey_id)


def _compared(reads: float, edits: float) -> Comparison:
    blob = {
        "patterns": {"survey": {"rate_per_s": reads}},
        "entities": {"Whole": {"updates_per_s": edits, "bytes": PARTS * PART_BYTES, "items": 1000}},
    }
    part = {
        "patterns": {"survey": {"rate_per_s": reads, "items": {"Survey": 1, "Piece": PARTS}}},
        "entities": {
            "Survey": {"items": 1000},
            "Piece": {"updates_per_s": edits, "bytes": PART_BYTES, "items": 1000 * PARTS},
        },
    }
    prices = Prices.of_region()
    return Comparison(
        estimate(Figures(AsParts, Traffic.of(part)), prices),
        estimate(Figures(AsBlobs, Traffic.of(blob)), prices),
    )


def _change(made: Comparison, name: str) -> float:
    one, other = made.month[name]
    return (one - other) / other


def test_a_read_costs_the_same_however_the_bytes_are_cut() -> None:
    assert _compared(5, 1).patterns["survey"] == (11.5, 11)


def test_a_small_write_costs_a_small_part() -> None:
    made = _compared(5, 1)
    assert made.writes["update Piece"] == (1, None)
    assert made.writes["update Whole"] == (None, 88)
    assert _change(made, "writes") == pytest.approx(-0.989, abs=0.001)


@pytest.mark.parametrize(
    ("reads", "edits", "change"), [(100, 0, 0.05), (10, 0.25, -0.48), (1, 1, -0.95)]
)
def test_the_saving_depends_on_how_much_is_written(
    reads: float, edits: float, change: float
) -> None:
    assert _change(_compared(reads, edits), "on demand") == pytest.approx(change, abs=0.02)


def test_many_items_take_more_room() -> None:
    """100 bytes for each, and keys."""
    one, other = _compared(1, 1).month["storage"]
    assert 1.15 < one / other < 1.25


def test_both_designs_are_shown_with_percentages() -> None:
    shown = "\n".join(grid.text() for grid in comparing.grids(_compared(10, 0.25)))
    assert "pattern  AsBlobs  AsParts  change" in shown
    assert "survey        11     11.5     +5%" in shown
    assert "-99%" in shown
    assert comparing.data(_compared(10, 0.25))["patterns"]["survey"]["one"] == 11.5


def test_designs_of_one_name_are_told_apart() -> None:
    made = _compared(10, 0.25)
    shown = next(comparing.grids(comparing.Comparison(made.one, made.one))).text()
    assert "pattern  AsParts (A)  AsParts (B)  change" in shown
