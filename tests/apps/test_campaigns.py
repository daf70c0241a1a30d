"""What the design of the campaign manager keeps true while its data changes."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from apps.campaigns.design import Campaigns, Session, User
from singletable import REMOVE, UniqueViolation
from tests.apps.campaigns import world
from tests.apps.worlds import World, at, label

S1 = Session.key(user_id="u1", campaign_id="c1", session_id="s1")
S2 = Session.key(user_id="u1", campaign_id="c1", session_id="s2")


@pytest.fixture
def campaigns() -> Iterator[World[Campaigns]]:
    """The campaigns, for one test to change."""
    made = world()
    with closing(made.store):
        yield made


def test_a_campaign_counts_its_own_sessions(campaigns: World[Campaigns]) -> None:
    store = campaigns.store
    assert [each.session_count for each in store.campaigns("u1")] == [0, 1, 4]
    store.delete(S1)
    assert store.campaign("u1", "c1").one().session_count == 3
    assert store.campaign("u10", "c1").one().session_count == 1


def test_an_address_belongs_to_one_user(campaigns: World[Campaigns]) -> None:
    store = campaigns.store
    with pytest.raises(UniqueViolation):
        store.create(User(user_id="u2", email="ann@example.com", name="Another Ann"))
    assert store.profile("u2").first() is None


def test_a_session_is_found_by_its_status_as_soon_as_it_changes(
    campaigns: World[Campaigns],
) -> None:
    campaigns.now = at(3, 9)
    campaigns.store.update(S1, status="COMPLETED")
    campaigns.store.update(S2, status="FAILED")
    done = campaigns.store.recently_done("u1", since=at(3, 5))
    assert label(done.all()) == ["Session s4", "Session s10", "Session s1"]


def test_a_session_is_shared_as_long_as_it_has_a_token(campaigns: World[Campaigns]) -> None:
    store = campaigns.store
    store.update(S1, share_token="t-gate")
    assert store.shared("t-gate").one().session_id == "s1"
    store.update(S1, share_token=REMOVE)
    assert store.shared("t-gate").first() is None


def test_a_session_page_does_not_load_the_transcript(campaigns: World[Campaigns]) -> None:
    transcript = campaigns.store.session("u1", "c1", "s1").one().transcript
    assert transcript is not None
    assert transcript.text is not None
    assert transcript.text.content is None
    assert transcript.text.length == 10_000
