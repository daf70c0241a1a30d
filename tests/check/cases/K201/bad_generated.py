"""An id that the library made for one entity is no id of the other."""

from singletable import Entity, Get, Store, Table, pattern, ulid

table = Table("users")


class Profile(Entity, table=table, pk="USER#{user_id}", sk="PROFILE"):
    """A user's profile, which makes the user's id."""

    user_id: str = ulid()


class Setting(Entity, table=table, pk="USER#{user_id}", sk="{name}"):
    """A setting of a user, whose name may be PROFILE."""

    user_id: str
    name: str


class Users(Store, table=table):
    """The patterns of the users."""

    @pattern()
    def profile(self, user_id: str) -> Get[Profile]:
        """A profile."""
        return Profile.get(user_id=user_id)

    @pattern()
    def setting(self, user_id: str, name: str) -> Get[Setting]:
        """A setting."""
        return Setting.get(user_id=user_id, name=name)
