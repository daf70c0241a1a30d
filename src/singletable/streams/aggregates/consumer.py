"""The consumer that keeps aggregates: counts, sums, the least and the greatest.

What a batch comes to is written in few transactions, each together with the note that it was done:
a change that is delivered again changes nothing, and neither does a worker that was given up for
dead and wakes up.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from singletable.errors import Throttled, TransactionCanceledException
from singletable.store.retries import Retries, kind_of
from singletable.store.store import Store
from singletable.store.writing.failures import CONDITION
from singletable.streams.bookkeeping import Books
from singletable.streams.changes import Change
from singletable.streams.consumers import PASSING, Batch, DeliveryFailed, Failures
from singletable.streams.once import Action, AlreadyDone

from .deltas import Tally
from .planning import Plan
from .progress import ByChange, Group, InShard, Progress
from .rules import Design
from .settling import settle

NAME = "Aggregates"
"""What the consumer is called, unless it is told otherwise."""
ACTIONS_MAX = 100
"""How many actions a transaction has at most."""
RETRIES = Retries(attempts=20, base_s=0.01, cap_s=1.0)


class Aggregates:
    """Keeps the aggregates of a store's table that are declared as kept by the stream."""

    def __init__(self, store: Store, *, name: str = NAME, create: bool | None = None) -> None:
        self.name = name
        self.store = store
        self.design = Design.of(store.table)
        self._books = Books.beside(store, create=create)
        self._shards: dict[str, InShard] = {}

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Bring the aggregates up to date with a batch."""
        groups = [group for group in _groups(batch) if any(map(self._concerns, group))]
        if not groups:
            return
        progress = self._progress(batch.shard)
        while groups:
            self._settle_done([group for group in groups if progress.is_done(group)], failures)
            groups = [group for group in groups if not progress.is_done(group)]
            groups = self._advance(groups, progress, failures)

    def _advance(self, groups: list[Group], progress: Progress, failures: Failures) -> list[Group]:
        """Act on as many records as fit into a transaction; give those that are left."""
        tally, acted, taken, fault = Tally(self.design), list[Group](), 0, None
        for group in groups:
            try:
                more = self._tally(group, failures)
            except DeliveryFailed as error:
                fault = error
                break
            if acted and not self._fits(tally, more, acted, progress):
                break
            taken += 1
            if more:
                tally.join(more)
                acted.append(group)
        if acted and not self._done(tally, acted, progress, failures):
            return groups
        if fault is not None:
            raise fault
        return groups[taken:]

    def _done(
        self, tally: Tally, groups: list[Group], progress: Progress, failures: Failures
    ) -> bool:
        """Act on records together, or on each alone if that fails; False if some were done."""
        try:
            self._commit(tally, groups, progress)
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 - they were done, or one of them is at fault
            progress.look(groups)
            if isinstance(error, AlreadyDone) or any(map(progress.is_done, groups)):
                return False
            for group in groups:
                failures.attempt(partial(self._alone, group, progress), group[0], self.name)
        return True

    def _alone(self, group: Group, progress: Progress) -> None:
        while not progress.is_done(group):
            try:
                self._commit(Tally(self.design).of(group), [group], progress)
            except AlreadyDone:
                progress.look([group])

    def _commit(self, tally: Tally, groups: Sequence[Group], progress: Progress) -> None:
        plan = Plan(self.store, self._books, self.name, tally)
        plan.look()
        for attempt in range(1, RETRIES.attempts + 1):
            # Noted even if there is nothing to write: of a part, delivered again, there may be.
            if self._sent(plan, plan.actions(), progress.marks(groups)):
                break
            time.sleep(RETRIES.delay(attempt) if attempt > 1 else 0)
        else:
            raise Throttled(
                f"{self.name}: others wrote meanwhile, {RETRIES.attempts} times in a row"
            )
        progress.done(groups)
        for name, field in plan.looked_for:
            delta = tally.deltas[name]
            settle(self.store, self.design.extremes[delta.schema.type, field], delta.owner)

    def _sent(self, plan: Plan, actions: list[Action], marks: list[Action]) -> bool:
        """Send a transaction; False if it has to be planned anew, by what was found."""
        request = {"TransactItems": [*actions, *marks], "ClientRequestToken": uuid4().hex}
        try:
            self.store.send("TransactWriteItems", request)
        except TransactionCanceledException as error:
            reasons = error.fields["CancellationReasons"]
            own, others = reasons[: len(actions)], reasons[len(actions) :]
            if any(reason.get("Code") == CONDITION for reason in others):
                raise AlreadyDone("It was done before") from error
            if not plan.learn(own) and kind_of(error) is None:
                raise
            return False
        return True

    def _settle_done(self, groups: Sequence[Group], failures: Failures) -> None:
        """Look again at extremes of records that were acted on: perhaps nobody did so then."""
        tally = Tally(self.design)
        for group in groups:
            tally.join(self._tally(group, failures))
        for delta in tally.deltas.values():
            for (kind, field), extreme in self.design.extremes.items():
                if kind == delta.schema.type and (delta.is_new or delta.gone.get(field)):
                    settle(self.store, extreme, delta.owner)

    def _tally(self, group: Group, failures: Failures) -> Tally:
        try:
            return Tally(self.design).of(group)
        except Exception as error:  # noqa: BLE001 - validators and upgrades may raise anything
            failures.put_aside(group[0], self.name, error)
            return Tally(self.design)

    def _fits(self, tally: Tally, more: Tally, acted: Sequence[Group], progress: Progress) -> bool:
        marks = 1 if isinstance(progress, InShard) else len(acted) + 1
        return tally.joins(more) and tally.writes(more) + marks <= ACTIONS_MAX

    def _concerns(self, change: Change[Any]) -> bool:
        kind = change.schema.type
        return kind in self.design.brings or kind in self.design.holds

    def _progress(self, shard: str | None) -> Progress:
        if shard is None:
            return ByChange(self._books, self.name)
        if shard not in self._shards:
            self._shards[shard] = InShard(self._books, self.name, shard)
        return self._shards[shard]


def _groups(batch: Batch) -> Iterable[Group]:
    """Take together what one record tells; one that is in the batch twice counts once."""
    groups: dict[str, dict[str, Change[Any]]] = {}
    for change in batch.changes:
        groups.setdefault(change.position, {}).setdefault(change.id, change)
    return [tuple(group.values()) for group in groups.values()]
