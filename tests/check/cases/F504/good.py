"""Each entity is read."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("polls")


class Poll(Entity, table=table, pk="POLL#{poll_id}", sk="POLL"):
    """A poll."""

    poll_id: str


class Vote(Entity, table=table, pk="POLL#{poll_id}", sk="VOTE#{user_id}"):
    """A vote in a poll."""

    poll_id: str
    user_id: str


class Polls(Store, table=table):
    """The patterns of the polls."""

    @pattern()
    def poll(self, poll_id: str) -> Get[Poll]:
        """A poll."""
        return Poll.get(poll_id=poll_id)

    @pattern()
    def vote(self, poll_id: str, user_id: str) -> Get[Vote]:
        """What somebody voted for."""
        return Vote.get(poll_id=poll_id, user_id=user_id)
