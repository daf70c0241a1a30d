"""What follows a write: notifications, once each, and names that reach their copies."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

from fastapi.testclient import TestClient

from apps.service import Settings
from apps.stories.after import consumers
from apps.stories.service import make
from singletable.streams import Worker

from .conftest import Platform, Told, everything, published, refused


def _told(client: TestClient) -> list[str]:
    return [one["kind"] for one in everything(client, "/me/notifications", limit=2)]


def _eventful(platform: Platform) -> tuple[Told, TestClient, TestClient]:
    """Have bob go on with ann's story and eve like it; ann approves of it, and the story ends."""
    told, bob, eve = published(platform.user("ann")), platform.user("bob"), platform.user("eve")
    path = f"{told.path}/chapters/{told.branch(bob)}"
    eve.put(f"/me/bookmarks/{told.story_id}", json={"current_node_id": told.node_id})
    for vote_type in ("UPVOTE", "UPVOTE"):
        eve.put(f"{path}/vote", json={"vote_type": vote_type})
    for _ in range(2):
        told.author.put(f"{path}/approval", json={"author_approved": True})
    told.become("COMPLETED")
    return told, bob, eve


def test_everybody_is_told_what_concerns_them(anywhere: Platform) -> None:
    told, bob, eve = _eventful(anywhere)
    anywhere.settle()

    assert _told(told.author) == ["NEW_BRANCH"]
    assert sorted(_told(bob)) == ["AUTHOR_APPROVED", "UPVOTE"]
    assert _told(eve) == ["STORY_COMPLETED"]


def test_what_is_delivered_again_is_told_once(platform: Platform) -> None:
    told, bob, eve = _eventful(platform)
    platform.settle()
    before = [_told(who) for who in (told.author, bob, eve)]
    assert [len(kinds) for kinds in before] == [1, 2, 1]
    for name in ("again", "and again"):
        Worker(platform.store, *consumers(platform.store), name=name).drain()

    assert [_told(who) for who in (told.author, bob, eve)] == before
    assert told.author.get(told.path).json()["upvote_count"] == 1


def test_a_vote_that_is_changed_and_taken_back_is_told_once(anywhere: Platform) -> None:
    """For each reader and chapter."""
    told, eve = published(anywhere.user("ann")), anywhere.user("eve")
    for _ in range(2):
        for vote_type in ("UPVOTE", "DOWNVOTE", "UPVOTE"):
            eve.put(f"{told.chapter}/vote", json={"vote_type": vote_type})
        eve.delete(f"{told.chapter}/vote")
    anywhere.stranger("bob").put(f"{told.chapter}/vote", json={"vote_type": "UPVOTE"})
    anywhere.settle()

    assert _told(told.author) == ["UPVOTE", "UPVOTE"]


def test_the_author_before_and_the_author_of_the_story_are_told_of_a_branch(
    platform: Platform,
) -> None:
    told, bob, eve = published(platform.user("ann")), platform.user("bob"), platform.user("eve")
    told.branch(eve, told.branch(bob))
    platform.settle()

    assert _told(told.author) == ["NEW_BRANCH", "NEW_BRANCH"]
    assert _told(bob) == ["NEW_BRANCH"]


def test_nobody_is_told_of_their_own_doing(platform: Platform) -> None:
    told = published(platform.user("ann"))
    told.branch(told.author)
    told.author.put(f"{told.chapter}/vote", json={"vote_type": "UPVOTE"})
    told.author.put(f"{told.chapter}/approval", json={"author_approved": True})
    told.author.put(f"/me/bookmarks/{told.story_id}", json={"current_node_id": told.node_id})
    told.become("COMPLETED")
    platform.settle()

    assert _told(told.author) == []


def test_all_who_read_a_story_are_told_that_it_is_complete(platform: Platform) -> None:
    """However many they are: more than a transaction takes."""
    told = published(platform.user("ann"))
    readers = [platform.stranger(f"reader-{number}") for number in range(120)]
    for reader in readers:
        reader.put(f"/me/bookmarks/{told.story_id}", json={"current_node_id": told.node_id})
    told.become("COMPLETED")
    platform.settle()

    assert all(_told(reader) == ["STORY_COMPLETED"] for reader in readers)


def test_a_notification_is_read_by_its_user_alone(platform: Platform) -> None:
    _, bob, eve = _eventful(platform)
    platform.settle()
    path = f"/notifications/{everything(bob, '/me/notifications')[0]['notification_id']}"

    refused(eve.get(path), 404)
    refused(eve.put(f"{path}/read"), 404)
    assert not bob.get(path).json()["read"]
    assert bob.put(f"{path}/read").json()["read"]
    assert bob.get(path).json()["read"]


def test_a_new_name_reaches_stories_and_chapters(anywhere: Platform) -> None:
    told, bob = published(anywhere.user("ann")), anywhere.user("bob")
    told.branch(bob)
    told.branch(told.author)
    tag = told.author.get(told.path).headers["etag"]
    told.author.put("/me", json={"display_name": "Anna"})
    anywhere.settle()

    assert told.author.get(told.path).json()["author_name"] == "Anna"
    assert told.author.get(told.path).headers["etag"] == tag
    names = [one["author_name"] for one in everything(bob, f"{told.path}/chapters")]
    assert sorted(names) == ["Anna", "Anna", "Bob"]


def test_in_production_the_service_leaves_the_stream_to_lambda(settings: Settings) -> None:
    app = make(replace(settings, follows=False))
    with TestClient(app):
        workers = [one for one in threading.enumerate() if one.name == "stream worker"]
        assert not workers


def test_in_development_the_service_follows_the_stream_itself(platform: Platform) -> None:
    with TestClient(platform.app) as running:
        told = published(platform.user("ann"))
        told.branch(platform.user("bob"))
        deadline = time.monotonic() + 50
        while not _told(told.author):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert running.get("/health/ready").status_code == 200
