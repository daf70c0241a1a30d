"""The design of the proof: parcels, each change of which has a number, and what is made of them."""

from __future__ import annotations

from singletable import Entity, Index, Scan, Store, Table, add, pattern
from singletable.model.fields import count_of, max_of, min_of, sum_of
from singletable.store.writing.transactions import Transaction
from singletable.streams import Change, Created, Handlers, Modified, Removed, handler

DEPOTS = [f"d{number}" for number in range(8)]

table = Table("proof", indexes=["GSI1"], stream="NEW_AND_OLD_IMAGES")


class Parcel(Entity, table=table, pk="DEPOT#{depot}", sk="PARCEL#{name}"):
    """A parcel; its changes are counted from 1, its deletion being one of them."""

    by_weight = Index("GSI1", pk="DEPOT#{depot}", sk="{grams:05d}")

    depot: str
    name: str
    step: int = 0
    grams: int = 0
    text: str = ""


class Total(Entity, table=table, pk="TOTAL#{depot}", sk="TOTAL"):
    """What handlers have made of the changes of a depot's parcels."""

    depot: str
    changes: int = 0
    parcels: int = 0
    grams: int = 0


class Depot(Entity, table=table, pk="DEPOT#{depot}", sk="DEPOT"):
    """A depot, with aggregates of each kind."""

    depot: str
    parcels: int = count_of("Parcel", kept_by="stream")
    grams: int = sum_of("Parcel", "grams", kept_by="stream")
    heaviest: int | None = max_of("Parcel", "grams")
    lightest: int | None = min_of("Parcel", "grams")


class Parcels(Store, table=table):
    """The access patterns."""

    @pattern
    def parcels(self) -> Scan[Parcel]:
        """All parcels."""
        return Parcel.scan()

    @pattern
    def depots(self) -> Scan[Depot]:
        """All depots."""
        return Depot.scan()

    @pattern
    def totals(self) -> Scan[Total]:
        """All totals."""
        return Total.scan()


class Totals(Handlers[Parcels]):
    """Adds up, which shows whatever is done twice or not at all."""

    @handler
    def add_up(self, change: Change[Parcel], once: Transaction) -> None:
        """Count a change, and what it means for the depot."""
        once.upsert(
            Total.key(depot=change.key.fields["depot"]),
            changes=add(1),
            parcels=add(parcels_more(change)),
            grams=add(grams_more(change)),
        )


def number_of(change: Change[Parcel]) -> int:
    """Give the number that a change has among those of its parcel."""
    if isinstance(change, Removed):
        return int(change.old.step) + 1
    assert isinstance(change, Created | Modified)
    return int(change.new.step)


def parcels_more(change: Change[Parcel]) -> int:
    """Tell how many parcels more there are by a change."""
    return isinstance(change, Created) - isinstance(change, Removed)


def grams_more(change: Change[Parcel]) -> int:
    """Tell how many grams more there are by a change."""
    before = change.old.grams if isinstance(change, Modified | Removed) else 0
    after = change.new.grams if isinstance(change, Created | Modified) else 0
    return after - before
