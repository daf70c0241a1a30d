"""Access patterns are written from their own requests."""

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Store
from singletable.describe.description import description
from singletable.describe.patterns import PatternChart
from tests.cost.designs import Shop as Orders
from tests.describe.designs import Shop


def _patterns(store: type[Store]) -> dict[str, PatternChart]:
    return {one.name: one for one in description(store).patterns}


CAMPAIGNS, SHOP = _patterns(Campaigns), _patterns(Shop)


def test_samples_are_named_as_the_parameters_they_stand_for() -> None:
    sessions = CAMPAIGNS["sessions"]
    assert sessions.condition == "GSI1PK = USER#{user_id}#CAMPAIGN#{campaign_id}"
    assert sessions.parameters == (("user_id", "str"), ("campaign_id", "str"))
    assert (sessions.operation, sessions.index, sessions.order) == ("Query", "GSI1", "descending")
    assert (sessions.page, sessions.rate_per_s) == (20, 5)


def test_dates_and_moments_are_named_too() -> None:
    between = CAMPAIGNS["sessions_between"].condition
    assert between.endswith("AND GSI1SK BETWEEN {first} AND {last}$")
    assert CAMPAIGNS["recently_done"].condition.endswith("AND GSI2SK >= {since}")


def test_what_ends_before_a_parameter_says_so() -> None:
    orders = _patterns(Orders)
    assert orders["cheap"].condition.endswith("AND SOMESK <= {before limit}$")
    assert orders["until"].condition.endswith("AND SK BETWEEN ORDER# AND ORDER#{before order_id}")


def test_what_cannot_be_printed_is_escaped() -> None:
    assert _patterns(Surveys)["changed_since"].condition.endswith(r">= {since}\x00")


def test_a_get_says_its_whole_key() -> None:
    profile = CAMPAIGNS["profile"]
    assert profile.condition == "PK = USER#{user_id} AND SK = METADATA#{user_id}"
    assert profile.index is None


def test_a_filter_is_told_apart_from_the_key_condition() -> None:
    about = CAMPAIGNS["sessions_about"]
    assert about.filter == "contains(name, {words}) OR contains(description, {words})"


def test_a_pattern_over_shards_or_buckets_shows_the_template() -> None:
    everywhere = _patterns(Surveys)["surveys_everywhere"]
    assert everywhere.spread == "10 requests"
    assert everywhere.condition.startswith("GSI1PK = SURVEYS#{survey_id:shard 10} AND ")
    discover = _patterns(Stories)["discover"]
    assert discover.spread == "one for each bucket"
    stories = "STORIES#{published_at:%Y-%m}#{story_id:shard 4}"
    assert discover.condition.startswith(f"GSI1PK = {stories} AND ")


def test_a_parameter_of_any_type_is_shown_by_its_name() -> None:
    """Also where its sample could be anything, as a number or one of a few texts."""
    assert _patterns(Stories)["level"].condition.endswith("begins_with(GSI2SK, LEVEL#{depth}#)")
    phrases = _patterns(Surveys)["phrases"]
    assert phrases.condition == "PK = TENANT#{tenant_id} AND begins_with(SK, PHRASE#{kind}#)"


def test_batches_and_scans_are_described() -> None:
    assert SHOP["all_things"].operation == "Scan"
    assert SHOP["some"].operation == "BatchGetItem"
    assert "THING#{codes}" in SHOP["some"].condition


def test_a_pattern_that_no_key_serves_says_why() -> None:
    assert "has no use for name" in SHOP["impossible"].fault
    assert SHOP["impossible"].condition == ""
