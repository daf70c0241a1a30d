"""What the workers of the proof keep, and how it is compared with what it should be."""

from __future__ import annotations

from pathlib import Path

from singletable.streams import Consumer
from singletable.streams.aggregates import Aggregates, verify
from singletable.streams.search import Document, SearchIndex

from .design import DEPOTS, Depot, Parcel, Parcels, Totals

DOCUMENT = Document(Parcel, text=["text"], filters=["step"], scope="depot")
SEARCH = "search.db"


def consumers_of(store: Parcels, folder: Path) -> list[Consumer]:
    """Give the consumers that are held against a recomputation."""
    return [Totals(store), Aggregates(store), SearchIndex(folder / SEARCH, DOCUMENT)]


def check_kept(store: Parcels, folder: Path) -> None:
    """See that what the stream keeps is what a recomputation gives."""
    check_aggregates(store)
    check_search(store, folder)


def check_aggregates(store: Parcels) -> None:
    """Compare the aggregates with what the parcels say, by hand and by the library."""
    parcels = list(store.parcels())
    for depot in store.depots():
        grams = [parcel.grams for parcel in parcels if parcel.depot == depot.depot]
        assert depot == Depot(
            depot=depot.depot,
            parcels=len(grams),
            grams=sum(grams),
            heaviest=max(grams, default=None),
            lightest=min(grams, default=None),
        )
    assert sum(depot.parcels for depot in store.depots()) == len(parcels)
    assert verify(store, settled=True) == []


def check_search(store: Parcels, folder: Path) -> None:
    """Compare the index with one that is made anew from the table."""
    with (
        SearchIndex(folder / SEARCH, DOCUMENT) as kept,
        SearchIndex(":memory:", DOCUMENT) as rebuilt,
    ):
        rebuilt.rebuild(store)
        words = sorted({word for parcel in store.parcels() for word in parcel.text.split()})
        for depot in DEPOTS:
            for word in words:
                assert _found(kept, word, depot) == _found(rebuilt, word, depot)
        assert kept.verify(store, settle_s=0).is_right


def _found(index: SearchIndex, word: str, depot: str) -> set[str]:
    hits = index.search(word, entity=Parcel, scope={"depot": depot}, limit=1000)
    assert hits.next is None
    return {f"{hit.key!r} {hit.highlights}" for hit in hits}
