"""Each has a word of its own."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("users")


class Profile(Entity, table=table, pk="USER#{user_id}", sk="PROFILE"):
    """A user's profile."""

    user_id: str
    name: str


class Setting(Entity, table=table, pk="USER#{user_id}", sk="SETTING#{name}"):
    """A setting."""

    user_id: str
    name: str
    value: str


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
