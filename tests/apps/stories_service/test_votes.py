"""A vote counts once per reader, whatever is retried or raced; and so does a reading."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fastapi.testclient import TestClient

from singletable.streams.aggregates import verify

from .conftest import Platform, published, refused

THREADS = 16


def _counts(client: TestClient, path: str) -> tuple[int, int]:
    chapter = client.get(path).json()
    return chapter["upvote_count"], chapter["downvote_count"]


def _vote(client: TestClient, path: str, vote_type: str) -> Any:
    """Vote; again where there was too much at once, as the answer says."""
    while True:
        answer = client.put(f"{path}/vote", json={"vote_type": vote_type})
        if answer.status_code != 503:
            assert answer.status_code == 200, answer.text
            return answer.json()


def test_a_vote_moves_when_it_is_changed_and_goes_when_it_is_taken_back(
    anywhere: Platform,
) -> None:
    ann, bob = anywhere.user("ann"), anywhere.stranger("bob")
    told = published(ann)
    counts = [_counts(bob, told.chapter)]
    first = _vote(bob, told.chapter, "UPVOTE")
    counts.append(_counts(bob, told.chapter))
    again = _vote(bob, told.chapter, "UPVOTE")
    counts.append(_counts(bob, told.chapter))
    changed = _vote(bob, told.chapter, "DOWNVOTE")
    counts.append(_counts(bob, told.chapter))
    for _ in range(2):
        assert bob.delete(f"{told.chapter}/vote").status_code == 204
    counts.append(_counts(bob, told.chapter))

    assert counts == [(0, 0), (1, 0), (1, 0), (0, 1), (0, 0)]
    assert first == again == {**changed, "vote_type": "UPVOTE"}
    refused(bob.get(f"{told.chapter}/vote"), 404)


def test_one_reader_in_many_threads_has_one_vote(anywhere: Platform) -> None:
    ann, bob = anywhere.user("ann"), anywhere.stranger("bob")
    told = published(ann)

    def vote(number: int) -> None:
        _vote(bob, told.chapter, "DOWNVOTE" if number % 3 == 0 else "UPVOTE")

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(vote, range(2 * THREADS)))
    last = bob.get(f"{told.chapter}/vote").json()["vote_type"]

    assert _counts(bob, told.chapter) == ((1, 0) if last == "UPVOTE" else (0, 1))


def test_many_readers_at_once_are_all_counted(anywhere: Platform) -> None:
    told = published(anywhere.user("ann"))
    readers = [anywhere.stranger(f"reader-{number}") for number in range(THREADS)]

    def change_their_mind(number: int) -> None:
        ways = ("DOWNVOTE", "UPVOTE") if number % 4 else ("UPVOTE", "DOWNVOTE")
        for way in (*ways, ways[1]):
            _vote(readers[number], told.chapter, way)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(change_their_mind, range(THREADS)))
    anywhere.settle()

    assert _counts(told.author, told.chapter) == (12, 4)
    assert told.author.get(told.path).json()["upvote_count"] == 12
    assert verify(anywhere.store, settled=True) == []


def test_votes_count_while_the_stream_is_followed(platform: Platform) -> None:
    """The worker writes to the same chapters and stories, and neither undoes the other's work."""
    told = published(platform.user("ann"))
    readers = [platform.stranger(f"reader-{number}") for number in range(8)]

    def read(number: int) -> None:
        for way in ("UPVOTE", "DOWNVOTE", "UPVOTE"):
            _vote(readers[number], told.chapter, way)
            assert readers[number].put(f"{told.chapter}/reading").status_code == 204

    with TestClient(platform.app), ThreadPoolExecutor(8) as pool:
        list(pool.map(read, range(8)))
        deadline = time.monotonic() + 50
        while verify(platform.store, settled=True):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        shown = told.author.get(told.chapter).json()

    assert (shown["upvote_count"], shown["downvote_count"], shown["read_count"]) == (8, 0, 8)


def test_a_chapter_that_is_not_there_takes_no_vote(platform: Platform) -> None:
    told, other = published(platform.user("ann")), published(platform.user("bob"))

    refused(told.author.put(f"{told.path}/chapters/none/vote", json={"vote_type": "UPVOTE"}), 404)
    mixed = f"{told.path}/chapters/{other.node_id}/vote"
    refused(told.author.put(mixed, json={"vote_type": "UPVOTE"}), 404)
    refused(told.author.put(f"{told.chapter}/vote", json={"vote_type": "MAYBE"}), 422)


def test_a_chapter_is_read_once_by_each_reader(platform: Platform) -> None:
    told = published(platform.user("ann"))
    refused(platform.stranger("bob").get(f"{told.chapter}/reading"), 404)
    for name in ("bob", "eve", "bob"):
        assert platform.stranger(name).put(f"{told.chapter}/reading").status_code == 204
    platform.settle()

    assert platform.stranger("bob").get(f"{told.chapter}/reading").json()["user_id"] == "bob"
    assert told.author.get(told.chapter).json()["read_count"] == 2
    assert told.author.get(told.path).json()["read_count"] == 2
    assert told.author.get("/me").json()["reads_received"] == 2
