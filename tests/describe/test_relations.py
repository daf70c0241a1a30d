"""Entities belong together by their keys, by what is kept true, and by views."""

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Store
from singletable.describe.description import description


def _labels(store: type[Store], parent: str, child: str) -> list[str]:
    found = description(store).relations
    return [one.label for one in found if (one.parent, one.child) == (parent, child)]


def test_an_entity_belongs_to_the_one_whose_key_is_part_of_its_own() -> None:
    assert _labels(Campaigns, "User", "Campaign") == ["key"]


def test_only_the_nearest_owner_is_named() -> None:
    assert "key" in _labels(Campaigns, "Session", "Summary")
    assert _labels(Campaigns, "User", "Summary") == []


def test_an_item_can_belong_to_two() -> None:
    assert _labels(Stories, "User", "Bookmark") == ["key"]
    assert _labels(Stories, "Story", "Bookmark") == ["key"]


def test_counts_and_copies_relate_entities() -> None:
    assert _labels(Stories, "User", "Story") == [
        "author_name copies display_name",
        "stories_created counts",
    ]


def test_views_relate_entities_on_every_level() -> None:
    assert "SurveyView.sections" in _labels(Surveys, "Survey", "SurveySection")
    assert _labels(Surveys, "SurveyElement", "SurveyComponent") == ["ElementView.components"]


def test_relations_are_sorted() -> None:
    found = description(Surveys).relations
    assert list(found) == sorted(set(found))
