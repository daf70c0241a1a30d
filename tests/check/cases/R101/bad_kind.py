"""Parameters of other types than their fields have: one that is known, and one compared with."""

from datetime import date

from singletable import Entity, Query, Store, Table, pattern

table = Table("visits")


class Visit(Entity, table=table, pk="DOOR#{door:04d}", sk="{day}#{visit_id}"):
    """A visit."""

    door: int
    day: date
    visit_id: str


class Visits(Store, table=table):
    """The patterns of the visits."""

    @pattern()
    def visits(self, door: str) -> Query[Visit]:
        """The visits at a door."""
        return Visit.query(door=door)

    @pattern()
    def since(self, door: int, first: str) -> Query[Visit]:
        """The visits at a door from a day on."""
        return Visit.query(door=door).ge(first)
