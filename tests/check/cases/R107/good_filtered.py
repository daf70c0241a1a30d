"""The list for everybody filters by the state: so late, but it looks at it."""

from datetime import datetime
from typing import Literal

from singletable import Entity, F, Index, Query, Store, Table, created, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="STORY"):
    """A story."""

    listed = Index("GSI1", pk="STORIES#{story_id:shard 10}", sk="{created_at}#{story_id}")

    story_id: str
    status: Literal["DRAFT", "PUBLISHED"]
    created_at: datetime = created()


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern(page=20)
    def newest(self) -> Query[Story]:
        """The newest stories that are published."""
        return Story.listed.query().newest_first().filter(F("status") == "PUBLISHED")
