"""Five copies of a setting, under one key."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("settings")


class Setting(Entity, table=table, pk="CONFIG#{name}", sk="CONFIG", copies=5):
    """A setting that every request reads."""

    name: str
    value: str


class Settings(Store, table=table):
    """The patterns of the settings."""

    @pattern(rate_per_s=10000)
    def setting(self, name: str) -> Get[Setting]:
        """A setting."""
        return Setting.get(name=name)
