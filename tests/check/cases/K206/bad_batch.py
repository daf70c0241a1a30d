"""A user and a message read together, the message by the microsecond in which it was written."""

from datetime import datetime
from typing import Any

from singletable import BatchGet, Entity, Get, Store, Table, created, get_many, pattern, ulid

table = Table("messages")


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """A user."""

    user_id: str


class Message(Entity, table=table, pk="USER#{user_id}", sk="MESSAGE#{created_at}#{message_id}"):
    """A message."""

    user_id: str
    message_id: str = ulid()
    created_at: datetime = created()


class Messages(Store, table=table):
    """The patterns of the messages."""

    @pattern()
    def opened(self, user_id: str, sent_at: datetime, message_id: str) -> BatchGet[Any]:
        """A message with its user."""
        reads: list[Get[Any]] = [
            User.get(user_id=user_id),
            Message.get(user_id=user_id, created_at=sent_at, message_id=message_id),
        ]
        return get_many(reads)
