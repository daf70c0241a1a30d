"""The list is spread over shards; a single item needs no spreading."""

from datetime import datetime

from singletable import Entity, Get, Index, Query, Store, Table, created, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="STORY"):
    """A story."""

    listed = Index("GSI1", pk="STORIES#{story_id:shard 10}", sk="{created_at}#{story_id}")

    story_id: str
    created_at: datetime = created()


class Settings(Entity, table=table, pk="SETTINGS", sk="SETTINGS"):
    """The settings of the site: one item."""

    title: str


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern(page=20)
    def newest(self) -> Query[Story]:
        """The newest stories, from all shards."""
        return Story.listed.query().newest_first()

    @pattern()
    def settings(self) -> Get[Settings]:
        """The settings."""
        return Settings.get()
