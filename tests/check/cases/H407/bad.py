"""An item in four indexes, of which three move with each change."""

from datetime import datetime
from typing import Literal

from singletable import Entity, Index, Query, Store, Table, pattern, ulid, updated

table = Table("tickets", indexes=["GSI1", "GSI2", "GSI3", "GSI4"])


class Ticket(Entity, table=table, pk="TEAM#{team_id}", sk="TICKET#{ticket_id}"):
    """A ticket, listed by whatever came to mind."""

    by_state = Index("GSI1", pk="TEAM#{team_id}#{state}", sk="{updated_at}#{ticket_id}")
    by_owner = Index("GSI2", pk="USER#{owner}", sk="{updated_at}#{ticket_id}")
    by_change = Index("GSI3", pk="TEAM#{team_id}", sk="{updated_at}#{ticket_id}")
    by_title = Index("GSI4", pk="TEAM#{team_id}", sk="{title:escaped}#{ticket_id}")

    team_id: str
    ticket_id: str = ulid()
    owner: str
    title: str
    state: Literal["OPEN", "DONE"] = "OPEN"
    updated_at: datetime = updated()


class Tickets(Store, table=table):
    """The patterns of the tickets."""

    @pattern(page=20)
    def in_state(self, team_id: str, state: Literal["OPEN", "DONE"]) -> Query[Ticket]:
        """The tickets in a state."""
        return Ticket.by_state.query(team_id=team_id, state=state)

    @pattern(page=20)
    def of_owner(self, owner: str) -> Query[Ticket]:
        """The tickets of a person."""
        return Ticket.by_owner.query(owner=owner)

    @pattern(page=20)
    def changed(self, team_id: str, since: datetime) -> Query[Ticket]:
        """What was changed since a moment."""
        return Ticket.by_change.query(team_id=team_id).ge(since)

    @pattern(page=20)
    def titled(self, team_id: str, typed: str) -> Query[Ticket]:
        """The tickets whose titles begin so."""
        return Ticket.by_title.query(team_id=team_id).begins_with(typed)
