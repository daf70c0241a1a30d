"""The store keeps the address unique."""

from typing import Annotated

from singletable import Entity, Index, Query, Store, Table, Unique, pattern, ulid

table = Table("users", indexes=["GSI1"])


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """A user."""

    by_email = Index("GSI1", pk="EMAIL#{email}", sk="USER")

    user_id: str = ulid()
    email: Annotated[str, Unique()]


class Users(Store, table=table):
    """The patterns of the users."""

    @pattern()
    def by_email(self, email: str) -> Query[User]:
        """Who logs in with an address."""
        return User.by_email.query(email=email)
