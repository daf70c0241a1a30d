"""What type checkers refuse in a design: each line that is marked, and no other."""

from singletable import Entity, Get, Index, Query, Store, Table, pattern, ulid
from singletable import Tabel as Misspelt  # refused: no such name

table = Table("things", indexes=["GSI1"])


class Thing(Entity, table=table, pk="THING#{thing_id}", sk="THING"):
    """Has an id."""

    by_name = Index("GSI1", pk="NAME#{name}")

    thing_id: str = ulid()
    name: str


class Things(Store, table=table):
    """Has patterns that are none."""

    @pattern(page="20")  # refused: no number
    def page(self) -> Query[Thing]:
        """A page."""
        return Thing.query()

    @pattern()
    def kind(self, thing_id: str) -> Query[Thing]:
        """A get is no query."""
        return Thing.get(thing_id=thing_id)  # refused: a get is no query

    @pattern()
    def type(self, thing_id: str) -> Get[Thing]:
        """Another entity."""
        return Other.get(thing_id=thing_id)  # refused: another entity

    @pattern()  # refused: no read
    def thing(self, thing_id: str) -> Thing:
        """A pattern gives a description."""
        return Thing(thing_id=thing_id, name="x")


class Other(Entity, table=table, pk="OTHER#{thing_id}", sk="OTHER"):
    """Has an id too."""

    thing_id: str


Index("GSI1", "NAME#{name}")  # refused: the keys are named
Index(pk="NAME#{name}")  # refused: no name
Table("things", index=["GSI1"])  # refused: misspelt
Thing.thing_id_index  # refused: misspelt
pattern(20)  # refused: page=20
Misspelt("things")
