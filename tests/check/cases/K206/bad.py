"""A message, found by the microsecond in which it was written."""

from datetime import datetime

from singletable import Entity, Get, Store, Table, created, pattern, ulid

table = Table("messages")


class Message(Entity, table=table, pk="USER#{user_id}", sk="MESSAGE#{created_at}#{message_id}"):
    """A message."""

    user_id: str
    message_id: str = ulid()
    created_at: datetime = created()


class Messages(Store, table=table):
    """The patterns of the messages."""

    @pattern()
    def message(self, user_id: str, sent_at: datetime, message_id: str) -> Get[Message]:
        """One message: who has its id alone cannot ask for it."""
        return Message.get(user_id=user_id, created_at=sent_at, message_id=message_id)
