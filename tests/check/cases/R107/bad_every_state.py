"""A status at which no list looks: drafts may be in the one that everybody reads."""

from datetime import date, datetime
from typing import Literal

from singletable import Entity, Index, Query, Store, Table, between, created, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story, which begins as a draft."""

    listed = Index("GSI1", pk="STORIES#{created_at:%Y-%m}", sk="{created_at}#{story_id}")

    story_id: str
    status: Literal["DRAFT", "PUBLISHED"] = "DRAFT"
    created_at: datetime = created()


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern(page=20)
    def discover(self, first: date, last: date) -> Query[Story]:
        """The stories of a time, newest first: drafts as well."""
        return Story.listed.query(created_at=between(first, last)).newest_first()
