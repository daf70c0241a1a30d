"""A design in which every promise of a store stands next to the others, on few keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from singletable import (
    Entity,
    Index,
    Large,
    Store,
    Table,
    Unique,
    count_of,
    created,
    expires,
    sequence,
    updated,
    version,
)
from singletable.model.large import Inline

table = Table("kept", indexes=["GSI1", "GSI2"])


class Stamped(Entity, table=table):
    """Says which writer's which job wrote it last."""

    by: str = ""


class Team(Stamped, pk="TEAM#{team_id}", sk="TEAM"):
    """It has three counts, a unique code, an index key and a version, all at once."""

    by_motto = Index("GSI1", pk="MOTTO#{motto}", sk="TEAM#{team_id}")

    team_id: str
    motto: str | None = None
    code: Annotated[str | None, Unique()] = None
    members: int = count_of("Member")
    leads: int = count_of("Member", when={"role": "lead"})
    tickets: int = count_of("Ticket")
    version: int = version()


class Member(Stamped, pk="MEMBER#{member_id}", sk="MEMBER"):
    """It counts for a team, which may change, and is unique everywhere and within its team."""

    by_role = Index("GSI1", pk="TEAM#{team_id}", sk="{role}#{member_id}")
    by_email = Index("GSI2", pk="EMAIL#{email:escaped}", sk="{updated_at}", when={"role": "lead"})

    member_id: str
    team_id: str | None = None
    role: Literal["lead", "other"] = "other"
    email: Annotated[str | None, Unique()] = None
    nick: Annotated[str | None, Unique(within="TEAM#{team_id}")] = None
    updated_at: datetime = updated()


class Ticket(Stamped, pk="TEAM#{team_id}", sk="TICKET#{number:04d}"):
    """Its number is part of its key, and it counts for a team."""

    team_id: str
    number: int = sequence("TEAM#{team_id}")
    text: str = ""


class Report(Stamped, pk="REPORT#{report_id}", sk="REPORT"):
    """Its number is no part of its key, and it has a version."""

    by_time = Index("GSI2", pk="REPORTS", sk="{created_at}#{report_id}")

    report_id: str
    number: int = sequence("REPORTS")
    title: Annotated[str | None, Unique()] = None
    created_at: datetime = created()
    version: int = version()


class Lease(Stamped, pk="LEASE#{name}", sk="LEASE"):
    """Its time may be over, and then its holder may have another one."""

    name: str
    holder: Annotated[str, Unique()]
    until: datetime = expires(hours=1)


class Banner(Stamped, pk="BANNER#{name}#{copy}", sk="BANNER", copies=2):
    """There are two of it, which have one slogan that no other banner has."""

    name: str
    slogan: Annotated[str | None, Unique()] = None


class Note(Stamped, pk="NOTE#{note_id}", sk="NOTE"):
    """Its text may be too long for it."""

    note_id: str
    title: str = ""
    text: Annotated[Large[str] | None, Inline(8)] = None


class Kept(Store, table=table):
    """A store without patterns of its own."""
