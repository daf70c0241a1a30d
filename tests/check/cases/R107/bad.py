"""Drafts are kept out of one list that everybody reads, and are in the other."""

from datetime import date, datetime
from typing import Literal

from singletable import Entity, Index, Query, Store, Table, between, created, pattern

table = Table("stories", indexes=["GSI1", "GSI2"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story, which begins unseen."""

    listed = Index(
        "GSI1",
        pk="STORIES#{created_at:%Y-%m}",
        sk="{created_at}#{story_id}",
        when={"stage": ("open", "closed")},
    )
    of_genre = Index("GSI2", pk="GENRE#{genre}", sk="{created_at}#{story_id}")

    story_id: str
    genre: Literal["crime", "romance"]
    stage: Literal["seed", "open", "closed"] = "seed"
    created_at: datetime = created()


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern(page=20)
    def discover(self, first: date, last: date) -> Query[Story]:
        """The stories of a time that everybody may read, newest first."""
        return Story.listed.query(created_at=between(first, last)).newest_first()

    @pattern(page=20)
    def of_genre(self, genre: Literal["crime", "romance"]) -> Query[Story]:
        """The stories of a genre, newest first: also those that nobody should see yet."""
        return Story.of_genre.query(genre=genre).newest_first()
