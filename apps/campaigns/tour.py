"""Every access pattern, asked of the data to begin with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from .design import Campaigns
from .seeding import BEGIN

USER = "user-0000"
CLAIMS: Final[dict[str, Any]] = {"email": "user-0000@example.com", "email_verified": True}


def tour(store: Campaigns) -> Iterator[Any]:
    """Give a read of each access pattern."""
    user = USER
    campaign = store.campaigns(user).page()[0].campaign_id
    session = store.recently_done(user, BEGIN).page()[0]
    ids = (user, session.campaign_id, session.session_id)
    day = BEGIN.date()
    yield store.profile(user)
    yield store.campaigns(user)
    yield store.campaign(user, campaign)
    yield store.sessions(user, campaign)
    yield store.sessions_between(user, campaign, day, day + timedelta(days=30))
    yield store.sessions_about(user, campaign, "Evening 1")
    yield store.session(*ids)
    yield store.summaries(*ids)
    yield store.summary_for_players(*ids)
    yield store.recently_done(user, BEGIN)
    yield store.shared(f"share-{session.session_id}")
    yield store.transcript_of_job(f"job-{session.session_id}")
    yield store.receipt(user, "none")
