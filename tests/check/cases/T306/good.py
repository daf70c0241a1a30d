"""How long others may keep a record has an attribute of its own."""

from typing import Annotated

from singletable import Attribute, Entity, Query, Store, Table, pattern

table = Table("names")


class Record(Entity, table=table, pk="ZONE#{zone}", sk="RECORD#{name}"):
    """A record of a zone."""

    zone: str
    name: str
    address: str
    ttl: Annotated[int, Attribute("ttl_s")] = 300


class Names(Store, table=table):
    """The patterns of the zones."""

    @pattern(page=20)
    def records(self, zone: str) -> Query[Record]:
        """The records of a zone."""
        return Record.query(zone=zone)
