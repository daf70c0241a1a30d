"""An id stands behind the time."""

from datetime import datetime

from singletable import Entity, Get, Query, Store, Table, created, pattern, ulid

table = Table("visits")


class Guest(Entity, table=table, pk="GUEST#{guest_id}", sk="GUEST"):
    """A guest."""

    guest_id: str


class Visit(Entity, table=table, pk="GUEST#{guest_id}", sk="VISIT#{at:%Y-%m-%d}#{visit_id}"):
    """A visit."""

    guest_id: str
    at: datetime
    visit_id: str = ulid()


class Message(Entity, table=table, pk="GUEST#{guest_id}", sk="MESSAGE#{created_at}#{message_id}"):
    """A message."""

    guest_id: str
    created_at: datetime = created()
    message_id: str = ulid()


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
