"""Entities, and no question about them."""

from singletable import Entity, Store, Table

table = Table("things")


class Thing(Entity, table=table, pk="THING#{thing_id}", sk="THING"):
    """A thing."""

    thing_id: str


class Things(Store, table=table):
    """The patterns of the things, which nobody knows yet."""
