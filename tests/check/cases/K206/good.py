"""The id sorts by time, and is all that a caller needs."""

from datetime import datetime

from singletable import Entity, Get, Index, Query, Store, Table, created, pattern, ulid

table = Table("messages", indexes=["GSI1"])


class Message(Entity, table=table, pk="USER#{user_id}", sk="MESSAGE#{message_id}"):
    """A message."""

    by_day = Index("GSI1", pk="USER#{user_id}#{created_at:%Y-%m-%d}", sk="{message_id}")

    user_id: str
    message_id: str = ulid()
    created_at: datetime = created()


class Messages(Store, table=table):
    """The patterns of the messages."""

    @pattern()
    def message(self, user_id: str, message_id: str) -> Get[Message]:
        """One message."""
        return Message.get(user_id=user_id, message_id=message_id)

    @pattern()
    def messages(self, user_id: str, at: datetime) -> Query[Message]:
        """The messages of a day."""
        return Message.by_day.query(user_id=user_id, created_at=at)
