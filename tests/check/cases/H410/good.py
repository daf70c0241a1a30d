"""Ten copies are enough for 30,000 reads a second."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("config")


class Flags(Entity, table=table, pk="FLAGS#{name}#{copy}", sk="FLAGS", copies=10):
    """The flags of an application, read by everybody."""

    name: str
    on: bool = False


class Config(Store, table=table):
    """The patterns of the configuration."""

    @pattern()
    def flags(self, name: str) -> Get[Flags]:
        """The flags of an application."""
        return Flags.get(name=name)
