"""Times as text, in whatever form each writer has."""

from datetime import UTC, datetime

from pydantic import Field

from singletable import Entity, Query, Store, Table, pattern

table = Table("logs")


def timestamp() -> str:
    """Tell the time, without a fraction where it is zero."""
    return datetime(2026, 2, 6, 10, 30, tzinfo=UTC).isoformat()


class Entry(Entity, table=table, pk="LOG#{log_id}", sk="ENTRY#{at}#{entry_id}"):
    """An entry, sorted by its time."""

    log_id: str
    at: str = Field(default_factory=timestamp)
    entry_id: str


class Visit(Entity, table=table, pk="LOG#{log_id}", sk="VISIT#{seen}#{visit_id}"):
    """A visit: only the pattern shows that it is sorted by time."""

    log_id: str
    seen: str
    visit_id: str


class Logs(Store, table=table):
    """The patterns of the logs."""

    @pattern(page=50)
    def newest(self, log_id: str) -> Query[Entry]:
        """The entries, newest first."""
        return Entry.query(log_id=log_id).newest_first()

    @pattern(page=50)
    def visits(self, log_id: str, since: datetime) -> Query[Visit]:
        """The visits since a moment."""
        return Visit.query(log_id=log_id).ge(since.isoformat())
