"""The index is global."""

from singletable import Entity, Index, Query, Store, Table, pattern, ulid

table = Table("chat", indexes=["GSI1"])


class Message(Entity, table=table, pk="ROOM#{room_id}", sk="MESSAGE#{message_id}"):
    """A message."""

    by_author = Index("GSI1", pk="ROOM#{room_id}#{author_id}", sk="{message_id}")

    room_id: str
    message_id: str = ulid()
    author_id: str


class Chat(Store, table=table):
    """The patterns of the chat."""

    @pattern(page=50)
    def of_author(self, room_id: str, author_id: str) -> Query[Message]:
        """The messages of a person in a room."""
        return Message.by_author.query(room_id=room_id, author_id=author_id)
