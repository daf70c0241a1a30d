"""A day is the whole key of what may happen twice a day."""

from datetime import datetime

from singletable import Entity, Get, Query, Store, Table, created, pattern

table = Table("visits")


class Guest(Entity, table=table, pk="GUEST#{guest_id}", sk="GUEST"):
    """A guest."""

    guest_id: str


class Visit(Entity, table=table, pk="GUEST#{guest_id}", sk="VISIT#{at:%Y-%m-%d}"):
    """A visit: the second of a day replaces the first."""

    guest_id: str
    at: datetime


class Message(Entity, table=table, pk="GUEST#{guest_id}", sk="MESSAGE#{created_at}"):
    """A message: two of one moment are one."""

    guest_id: str
    created_at: datetime = created()


class Visits(Store, table=table):
    """The patterns of the reception."""

    @pattern()
    def guest(self, guest_id: str) -> Get[Guest]:
        """A guest."""
        return Guest.get(guest_id=guest_id)

    @pattern(page=20)
    def visits(self, guest_id: str) -> Query[Visit]:
        """The visits of a guest."""
        return Visit.query(guest_id=guest_id)

    @pattern(page=20)
    def messages(self, guest_id: str) -> Query[Message]:
        """The messages to a guest."""
        return Message.query(guest_id=guest_id)
