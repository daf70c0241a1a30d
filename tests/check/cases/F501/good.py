"""The question comes first."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("things")


class Thing(Entity, table=table, pk="THING#{thing_id}", sk="THING"):
    """A thing."""

    thing_id: str


class Things(Store, table=table):
    """The patterns of the things."""

    @pattern()
    def thing(self, thing_id: str) -> Get[Thing]:
        """A thing."""
        return Thing.get(thing_id=thing_id)
