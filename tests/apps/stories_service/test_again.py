"""A POST that is sent again is answered as the first time, whatever has happened since."""

from __future__ import annotations

from tests.apps.service.again import Again, check_all

from .conftest import COVER, Platform, published

CHAPTERS = "/stories/{story_id}/chapters"


def test_a_request_sent_again_is_answered_as_before(platform: Platform) -> None:
    told, bob = published(platform.user("ann")), platform.user("bob")
    empty = f"/stories/{told.author.post('/stories', json=COVER).json()['story_id']}/chapters"
    text = {"title": "On", "text": "It goes on."}
    branch = {**text, "parent_node_id": told.node_id}

    def complete() -> None:
        told.become("COMPLETED")

    requests = [
        Again("/stories", told.author, "/stories", COVER),
        Again(CHAPTERS, told.author, empty, text),  # the second one has no parent, either
        Again(CHAPTERS, bob, f"{told.path}/chapters", branch, complete),
    ]
    check_all(platform.app, requests, {"/development/token"})
    assert told.author.get(told.path).json()["chapter_count"] == 2
