"""From what changes come to, to one transaction: what has to be known first, and which writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from singletable.model.fields import now
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.store.store import Store
from singletable.store.writing.checking import checked
from singletable.store.writing.failures import CONDITION
from singletable.store.writing.stored import kin_of, read_as
from singletable.store.writing.writes import Identity, Write, identity
from singletable.streams.bookkeeping import Books
from singletable.streams.once import Action
from singletable.values import Item

from .deltas import EXACT, Amounts, Delta, Tally
from .extremes import Extreme
from .targets import Target, is_free, is_in_key
from .waiting import added, read_waiting, waiting_write


@dataclass(slots=True)
class Plan:
    """Makes the actions of a transaction, again and again as it learns what is there."""

    store: Store
    books: Books
    consumer: str
    tally: Tally
    items: dict[Identity, Item | None] = field(default_factory=dict)
    """What is known of the items that hold aggregates; of others it is assumed they are there."""
    waiting: dict[Identity, Amounts] = field(default_factory=dict)
    looked_for: set[tuple[Identity, str]] = field(default_factory=set)
    """The extremes that were found by a query, which another write may have passed by."""
    _places: list[tuple[Identity, bool]] = field(default_factory=list)

    def look(self) -> None:
        """Read what the writes depend on."""
        read = [name for name, delta in self.tally.deltas.items() if self._must_read(delta)]
        self._read(read)
        new = [name for name, delta in self.tally.deltas.items() if delta.is_new]
        self._look_for_waiting((*new, *self.tally.lost))

    def actions(self) -> list[Action]:
        """Give the actions of the transaction, by all that is known now."""
        actions: list[Action] = []
        self._places = []
        self.looked_for = set()
        waits: dict[Identity, Mapping[str, Decimal]] = {}
        for name, delta in self.tally.deltas.items():
            for write in self._writes(name, delta, waits):
                self._places.append((name, False))
                actions.append({write.kind: write.request(self.store.table_name)})
        for name, lost in self.tally.lost.items():
            waits[name] = added(waits.get(name, self._waiting(name) or {}), lost.sums)
        for name, new in waits.items():
            old = self._waiting(name)
            if old is not None or any(new.values()):
                self._places.append((name, True))
                actions.append(waiting_write(self.books, self.consumer, name, old, new))
        return actions

    def learn(self, reasons: Sequence[Mapping[str, Any]]) -> bool:
        """Take up why actions were refused; False if none of them was for what is there."""
        learnt = False
        for (name, is_waiting), reason in zip(self._places, reasons, strict=True):
            if reason.get("Code") != CONDITION:
                continue
            learnt = True
            if is_waiting:
                self.waiting.pop(name, None)
                self._look_for_waiting([name])
            else:
                self.items[name] = reason.get("Item")
        return learnt

    def _writes(
        self, name: Identity, delta: Delta, waits: dict[Identity, Mapping[str, Decimal]]
    ) -> Iterator[Write]:
        target = Target(delta.schema, delta.owner, now())
        sums: Amounts = {field_: amount for field_, amount in delta.sums.items() if amount}
        if name in self.items and target.living(self.items[name]) is None:
            first = self._first(delta, sums) if is_free(delta.schema) else {}
            if any(amount != 0 for amount in first.values()) and not _falls(sums):
                yield from target.create(first)
            elif sums:
                waits[name] = added(self._waiting(name) or {}, sums)
                yield target.check_missing()
            return
        waiting = self._waiting(name) if delta.is_new else None
        if waiting:
            sums, waits[name] = added(sums, waiting), {}
        if not self._must_read(delta) and not is_in_key(delta.schema, sums):
            yield from target.add(sums) if sums else ()
            return
        if name not in self.items:
            self._read([name])
            yield from self._writes(name, delta, waits)
            return
        item = self.items[name]
        assert item is not None
        values = self._values(name, delta, sums, item)
        yield from target.set(item, values) if values else ()

    def _first(self, delta: Delta, sums: Amounts) -> dict[str, Any]:
        """Give the aggregates of an item that is made by what comes, or was there before."""
        values: dict[str, Any] = {**sums}
        for name in self._compared(delta):
            found = self._best(identity(delta.schema.item_key(delta.owner)), delta, name, None)
            values |= {} if found is None else {name: found}
        return {name: checked(delta.schema, name, value) for name, value in values.items()}

    def _values(self, name: Identity, delta: Delta, sums: Amounts, item: Item) -> dict[str, Any]:
        """Give the new values of the aggregates of an item."""
        schema = kin_of(delta.schema, item)
        old = read_as(schema, item).__dict__
        values = {
            field_: EXACT.add(Decimal(str(old[field_])), amount) for field_, amount in sums.items()
        }
        for field_ in self._compared(delta):
            extreme = self._extreme(delta, field_)
            new = self._best(name, delta, field_, old[field_])
            if extreme.better(new, old[field_]) or extreme.better(old[field_], new):
                values[field_] = new
        return {field_: checked(schema, field_, value) for field_, value in values.items()}

    def _best(self, name: Identity, delta: Delta, field_: str, old: Any) -> Any:
        extreme = self._extreme(delta, field_)
        come = extreme.best(delta.come.get(field_, {}).values())
        gone = extreme.best(delta.had(field_))
        stays = extreme.better(old, gone) or not extreme.better(gone, come)
        if not delta.is_new and (gone is None or stays):
            return extreme.best((old, come))
        self.looked_for.add((name, field_))
        return extreme.best((extreme.found(self.store, delta.owner), come))

    def _must_read(self, delta: Delta) -> bool:
        return bool(self._compared(delta)) or is_in_key(delta.schema, delta.sums)

    def _compared(self, delta: Delta) -> set[str]:
        """Name the extremes that may change; of an item that is new, all of them."""
        if not delta.is_new:
            return delta.compared
        places = self.tally.design.extremes
        return {field_ for kind, field_ in places if kind == delta.schema.type}

    def _extreme(self, delta: Delta, field_: str) -> Extreme:
        return self.tally.design.extremes[delta.schema.type, field_]

    def _waiting(self, name: Identity) -> Amounts | None:
        if name not in self.waiting:
            self._look_for_waiting([name])
        return self.waiting[name] or None

    def _look_for_waiting(self, names: Iterable[Identity]) -> None:
        wanted = [name for name in names if name not in self.waiting]
        found = read_waiting(self.books, self.consumer, wanted)
        self.waiting |= {name: found.get(name, {}) for name in wanted}

    def _read(self, names: Sequence[Identity]) -> None:
        deltas = (self.tally.deltas[name] for name in names)
        keys = [delta.schema.item_key(delta.owner) for delta in deltas]
        self.items |= read_items(self.store, keys)


def _falls(sums: Mapping[str, Decimal]) -> bool:
    """Tell whether nothing comes, but something goes: then something else is still to come."""
    return bool(sums) and all(amount < 0 for amount in sums.values())


def read_items(store: Store, keys: Sequence[Item]) -> dict[Identity, Item | None]:
    """Read items as they are now."""
    if not keys:
        return {}
    context = store.context
    found = run(get_items(context, keys, consistent=True), store.backend)
    return {identity(key): item for key, item in zip(keys, found, strict=True)}
