"""Users by the group that they are in: a list, as its limit says."""

from singletable import Entity, Index, Query, Store, Table, pattern, ulid

table = Table("users", indexes=["GSI1"])


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """A user."""

    of_group = Index("GSI1", pk="GROUP#{group}", sk="USER")

    user_id: str = ulid()
    group: str


class Users(Store, table=table):
    """The patterns of the users."""

    @pattern
    def of_group(self, group: str) -> Query[User]:
        """Some users of a group."""
        return User.of_group.query(group=group).limit(10)

    @pattern
    def as_many(self, most: int, group: str) -> Query[User]:
        """As many users of a group as the caller wants."""
        return User.of_group.query(group=group).limit(most)
