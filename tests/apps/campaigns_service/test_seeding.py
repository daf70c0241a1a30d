"""Data to begin with."""

from datetime import UTC, datetime

from apps.campaigns.design import Campaign, Campaigns, Session, Summary, Transcript, User
from apps.campaigns.seeding import seed
from singletable import Entity


def _filled() -> list[list[Entity]]:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    with Campaigns.connect(":memory:", clock=lambda: now) as store:
        assert seed(store, "small") > 50
        kinds: tuple[type[Entity], ...] = (User, Campaign, Session, Transcript, Summary)
        return [store.bind(kind.scan()).all() for kind in kinds]


def test_it_is_the_same_every_time() -> None:
    assert _filled() == _filled()


def test_campaigns_know_how_many_sessions_they_have() -> None:
    with Campaigns.connect(":memory:") as store:
        seed(store, "small")
        campaigns = store.bind(Campaign.scan()).all()
        for campaign in campaigns:
            read = store.sessions(campaign.user_id, campaign.campaign_id)
            assert campaign.session_count == len(list(read)) > 0
        assert len(store.bind(Session.scan()).all()) > len(campaigns)
