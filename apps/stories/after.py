"""What happens after a write: notifications, the counts that the stream keeps, copies of names.

A handler may be called again for a change that it has seen. What tells one user goes in a
transaction that is done once. What tells many does not fit into one: their notifications have ids
made from the change, so that each is written once. What may happen again has a cause, which is
unique.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any

from singletable import AlreadyExists, Transaction, UniqueViolation
from singletable.streams import (
    Aggregates,
    Change,
    Consumer,
    Created,
    Duplicates,
    Handlers,
    Modified,
    handler,
)

from .design import Chapter, Notification, Stories, Story, Vote


class AfterWrites(Handlers[Stories]):
    """Tells users what others did."""

    @handler
    def new_branch(self, change: Created[Chapter], once: Transaction) -> None:
        """Tell the authors of the story and of the chapter before that it goes on."""
        new = change.new
        for user_id in sorted(self._authors_before(new) - {new.author_id}):
            once.create(
                Notification(
                    user_id=user_id,
                    kind="NEW_BRANCH",
                    title="A story goes on",
                    message=f"{new.author_name} wrote “{new.title}”.",
                    related_story_id=new.story_id,
                    related_node_id=new.node_id,
                    related_user_id=new.author_id,
                )
            )

    @handler
    def upvote(self, change: Created[Vote] | Modified[Vote]) -> None:
        """Tell the author of a chapter that somebody likes it: once, be it taken back or not."""
        new = change.new
        if new.vote_type != "UPVOTE":
            return
        chapter = self.store.chapter(new.story_id, new.node_id).first()
        if chapter is not None and chapter.author_id != new.user_id:
            liked = Notification(
                user_id=chapter.author_id,
                kind="UPVOTE",
                title="A reader likes your chapter",
                message=f"“{chapter.title}” was voted for.",
                related_story_id=new.story_id,
                related_node_id=new.node_id,
                related_user_id=new.user_id,
                cause=upvote_of(new.user_id, new.node_id),
            )
            with suppress(UniqueViolation):
                self.store.create(liked)

    @handler
    def approved(self, change: Modified[Chapter], once: Transaction) -> None:
        """Tell the author of a chapter that the author of the story approves of it."""
        if not change.became(author_approved=True):
            return
        new = change.new
        story = self.store.story(new.story_id).first()
        if story is not None and story.author_id != new.author_id:
            once.create(
                Notification(
                    user_id=new.author_id,
                    kind="AUTHOR_APPROVED",
                    title="Your chapter was approved",
                    message=f"{story.author_name} approves of “{new.title}”.",
                    related_story_id=new.story_id,
                    related_node_id=new.node_id,
                    related_user_id=story.author_id,
                )
            )

    @handler
    def completed(self, change: Modified[Story]) -> None:
        """Tell everybody who reads a story that it is complete."""
        if change.became(status="COMPLETED"):
            for notification in self._completions(change):
                with suppress(AlreadyExists):
                    self.store.create(notification)

    def _authors_before(self, chapter: Chapter) -> set[str]:
        story = self.store.story(chapter.story_id).first()
        before = (
            chapter.parent_node_id
            and self.store.chapter(chapter.story_id, chapter.parent_node_id).first()
        )
        return {one.author_id for one in (story, before) if one}

    def _completions(self, change: Modified[Story]) -> Iterator[Notification]:
        story = change.new
        for bookmark in self.store.readers_of(story.story_id):
            if bookmark.user_id != story.author_id:
                yield Notification(
                    user_id=bookmark.user_id,
                    notification_id=_id_of(change, bookmark.user_id),
                    kind="STORY_COMPLETED",
                    title="A story is complete",
                    message=f"“{story.title}” has come to its end.",
                    related_story_id=story.story_id,
                    related_user_id=story.author_id,
                    created_at=change.at,
                )


def upvote_of(user_id: str, node_id: str) -> str:
    """Name what the author of a chapter is told once: that a reader likes it."""
    return f"UPVOTE {node_id} {user_id}"


def _id_of(change: Change[Any], user_id: str) -> str:
    """Make the id of what a user is told of a change: the same whenever it is delivered."""
    return sha256(f"{change.id}\n{user_id}".encode()).hexdigest()[:32]


def consumers(store: Stories) -> tuple[Consumer, ...]:
    """Give all who act on the changes of the table, for a worker or for Lambda."""
    return AfterWrites(store), Aggregates(store), Duplicates(store)
