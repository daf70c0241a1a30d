"""As many shards as the writes need."""

from datetime import datetime

from singletable import Entity, Index, Query, Store, Table, created, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="STORY"):
    """A story."""

    listed = Index("GSI1", pk="STORIES#{story_id:shard 4}", sk="{created_at}#{story_id}")

    story_id: str
    created_at: datetime = created()


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern(page=20)
    def newest(self) -> Query[Story]:
        """The newest stories."""
        return Story.listed.query().newest_first()
