"""A scan of an index that holds few items: a note."""

from singletable import Entity, GlobalIndex, Index, Scan, Store, Table, pattern

table = Table("tickets", indexes=[GlobalIndex("Urgent", sk=())])


class Ticket(Entity, table=table, pk="TICKET#{ticket_id}", sk="TICKET"):
    """A ticket, which may be urgent."""

    urgent = Index("Urgent", pk="{urgent_since}")

    ticket_id: str
    urgent_since: str | None = None


class Tickets(Store, table=table):
    """The patterns of the tickets."""

    @pattern(page=100)
    def urgent(self) -> Scan[Ticket]:
        """What is urgent."""
        return Ticket.urgent.scan()
