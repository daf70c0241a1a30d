"""A range of dates over keys that are moments."""

from datetime import UTC, date, datetime, time

from singletable import Entity, Query, Store, Table, pattern

table = Table("shifts")


class Shift(Entity, table=table, pk="USER#{user_id}", sk="SHIFT#{started_at}#{shift_id}"):
    """A shift, which began at a moment."""

    user_id: str
    started_at: datetime
    shift_id: str


class Visit(Entity, table=table, pk="USER#{user_id}", sk="VISIT#{visited_at}#{visit_id}"):
    """A visit, whose time is text."""

    user_id: str
    visited_at: str
    visit_id: str


class Shifts(Store, table=table):
    """The patterns of the time sheet."""

    @pattern(page=50)
    def shifts(self, user_id: str, first: date, last: date) -> Query[Shift]:
        """The shifts between two dates: but none of the last day."""
        begin = datetime.combine(first, time.min, UTC)
        return Shift.query(user_id=user_id).between(begin, datetime.combine(last, time.min, UTC))

    @pattern(page=50)
    def visits(self, user_id: str, last: date) -> Query[Visit]:
        """The visits up to a date: but none of the last day."""
        return Visit.query(user_id=user_id).le(last.isoformat())
