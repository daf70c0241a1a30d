"""The range is given the dates themselves."""

from datetime import date, datetime

from singletable import Entity, Query, Store, Table, pattern

table = Table("shifts")


class Shift(Entity, table=table, pk="USER#{user_id}", sk="SHIFT#{started_at}#{shift_id}"):
    """A shift, which began at a moment."""

    user_id: str
    started_at: datetime
    shift_id: str


class Shifts(Store, table=table):
    """The patterns of the time sheet."""

    @pattern(page=50)
    def shifts(self, user_id: str, first: date, last: date) -> Query[Shift]:
        """The shifts between two dates, both included."""
        return Shift.query(user_id=user_id).between(first, last)

    @pattern(page=50)
    def until(self, user_id: str, until: datetime) -> Query[Shift]:
        """The shifts up to a moment."""
        return Shift.query(user_id=user_id).le(until)
