"""Chapters and their tree."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import pytest

from apps.stories.design import Chapter
from singletable import Large
from singletable.streams.aggregates import verify

from .conftest import Platform, Told, draft, everything, published, refused

LONG = "It was a dark and stormy night. " * 400


def test_a_long_chapter_is_whole_by_itself_and_begins_in_lists(anywhere: Platform) -> None:
    told = published(anywhere.user("ann"))
    node_id = told.branch(anywhere.user("bob"), text=LONG)

    chapter = told.author.get(f"{told.path}/chapters/{node_id}").json()
    assert (chapter["text"], chapter["depth"], chapter["author_name"]) == (LONG, 1, "Bob")
    listed = everything(told.author, f"{told.path}/chapters", limit=1)
    assert {one["node_id"] for one in listed} == {told.node_id, node_id}
    assert all("text" not in one and len(one["preview"]) <= 200 for one in listed)
    assert chapter["length"] == len(LONG)


def test_a_story_has_one_first_chapter(platform: Platform) -> None:
    told = draft(platform.user("ann"))
    body = {"title": "Another", "text": "It was light."}

    assert told.author.get(told.path).json()["first_node_id"] == told.node_id
    refused(told.author.post(f"{told.path}/chapters", json=body), 409)


def test_of_first_chapters_at_the_same_time_one_is_written(platform: Platform) -> None:
    ann = platform.user("ann")
    story_id = ann.post("/stories", json=_cover()).json()["story_id"]

    def write(number: int) -> int:
        body = {"title": f"First {number}", "text": "It was dark."}
        return ann.post(f"/stories/{story_id}/chapters", json=body).status_code

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(write, range(8)))

    assert answers == [201, *[409] * 7]
    assert ann.get(f"/stories/{story_id}").json()["chapter_count"] == 1


def _cover() -> dict[str, str]:
    return {"title": "T", "synopsis": "S", "genre": "G", "age_rating": "12+"}


def test_a_chapter_that_is_sent_twice_with_one_key_is_written_once(platform: Platform) -> None:
    told, bob, key = published(platform.user("ann")), platform.user("bob"), {"Idempotency-Key": "k"}
    body = {"title": "On", "text": LONG, "parent_node_id": told.node_id}

    with ThreadPoolExecutor(8) as pool:
        send = lambda _: bob.post(f"{told.path}/chapters", json=body, headers=key)  # noqa: E731 - it is used once
        answers = list(pool.map(send, range(16)))

    assert len({answer.json()["node_id"] for answer in answers}) == 1
    assert told.author.get(told.path).json()["chapter_count"] == 2
    assert bob.get("/me").json()["branches_contributed"] == 1


def test_chapters_at_the_same_time_are_all_counted(platform: Platform) -> None:
    told = published(platform.user("ann"))
    authors = [platform.user(f"author-{number}") for number in range(8)]

    def write(number: int) -> int:
        body = {"title": "On", "text": "On.", "parent_node_id": told.node_id}
        return authors[number % 8].post(f"{told.path}/chapters", json=body).status_code

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(write, range(48))) == {201}
    platform.settle()

    assert told.author.get(told.path).json()["chapter_count"] == 49
    assert told.author.get(told.chapter).json()["branch_count"] == 48
    assert verify(platform.store, settled=True) == []


def test_a_chapter_follows_one_of_its_own_story(platform: Platform) -> None:
    told, other = published(platform.user("ann")), published(platform.user("bob"))
    body = {"title": "On", "text": "On.", "parent_node_id": other.node_id}

    refused(told.author.post(f"{told.path}/chapters", json=body), 404)
    refused(told.author.get(f"{told.path}/chapters/{other.node_id}/branches"), 404)


def test_branches_come_in_the_authors_order(platform: Platform) -> None:
    told, bob = published(platform.user("ann")), platform.user("bob")
    nodes = [told.branch(bob) for _ in range(3)]
    for node_id, order in zip(nodes, (10, 2, 1), strict=True):
        approval = {"author_approved": True, "order": order}
        path = f"{told.path}/chapters/{node_id}/approval"
        assert told.author.put(path, json=approval).json()["author_approved"]

    shown = everything(bob, f"{told.chapter}/branches", limit=2)
    assert [one["node_id"] for one in shown] == nodes[::-1]


def test_a_chapter_is_changed_in_the_version_that_was_read(platform: Platform) -> None:
    """Votes and readings are no new version of it."""
    told, bob = published(platform.user("ann")), platform.stranger("bob")
    tag = {"If-Match": told.author.get(told.chapter).headers["etag"]}
    bob.put(f"{told.chapter}/vote", json={"vote_type": "UPVOTE"})
    bob.put(f"{told.chapter}/reading")
    platform.settle()
    body = {"title": "One", "text": LONG}

    changed = told.author.put(told.chapter, json=body, headers=tag).json()
    assert (changed["text"], changed["upvote_count"], changed["read_count"]) == (LONG, 1, 1)
    refused(told.author.put(told.chapter, json=body, headers=tag), 412)


def _grow(platform: Platform, told: Told, count: int, children: int) -> dict[int, list[str]]:
    """Write a tree in which each chapter has so many followers; give the ids of each level."""
    nodes, levels = [(told.node_id, 0)], {0: [told.node_id]}
    while len(nodes) < count:
        depth = nodes[(len(nodes) - 1) // children][1] + 1
        nodes.append((f"n{len(nodes):05d}", depth))
        levels.setdefault(depth, []).append(nodes[-1][0])
    parents = [nodes[(number - 1) // children][0] for number in range(1, count)]
    platform.store.put_many(
        Chapter(
            node_id=node_id,
            story_id=told.story_id,
            parent_node_id=parent,
            author_id="ann",
            author_name="Ann",
            title=node_id,
            content=Large("On."),
            depth=depth,
        )
        for parent, (node_id, depth) in zip(parents, nodes[1:], strict=True)
    )
    return levels


@pytest.mark.parametrize(
    ("count", "most_s"), [(500, 20), pytest.param(10_000, 40, marks=pytest.mark.slow)]
)
def test_a_tree_is_read_level_by_level(platform: Platform, count: int, most_s: float) -> None:
    """As many requests as there are pages, not as there are chapters."""
    told = published(platform.user("ann"))
    levels = _grow(platform, told, count, children=7)

    begin = perf_counter()
    for depth in range(1, max(levels) + 1):
        shown = everything(told.author, f"{told.path}/levels/{depth}", limit=100)
        assert sorted(one["node_id"] for one in shown) == levels[depth]
    assert perf_counter() - begin < most_s
    assert told.author.get(f"{told.path}/levels/{max(levels) + 1}").json()["items"] == []
    assert told.author.get(told.path).json()["chapter_count"] == count


def test_chapters_count_their_branches(platform: Platform) -> None:
    told = published(platform.user("ann"))
    _grow(platform, told, 20, children=3)
    platform.settle()

    shown = everything(told.author, f"{told.path}/chapters")
    counts = sorted((one["branch_count"] for one in shown), reverse=True)
    assert counts == [3, 3, 3, 3, 3, 3, 1, *[0] * 13]
    assert verify(platform.store, settled=True) == []
