"""Nobody changes what is not theirs, and nobody gets in without a token."""

from __future__ import annotations

from base64 import urlsafe_b64decode

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from apps.stories.api import ROUTERS

from .conftest import COVER, Platform, Told, draft, everything, published, refused

TAG = {"If-Match": '"2"'}
TEXT = {"title": "Mine now", "text": "All mine."}


@pytest.fixture
def told(platform: Platform) -> Told:
    return published(platform.user("ann"))


@pytest.fixture
def bob(platform: Platform) -> TestClient:
    return platform.user("bob")


def test_only_its_author_changes_a_story(told: Told, bob: TestClient) -> None:
    before = told.author.get(told.path).json()

    assert "author" in refused(bob.put(told.path, json=COVER, headers=TAG), 403)
    refused(bob.put(f"{told.path}/status", json={"status": "COMPLETED"}, headers=TAG), 403)
    first = {"title": "First", "text": "First!"}
    refused(bob.post(f"{told.path}/chapters", json=first), 403)
    assert told.author.get(told.path).json() == before


def test_only_the_author_of_the_story_approves_of_a_chapter(
    platform: Platform, told: Told, bob: TestClient
) -> None:
    """Not its own author, nor any other user."""
    path = f"{told.path}/chapters/{told.branch(bob)}"
    approval = {"author_approved": True, "order": 0}

    for who in (bob, platform.user("eve")):
        refused(who.put(f"{path}/approval", json=approval), 403)
    assert not bob.get(path).json()["author_approved"]
    assert told.author.put(f"{path}/approval", json=approval).json()["author_approved"]


def test_only_its_author_changes_a_chapter(told: Told, bob: TestClient) -> None:
    """Not even the author of the story, whose opinion is the approval."""
    path = f"{told.path}/chapters/{told.branch(bob)}"
    tag = {"If-Match": bob.get(path).headers["etag"]}

    refused(told.author.put(path, json=TEXT, headers=tag), 403)
    refused(bob.put(told.chapter, json=TEXT, headers=tag), 403)
    assert bob.get(path).json()["text"] != TEXT["text"]
    assert bob.put(path, json=TEXT, headers=tag).json()["text"] == TEXT["text"]


def test_votes_and_bookmarks_are_of_whoever_sends_them(told: Told, bob: TestClient) -> None:
    place = {"current_node_id": told.node_id}
    for who in (told.author, bob):
        who.put(f"{told.chapter}/vote", json={"vote_type": "UPVOTE"})
        who.put(f"/me/bookmarks/{told.story_id}", json=place)
    bob.delete(f"{told.chapter}/vote")
    bob.delete(f"/me/bookmarks/{told.story_id}")

    assert told.author.get(f"{told.chapter}/vote").json()["user_id"] == "ann"
    assert told.author.get(f"/me/bookmarks/{told.story_id}").json()["user_id"] == "ann"
    assert everything(bob, "/me/bookmarks") == []


def test_a_body_cannot_name_another_owner(told: Told, bob: TestClient) -> None:
    refused(bob.put("/me", json={"display_name": "Bob", "user_id": "ann"}), 422)
    refused(bob.post("/stories", json={**COVER, "author_id": "ann"}), 422)
    vote = {"vote_type": "UPVOTE", "user_id": "ann"}
    refused(bob.put(f"{told.chapter}/vote", json=vote), 422)


def test_a_cursor_of_another_users_list_is_refused(
    platform: Platform, told: Told, bob: TestClient
) -> None:
    for _ in range(2):
        told.branch(bob)
    platform.settle()
    cursor = told.author.get("/me/notifications", params={"limit": 1}).json()["next"]

    refused(bob.get("/me/notifications", params={"after": cursor}), 400)


def test_no_cursor_tells_of_a_draft(platform: Platform, told: Told, bob: TestClient) -> None:
    """It names where a page ended, which may be at a draft, or at a chapter of one."""
    hidden = draft(told.author)
    for path in ("/users/ann/stories", "/users/ann/branches"):
        first = bob.get(path, params={"limit": 1}).json()
        ended_at = bytes(urlsafe_b64decode(first["next"] + "=="))
        assert first["items"] == []
        assert hidden.story_id.encode() not in ended_at
        second = bob.get(path, params={"limit": 1, "after": first["next"]}).json()
        assert [one["story_id"] for one in second["items"]] == [told.story_id]
        for made_up in ("x", first["next"][:-4] + "AAAA"):
            refused(bob.get(path, params={"after": made_up}), 400)
    assert len(everything(told.author, "/users/ann/branches", limit=1)) == 2


def test_no_route_answers_without_a_token(platform: Platform) -> None:
    anybody = TestClient(platform.app)
    ids = dict.fromkeys(("story_id", "node_id", "user_id", "notification_id"), "x")
    routes = [
        (method, route.path.format(**ids, depth=1))
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    ]

    assert len(routes) > 25
    for method, path in routes:
        refused(anybody.request(method, path), 401)
