"""What a migration remembers, beside the table that it fills: how far it came, what it refused.

It is kept where the data goes, in a table of its own, ``<table>-migration``: whoever goes on with a
run, on whichever machine, finds it there.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Self

from singletable.model.entity import Entity
from singletable.model.patterns import pattern
from singletable.model.reads import Get, Query
from singletable.model.table import Table
from singletable.store.store import Store

SUFFIX = "-migration"

books = Table(f"table{SUFFIX}", delimiter="|")

State = Literal["copying", "copied", "following", "done"]
PhaseName = Literal["old", "dual", "shadow", "new-10", "new-50", "new-100", "done"]


class Run(Entity, table=books, pk="MIGRATION|{name}", sk="RUN"):
    """A migration that was begun."""

    name: str
    began_at: datetime
    """The time that everything is dated by which the rows do not date."""
    divided: bool = False
    """Whether all parts are noted, so that copying may begin."""
    state: State = "copying"
    token: str | None = None
    """Who copies: another from when somebody goes on with it, so that nobody else does."""
    position: str | None = None
    """From where on changes of the source are still needed; None where it is not followed."""
    applied: str | None = None
    """Up to where they were applied, if further."""
    owners: str | None = None
    """The file that knows which row makes which item, of all rows; None if only parts tell."""
    was_done: bool = False
    """Whether the table was ever written to alone, so that its versions are its own."""


class Part(Entity, table=books, type="Span", pk="MIGRATION|{name}", sk="SPAN|{kind}|{number:05d}"):
    """A span of a kind's rows, and how much of it was copied."""

    name: str
    kind: str
    number: int
    span: dict[str, Any] | None = None
    """The whole of it, as JSON."""
    rest: dict[str, Any] | None
    """The span that is left, as JSON; None when all was copied."""
    rows: int = 0
    items: int = 0
    rejected: int = 0
    owners: str | None = None
    """The file that knows which row made which item."""
    used_per_s: float = 0.0
    """Units that the last batch consumed a second."""
    held_per_s: float | None = None
    """How many it might, where it was held back by that."""
    backed_off_s: float = 0.0
    """How long the table has turned it away."""


class Applying(Entity, table=books, pk="MIGRATION|{name}", sk="APPLYING|{who}"):
    """Somebody applies changes; it goes when all of them are."""

    name: str
    who: str
    position: str
    """After which the changes are."""
    at: datetime
    """When this was said last."""


class Rejected(Entity, table=books, pk="REJECTED|{name}|{kind:escaped}", sk="ROW|{row_id:escaped}"):
    """A row of which no items were made."""

    name: str
    kind: str
    row_id: str
    """The row's kind and key as JSON, or a digest of them where that is long."""
    named: str
    """The row's name for a person."""
    reason: str
    row: str
    """The row as JSON, shortened where it is long."""


class Wanted(Entity, table=books, pk="WANTED|{name}|{item}", sk="ROW|{row_id:escaped}"):
    """A row was refused because another has what it makes: to be tried when that goes."""

    name: str
    item: str
    """A digest of the key of the item, or of the one that guards a unique value."""
    row_id: str
    kind: str
    id: list[Any]


class Phase(Entity, table=books, pk="MIGRATION|{name}", sk="PHASE"):
    """Where the application stands between the old side and the new."""

    name: str
    phase: PhaseName = "old"
    number: int = 0
    """How often the phase was changed."""
    since: datetime
    refresh_s: float
    """How old what a process knows of this may be."""
    postponed: str | None = None
    """Why nobody is to go on."""
    pause_id: str | None = None
    pause_s: float = 0
    """For how long writes are held at most, by the clock of whoever holds them."""
    pause_until: datetime | None = None
    """When it is over for those who have not seen it for that long, and may be a little off."""
    paused_by: str | None = None


class Move(Entity, table=books, pk="MIGRATION|{name}", sk="MOVE|{number:05d}"):
    """A change of the phase: who made it, when and why."""

    name: str
    number: int
    before: PhaseName
    after: PhaseName
    at: datetime
    by: str
    note: str = ""
    paused: bool = False
    """Whether it was made while writes were held."""


class Intent(
    Entity,
    table=books,
    pk="JOURNAL|{name}|{shard:02d}",
    sk="ROW|{kind:escaped}|{row_id:escaped}",
):
    """A row is about to be written on both sides; it goes when both have it."""

    name: str
    shard: int
    kind: str
    row_id: str
    """The row's key, as JSON; a digest of that where it is too long to stand in a key."""
    row: str | None = None
    """The row's key, as JSON, where the other is a digest."""
    writers: frozenset[str] = frozenset()
    """Those who are at it."""
    made: frozenset[str] = frozenset()
    """The keys of all items that came of the row, or are about to, and of guards, as JSON."""
    number: int = 0
    """How often this was changed."""
    since: datetime
    """When the last of the writers began."""


class Unequal(Entity, table=books, pk="SHADOW|{name}", sk="READ|{slot:03d}"):
    """A read that gave one thing on the old side and another on the new; the last are kept."""

    name: str
    slot: int
    at: datetime
    reader: str
    old: str
    new: str


class Return(Entity, table=books, pk="MIGRATION|{name}", sk="RETURN"):
    """How far the old side has what was written to the new one alone."""

    name: str
    number: int
    """How often the phase had been changed before ``done``, when this was noted."""
    position: str
    """Up to where the table's stream was followed."""
    turns: int = 0
    """How often the end of the stream was reached."""
    rows: int = 0
    """How many rows were written or deleted."""


class Books(Store, table=books):
    """Every access pattern of a migration."""

    @classmethod
    def beside(cls, store: Store) -> Self:
        """Connect to the bookkeeping beside a store's table, and make it if it is missing."""
        return cls.connect(store.backend, table_name=f"{store.table_name}{SUFFIX}", create=True)

    @pattern
    def run_of(self, name: str) -> Get[Run]:
        """Find a migration."""
        return Run.get(name=name).strong()

    @pattern
    def parts(self, name: str) -> Query[Part]:
        """Find the parts of a migration."""
        return Part.query(name=name).strong()

    @pattern
    def applying(self, name: str) -> Query[Applying]:
        """Find who applies changes, or died over it."""
        return Applying.query(name=name).strong()

    @pattern
    def rejected(self, name: str, kind: str) -> Query[Rejected]:
        """Find the rows of a kind that were refused."""
        return Rejected.query(name=name, kind=kind).strong()

    @pattern
    def wanted(self, name: str, item: str) -> Query[Wanted]:
        """Find the rows that were refused because another has an item."""
        return Wanted.query(name=name, item=item).strong()

    @pattern
    def phase_of(self, name: str) -> Get[Phase]:
        """Find where the application stands."""
        return Phase.get(name=name).strong()

    @pattern
    def moves(self, name: str) -> Query[Move]:
        """Find how the application came there, oldest first."""
        return Move.query(name=name).strong()

    @pattern
    def journal(self, name: str, shard: int) -> Query[Intent]:
        """Find the rows of a part of the journal that are about to be written on both sides."""
        return Intent.query(name=name, shard=shard).strong()

    @pattern
    def unequal(self, name: str) -> Query[Unequal]:
        """Find the last reads that gave something else on the new side."""
        return Unequal.query(name=name).strong()

    @pattern
    def return_of(self, name: str) -> Get[Return]:
        """Find how far the old side is, when the new one has been written to alone."""
        return Return.get(name=name).strong()
