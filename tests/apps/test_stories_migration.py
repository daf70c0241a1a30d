"""The story platform's migration leaves the counters of the first layout behind, and its faults."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import orjson
import pytest

from apps.stories.design import Stories
from apps.stories.migration import LeaveFirstLayout, dangling, tell_types
from singletable import Engine
from singletable.migrate import Job, follow, plan, run_migration, verify
from singletable.migrate.sources.dynamodb import DynamoSource
from singletable.streams.aggregates import verify as verify_counts

TABLE = "nlmonorepo-tsh-datatable-test"
KEYS = (("PK", "SK"), ("GSI1PK", "GSI1SK"))
DAY = "2026-03-{:02d}T10:00:00.000Z"
WRONG = {"totalReads": 7, "totalUpvotes": 99, "totalBranches": -1, "totalChapters": 0}


def user(name: str, email: str = "") -> dict[str, Any]:
    return {
        "PK": f"USER#{name}",
        "SK": f"PROFILE#{name}",
        "userId": name,
        "email": email or f"{name}@example.com",
        "displayName": name.title(),
        "createdAt": DAY.format(1),
        "lastLoginAt": DAY.format(2),
        "stats": {"storiesCreated": 40, "branchesContributed": 0},
    }


def story(name: str, status: str, day: int) -> dict[str, Any]:
    return {
        "PK": f"STORY#{name}",
        "SK": "METADATA",
        "GSI1PK": "STORY_LIST",
        "GSI1SK": f"{DAY.format(day)}#{name}",
        "storyId": name,
        "title": f"The {name}",
        "synopsis": "Somebody keeps a light.",
        "authorId": "ann",
        "authorName": "Ann",
        "genre": "mystery",
        "ageRating": "12+",
        "contentWarnings": ["storms"],
        "status": status,
        "createdAt": DAY.format(day),
        "updatedAt": DAY.format(day),
        "stats": WRONG,
    }


def chapter(of: str, node: str, parent: str | None, author: str, order: int) -> dict[str, Any]:
    told = {} if parent is None else {"parentNodeId": parent}
    return told | {
        "PK": f"STORY#{of}",
        "SK": f"CHAPTER#{node}",
        "GSI1PK": f"USER#{author}",
        "GSI1SK": f"BRANCH#{DAY.format(order + 1)}#{node}",
        "nodeId": node,
        "storyId": of,
        "authorId": author,
        "authorName": author.title(),
        "title": f"Chapter {node}",
        "content": "It was dark. " * 500,
        "matchesVision": False,
        "authorApproved": True,
        "depth": 0 if parent is None else 1,
        "order": order,
        "createdAt": DAY.format(order + 1),
        "updatedAt": DAY.format(order + 1),
        "stats": {"reads": 500, "upvotes": 12, "childCount": 0},
    }


def child(node: str, parent: str, order: int) -> dict[str, Any]:
    key = {"PK": f"CHAPTER#{parent}", "SK": f"CHILD#{order}#{node}"}
    return key | {"nodeId": node, "parentNodeId": parent, "order": order}


def vote(who: str, node: str, way: str = "UPVOTE", key: str = "") -> dict[str, Any]:
    at = {"PK": f"USER#{who}", "SK": f"VOTE#{key or node}", "userId": who, "nodeId": node}
    return at | {"storyId": "light", "voteType": way, "createdAt": DAY.format(9)}


def bookmark(who: str, of: str, node: str | None) -> dict[str, Any]:
    at = {"PK": f"USER#{who}", "SK": f"BOOKMARK#{of}", "userId": who, "storyId": of}
    return at | {"currentNodeId": node, "createdAt": DAY.format(8), "updatedAt": DAY.format(9)}


def notification(name: str, kind: str, day: int) -> dict[str, Any]:
    return {
        "PK": "USER#ann",
        "SK": f"NOTIFICATION#{DAY.format(day)}#{name}",
        "GSI1PK": f"NOTIFICATION#{name}",
        "GSI1SK": "USER#ann",
        "notificationId": name,
        "userId": "ann",
        "type": kind,
        "title": "Something happened",
        "message": "Somebody did something.",
        "relatedStoryId": "light",
        "relatedNodeId": "n1",
        "relatedUserId": "bob",
        "read": False,
        "createdAt": DAY.format(day),
    }


SOUND = [
    user("ann"),
    user("bob"),
    story("light", "PUBLISHED", 3),
    story("secret", "DRAFT", 4),
    chapter("light", "n1", None, "ann", 0),
    *(chapter("light", f"n{n}", "n1", "bob", n) for n in (2, 10)),
    {**chapter("secret", "s1", None, "ann", 0), "parentNodeId": ""},
    *(child(f"n{n}", "n1", n) for n in (2, 10)),
    vote("bob", "n1"),
    vote("eve", "n1"),
    vote("ann", "n2", "DOWNVOTE"),
    bookmark("bob", "light", "n2"),
    notification("t1", "UPVOTE", 11),
    notification("t2", "NEW_BRANCH", 12),
]
FAULTY = [
    (
        vote("bob", "n1", "DOWNVOTE", key="n1#again"),
        "makes an item with the key USER#bob, VOTE#n1, too",
    ),
    (bookmark("eve", "light", None), "current_node_id"),
    (user("eve", "bob@example.com"), "email"),
    (notification("t3", "UPVOTE", 13), "cause"),
    ({**vote("ann", "n10"), "voteType": "MAYBE"}, "vote_type"),
]
DANGLING = [bookmark("ann", "gone", "g1"), {**vote("bob", "g1"), "storyId": "gone"}]


def fill(path: Path, items: list[dict[str, Any]]) -> None:
    names = [name for pair in KEYS for name in pair]
    schemas = [
        [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]
        for pk, sk in KEYS
    ]
    listed = {"IndexName": "GSI1", "KeySchema": schemas[1], "Projection": {"ProjectionType": "ALL"}}
    with Engine(path) as engine:
        engine.create_table(
            TableName=TABLE,
            KeySchema=schemas[0],
            AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in names],
            GlobalSecondaryIndexes=[listed],
            BillingMode="PAY_PER_REQUEST",
        )
    with closing(DynamoSource(str(path), [TABLE])) as source:
        source.put(TABLE, items)
    with Stories.connect(str(path), table_name=TABLE, create=False) as old:
        assert tell_types(old) == len(items)
        assert tell_types(old) == 0


def job_of(folder: Path, items: list[dict[str, Any]]) -> Job:
    fill(folder / "old.db", items)
    return Job(
        migration=LeaveFirstLayout,
        source=f"dynamodb:{folder / 'old.db'}?table={TABLE}&type_attribute=entityType",
        destination=str(folder / "new.db"),
        folder=folder,
    )


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    items = [*SOUND, *DANGLING, *(item for item, _ in FAULTY)]
    job = job_of(tmp_path_factory.mktemp("stories"), items)
    with ThreadPoolExecutor(1) as executor:
        run_migration(job, executor=executor)
    return job


def test_every_old_query_has_a_pattern(job: Job) -> None:
    assert plan(job).unmatched == ()


def test_what_cannot_come_over_is_told_with_the_reason(job: Job) -> None:
    told = [orjson.loads(line) for line in job.rejects.read_text("utf-8").splitlines()]
    reasons = {one["id"].partition("/")[2]: one["reason"] for one in told}

    assert reasons.keys() == {f"{item['PK']}/{item['SK']}" for item, _ in FAULTY}
    for item, reason in FAULTY:
        assert reason in reasons[f"{item['PK']}/{item['SK']}"]


def test_nothing_differs_and_every_count_is_true(job: Job) -> None:
    assert verify(job, settle_s=0).agrees
    with Stories.connect(job.destination) as store:
        assert verify_counts(store, settled=True) == []
        ann, light = store.profile("ann").one(), store.story("light").one()
        first = store.chapter("light", "n1").one()

    assert (ann.stories_created, ann.branches_contributed, ann.upvotes_received) == (2, 2, 2)
    assert (light.chapter_count, light.upvote_count, light.read_count) == (3, 2, 1)
    assert (first.upvote_count, first.downvote_count, first.branch_count) == (2, 0, 2)


def test_all_nine_patterns_answer(job: Job) -> None:
    with Stories.connect(job.destination) as store:
        light = store.story("light").one()
        assert light.first_node_id == "n1"
        chapters = store.chapters("light").all()
        assert [one.node_id for one in chapters] == ["n1", "n10", "n2"]
        assert store.load(chapters[0].content) == "It was dark. " * 500
        assert store.profile("bob").one().display_name == "Bob"
        assert [one.story_id for one in store.stories_of("ann")] == ["secret", "light"]
        assert [one.node_id for one in store.branches_of("bob")] == ["n10", "n2"]
        assert store.bookmark("bob", "light").one().current_node_id == "n2"
        assert [one.kind for one in store.notifications("ann")] == ["NEW_BRANCH", "UPVOTE"]
        assert [one.node_id for one in store.branches_after("light", 1, "n1")] == ["n2", "n10"]
        listed = store.discover(date(2026, 1, 1), date(2026, 12, 31)).all()
        assert [one.story_id for one in listed] == ["light"]  # and no draft


def test_what_points_at_nothing_is_found(job: Job) -> None:
    with Stories.connect(job.destination) as store:
        found = [(type(one).__name__, one.user_id, one.story_id) for one in dangling(store)]

    assert found == [("Bookmark", "ann", "gone"), ("Vote", "bob", "gone")]


def test_a_story_follows_its_chapters(tmp_path: Path) -> None:
    """Its cover names the first one, whenever that is written."""
    job = job_of(tmp_path, [user("ann"), story("new", "DRAFT", 5)])
    with ThreadPoolExecutor(1) as executor:
        run_migration(job, executor=executor, follow=True)
    begun = {**chapter("new", "x1", None, "ann", 0), "entityType": "Chapter"}
    public = {**story("new", "PUBLISHED", 5), "entityType": "Story"}
    with closing(DynamoSource(str(tmp_path / "old.db"), [TABLE])) as source:
        source.put(TABLE, [begun, public])
    follow(job)

    assert verify(job, settle_s=0).agrees
    with Stories.connect(job.destination) as store:
        new = store.story("new").one()
        listed = store.discover(date(2026, 3, 1), date(2026, 3, 31)).all()
    assert (new.first_node_id, new.chapter_count, listed) == ("x1", 1, [new])
