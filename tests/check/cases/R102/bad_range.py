"""An open range reaches beyond the times, to a word."""

from datetime import datetime

from singletable import Entity, Get, Query, Store, Table, pattern

table = Table("logs")


class Entry(Entity, table=table, pk="LOG#{log_id}", sk="{at}#{entry_id}"):
    """An entry, sorted by its time."""

    log_id: str
    at: datetime
    entry_id: str


class Log(Entity, table=table, pk="LOG#{log_id}", sk="METADATA"):
    """The log itself: a word, which sorts behind every time."""

    log_id: str


class Logs(Store, table=table):
    """The patterns of the logs."""

    @pattern(page=50)
    def since(self, log_id: str, since: datetime) -> Query[Entry]:
        """What was written since a moment: and the log itself."""
        return Entry.query(log_id=log_id).ge(since)

    @pattern(page=50)
    def spanning(self, log_id: str, first: datetime, last: datetime) -> Query[Entry]:
        """What was written between two moments: no word sorts there."""
        return Entry.query(log_id=log_id).between(first, last)

    @pattern()
    def log(self, log_id: str) -> Get[Log]:
        """The log."""
        return Log.get(log_id=log_id)
