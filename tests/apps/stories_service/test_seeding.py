"""Data to begin with."""

from datetime import UTC, date, datetime

from apps.stories.after import consumers
from apps.stories.design import Bookmark, Chapter, Reading, Stories, Story, User, Vote
from apps.stories.seeding import seed
from singletable import Entity
from singletable.streams import Worker
from singletable.streams.aggregates import verify


def _filled() -> list[list[Entity]]:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    with Stories.connect(":memory:", clock=lambda: now) as store:
        assert seed(store, "small") > 100
        kinds: tuple[type[Entity], ...] = (User, Story, Chapter, Bookmark, Reading, Vote)
        return [store.bind(kind.scan()).all() for kind in kinds]


def test_it_is_the_same_every_time() -> None:
    first = _filled()

    assert first == _filled()
    assert all(first)


def test_what_is_counted_is_true_of_it_and_drafts_stay_hidden() -> None:
    with Stories.connect(":memory:") as store:
        seed(store, "small")
        Worker(store, *consumers(store)).drain()
        assert verify(store, settled=True) == []
        public = store.discover(date(2026, 1, 1), date(2026, 12, 31)).all()
        assert 0 < len(public) < len(store.bind(Story.scan()).all())
        assert all(story.status != "DRAFT" and story.upvote_count >= 0 for story in public)
        for story in public:
            assert story.first_node_id is not None
            first = store.chapter(story.story_id, story.first_node_id).one()
            assert (first.depth, first.parent_node_id) == (0, None)
