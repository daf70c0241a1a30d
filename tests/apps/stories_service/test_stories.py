"""Covers: who sees a draft, what publishing does, and the list of public stories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from apps.service import Settings
from apps.stories.api import stories as routes
from apps.stories.design import Story
from apps.stories.service import make

from .conftest import COVER, Platform, draft, everything, published, refused


def _titles(client: TestClient, **params: Any) -> list[str]:
    return [one["title"] for one in everything(client, "/stories", **params)]


def test_a_draft_is_nowhere_until_it_is_published(anywhere: Platform) -> None:
    ann, bob = anywhere.user("ann"), anywhere.user("bob")
    told = draft(ann)
    vote = {"vote_type": "UPVOTE"}

    assert _titles(ann) == _titles(bob) == []
    assert everything(bob, "/users/ann/stories") == everything(bob, "/users/ann/branches") == []
    for path in (told.path, f"{told.path}/chapters", told.chapter, f"{told.chapter}/branches"):
        refused(bob.get(path), 404)
    refused(bob.get(f"{told.path}/levels/1"), 404)
    refused(bob.put(f"{told.chapter}/vote", json=vote), 404)
    refused(bob.put(f"{told.chapter}/reading"), 404)
    place = {"current_node_id": told.node_id}
    refused(bob.put(f"/me/bookmarks/{told.story_id}", json=place), 404)
    body = {"title": "On", "text": "On.", "parent_node_id": told.node_id}
    refused(bob.post(f"{told.path}/chapters", json=body), 404)
    assert len(everything(ann, "/me/stories")) == len(everything(ann, "/users/ann/branches")) == 1

    told.become("PUBLISHED")
    assert _titles(bob) == [COVER["title"]]
    assert [one["story_id"] for one in everything(bob, "/users/ann/stories")] == [told.story_id]
    assert [one["node_id"] for one in everything(bob, "/users/ann/branches")] == [told.node_id]


def test_a_story_that_was_begun_before_is_new_when_it_is_published(platform: Platform) -> None:
    ann = platform.user("ann")
    old = draft(ann, title="Old")
    published(ann, title="Newer")
    old.become("PUBLISHED")

    assert _titles(ann) == ["Old", "Newer"]


def _on_days(platform: Platform, days: list[datetime]) -> None:
    """Have stories published on days, and drafts begun."""
    platform.store.put_many(
        Story(
            story_id=f"s{number}",
            **COVER | {"title": f"{day:%m-%d}"},
            author_id="ann",
            author_name="Ann",
            status="DRAFT" if number % 5 == 4 else "PUBLISHED",
            published_at=None if number % 5 == 4 else day,
        )
        for number, day in enumerate(days)
    )


def test_public_stories_come_newest_first_page_by_page(anywhere: Platform) -> None:
    ann = anywhere.user("ann")
    days = [datetime(2026, 1, 5, 12, tzinfo=UTC) + timedelta(days=7 * n) for n in range(30)]
    _on_days(anywhere, days)
    expected = [f"{day:%m-%d}" for number, day in enumerate(days) if number % 5 != 4][::-1]

    assert _titles(ann, limit=7) == _titles(ann, limit=100) == expected
    march = [title for title in expected if title.startswith("03")]
    assert _titles(ann, since="2026-03-01", until="2026-03-31", limit=1) == march
    assert _titles(ann, since="2026-03-31", until="2026-03-01") == []
    assert _titles(ann, since="0001-01-01", until="9999-12-31", limit=11) == expected


def test_a_list_goes_back_to_the_launch(settings: Settings) -> None:
    """A story that came from elsewhere may be older than the service."""
    before = datetime(2019, 5, 2, tzinfo=UTC)
    for launch, expected in ((settings.launch, []), (date(2019, 5, 1), ["05-02"])):
        app = make(replace(settings, launch=launch))
        with app.state.service.store:
            platform = Platform(app, settings)
            ann = platform.user("ann")
            _on_days(platform, [before])
            assert _titles(ann) == expected


def test_a_list_goes_on_after_midnight(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cursor is of the days that it began with."""
    ann = platform.user("ann")
    _on_days(platform, [datetime(2026, 3, day, tzinfo=UTC) for day in (1, 2, 3)])
    before = ann.get("/stories", params={"limit": 2}).json()

    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Tomorrow:
            moment = datetime.now(tz) + timedelta(days=1)
            return cls.fromtimestamp(moment.timestamp(), tz)

    monkeypatch.setattr(routes, "datetime", Tomorrow)
    after = ann.get("/stories", params={"limit": 2, "after": before["next"]}).json()

    assert [one["title"] for one in after["items"]] == ["03-01"]


def test_a_cursor_that_was_made_up_or_changed_is_refused(platform: Platform) -> None:
    ann = platform.user("ann")
    _on_days(platform, [datetime(2026, 3, day, tzinfo=UTC) for day in (1, 2, 3)])
    params: dict[str, Any] = {"until": "2026-03-31", "limit": 1}
    given = ann.get("/stories", params=params).json()["next"]
    day, _, cursor = given.partition("~")

    assert day == "2026-03-31"
    for made_up in (
        "x",
        day,
        f"{day}~",
        f"{day}~x",
        f"~{cursor}",
        f"2026-03-02~{cursor}",
        f"9999-12-31~{cursor}",
        f"2026-99-99~{cursor}",
    ):
        refused(ann.get("/stories", params={**params, "after": made_up}), 400)
    assert ann.get("/stories", params={**params, "after": given}).status_code == 200


def test_an_empty_story_stays_a_draft(platform: Platform) -> None:
    ann = platform.user("ann")
    story = ann.post("/stories", json=COVER).json()
    path, tag = f"/stories/{story['story_id']}/status", {"If-Match": '"1"'}

    assert "without a chapter" in refused(
        ann.put(path, json={"status": "PUBLISHED"}, headers=tag), 409
    )
    refused(ann.put(path, json={"status": "DRAFT"}, headers=tag), 422)


def test_a_completed_story_takes_no_chapters_until_it_is_opened_again(platform: Platform) -> None:
    told, bob = published(platform.user("ann")), platform.user("bob")
    begun = told.become("COMPLETED")["published_at"]
    body = {"title": "On", "text": "On.", "parent_node_id": told.node_id}

    assert "complete" in refused(bob.post(f"{told.path}/chapters", json=body), 409)
    assert _titles(bob) == [COVER["title"]]
    assert told.become("PUBLISHED")["published_at"] == begun
    told.branch(bob)


def test_a_cover_is_changed_in_the_version_that_was_read(platform: Platform) -> None:
    told = published(platform.user("ann"))
    tag = {"If-Match": told.author.get(told.path).headers["etag"]}
    body = {**COVER, "title": "Another"}

    assert told.author.put(told.path, json=body, headers=tag).json()["title"] == "Another"
    refused(told.author.put(told.path, json=COVER, headers=tag), 412)
    refused(told.author.put(told.path, json=COVER), 428)


def test_a_story_that_is_begun_twice_with_one_key_is_begun_once(platform: Platform) -> None:
    ann, key = platform.user("ann"), {"Idempotency-Key": "k1"}
    first = ann.post("/stories", json=COVER, headers=key)
    again = ann.post("/stories", json=COVER, headers=key)

    assert first.json() == again.json()
    assert ann.get("/me").json()["stories_created"] == 1


def test_who_writes_says_first_who_they_are(platform: Platform) -> None:
    assert "PUT /me" in refused(platform.stranger("eve").post("/stories", json=COVER), 403)
