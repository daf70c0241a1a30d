"""Times are datetimes."""

from datetime import datetime

from singletable import Entity, Query, Store, Table, created, pattern

table = Table("logs")


class Entry(Entity, table=table, pk="LOG#{log_id}", sk="ENTRY#{at}#{entry_id}"):
    """An entry, sorted by its time."""

    log_id: str
    at: datetime = created()
    entry_id: str


class Logs(Store, table=table):
    """The patterns of the logs."""

    @pattern(page=50)
    def since(self, log_id: str, since: datetime) -> Query[Entry]:
        """The entries since a moment."""
        return Entry.query(log_id=log_id).ge(since)
