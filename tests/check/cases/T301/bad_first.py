"""A user, looked up by an address that two users can have: the first is taken."""

from singletable import Entity, Index, Query, Store, Table, pattern, ulid

table = Table("users", indexes=["GSI1"])


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """A user."""

    by_email = Index("GSI1", pk="EMAIL#{email}", sk="USER")

    user_id: str = ulid()
    email: str


class Users(Store, table=table):
    """The patterns of the users."""

    @pattern(page=1)
    def by_email(self, email: str) -> Query[User]:
        """Who logs in with an address."""
        return User.by_email.query(email=email)
