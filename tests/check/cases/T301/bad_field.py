"""A login by e-mail, which is itself the key of an index, and which two users may have."""

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, pattern, ulid

table = Table("users", indexes=[GlobalIndex("BY_EMAIL", pk="email", sk=())])


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """A user."""

    by_email = Index("BY_EMAIL", pk=["email"])

    user_id: str = ulid()
    email: str


class Users(Store, table=table):
    """The patterns of the users."""

    @pattern()
    def login(self, email: str) -> Query[User]:
        """The user who logs in."""
        return User.by_email.query(email=email)
