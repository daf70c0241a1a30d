"""What a course has to show: each check holds one thing against the stream or the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import orjson

from singletable.streams import Change
from singletable.streams.bookkeeping import Books
from singletable.values import Item

from .design import Parcel, Parcels, Total, grams_more, parcels_more
from .outcome import Outcome
from .seen import Sight


def check_all(outcome: Outcome) -> None:
    """Make all checks of this module."""
    for check in (check_order, check_shards, check_fold, check_totals):
        check(outcome)


def check_order(outcome: Outcome) -> None:
    """See that of each parcel all changes were seen, in their order, and repeats apart once."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for one in outcome.first_sights():
        numbers[one.name].append(one.number)
    expected = {name: list(range(1, count + 1)) for name, count in outcome.steps.items()}
    for name in expected | numbers:
        assert numbers[name] == expected.get(name), f"{name}: missed, or out of order"


def check_shards(outcome: Outcome) -> None:
    """See that each shard was seen as the stream tells it."""
    seen: dict[str, list[Sight]] = defaultdict(list)
    for one in outcome.first_sights():
        seen[one.shard].append(one._replace(worker="", tenure=0))
    for shard in outcome.records:
        told = [Sight.of(change, shard) for change in outcome.parcels(shard)]
        assert seen[shard] == told, f"{shard} was seen otherwise than it is"


def check_fold(outcome: Outcome) -> None:
    """See that the stream, folded from its start, gives the whole table."""
    folded: dict[bytes, Item] = {}
    for record in chain.from_iterable(outcome.records.values()):
        name = _name(record.keys)
        assert folded.get(name) == record.old, "a record does not follow the one before it"
        if record.new is None:
            del folded[name]
        else:
            folded[name] = record.new
    assert folded == {_name(item): item for item in _scan(outcome.store)}


def _name(item: Item) -> bytes:
    return orjson.dumps([item["PK"], item["SK"]])


def _scan(store: Parcels) -> Iterator[Item]:
    request: dict[str, Any] = {"TableName": store.table_name, "ConsistentRead": True}
    while True:
        answer = store.send("Scan", request)
        yield from answer["Items"]
        last = answer.get("LastEvaluatedKey")
        if last is None:
            return
        request["ExclusiveStartKey"] = last


def check_totals(outcome: Outcome) -> None:
    """See that what was to be done once for each change was done so."""
    totals = {total.depot: total for total in outcome.store.totals()}
    assert totals == totals_of(outcome.all_parcels())
    present = list(outcome.store.parcels())
    assert sum(total.parcels for total in totals.values()) == len(present)
    assert sum(total.grams for total in totals.values()) == sum(each.grams for each in present)
    assert sum(total.changes for total in totals.values()) == outcome.steps.total()


def totals_of(changes: Iterable[Change[Any]]) -> dict[str, Total]:
    """Add up what changes of parcels come to, by depot."""
    totals: dict[str, Total] = {}
    for change in changes:
        if change.entity is Parcel:
            depot = change.key.fields["depot"]
            total = totals.setdefault(depot, Total(depot=depot))
            total.changes += 1
            total.parcels += parcels_more(change)
            total.grams += grams_more(change)
    return totals


def check_no_letters(outcome: Outcome, *consumers: str) -> None:
    """See that nothing was put aside."""
    books = Books.beside(outcome.store)
    letters = [letter for name in consumers for letter in books.dead_letters(name)]
    assert [f"{letter.label}: {letter.error}" for letter in letters] == []
