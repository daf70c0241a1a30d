"""Each day has ten partitions."""

from datetime import date, datetime

from singletable import Entity, Query, Store, Table, between, created, pattern, ulid

table = Table("events")


class Event(
    Entity, table=table, pk="EVENTS#{at:%Y-%m-%d}#{event_id:shard 10}", sk="{at}#{event_id}"
):
    """An event."""

    event_id: str = ulid()
    at: datetime = created()


class Events(Store, table=table):
    """The patterns of the events."""

    @pattern(page=100)
    def of_days(self, first: date, last: date) -> Query[Event]:
        """The events of some days."""
        return Event.query(at=between(first, last))
