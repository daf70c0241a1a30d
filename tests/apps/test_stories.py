"""What the design of the story platform keeps true while its data changes."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from apps.stories.design import Stories, Vote
from singletable import AlreadyExists
from tests.apps.stories import world
from tests.apps.worlds import World, at, label


@pytest.fixture
def stories() -> Iterator[World[Stories]]:
    """The stories, for one test to change."""
    made = world()
    with closing(made.store):
        yield made


def test_authors_and_stories_count_what_belongs_to_them(stories: World[Stories]) -> None:
    store = stories.store
    assert store.profile("u1").one().stories_created == 3
    assert store.profile("u1").one().branches_contributed == 4
    assert store.story("st1").one().chapter_count == 5
    assert store.story("st10").one().chapter_count == 2


def test_a_chapter_counts_votes_for_it_alone(stories: World[Stories]) -> None:
    store = stories.store
    assert store.chapter("st1", "n2").one().upvote_count == 2
    assert store.chapter("st1", "n3").one().upvote_count == 0
    store.update(store.vote("u1", "n3").one(), vote_type="UPVOTE")
    store.delete(store.vote("u1", "n2").one())
    assert store.chapter("st1", "n2").one().upvote_count == 1
    assert store.chapter("st1", "n3").one().upvote_count == 1


def test_a_reader_votes_once(stories: World[Stories]) -> None:
    with pytest.raises(AlreadyExists):
        stories.store.create(Vote(user_id="u1", story_id="st1", node_id="n2", vote_type="DOWNVOTE"))
    assert stories.store.chapter("st1", "n2").one().upvote_count == 2


def test_a_draft_is_public_from_when_it_is_published(stories: World[Stories]) -> None:
    store = stories.store
    public = store.discover(at(2, 1), at(2, 28))
    assert label(public.all()) == ["Story st10"]
    store.update(store.story("st2").one(), status="PUBLISHED", published_at=at(2, 20))
    assert label(public.all()) == ["Story st2", "Story st10"]
    store.update(store.story("st10").one(), status="DRAFT")
    assert label(public.all()) == ["Story st2"]
