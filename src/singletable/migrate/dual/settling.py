"""The new side made to be as a row is, whoever else is at it, and what writers left undone."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from singletable.errors import ConditionFailed, Unreachable, UsageError
from singletable.migrate.bookkeeping import Intent, Run
from singletable.migrate.migration import Rule
from singletable.migrate.running import Sides
from singletable.migrate.sources.source import Row
from singletable.migrate.transforming import Made, Reject
from singletable.migrate.units import Placer, is_same
from singletable.model.entity import Entity
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.values import Item

from .journal import Journal, dumped, loaded, row_of

ROUNDS = 20
"""So often a row is brought that changes meanwhile; then it is left in the journal."""
PATIENCE_S = 60.0
"""How long a write may take: what is older was left by a writer that died, or failed."""

SETTLER = "settling"

logger = logging.getLogger("singletable.migrate")


def settle_journal(sides: Sides, begun: Run, *, older_s: float = PATIENCE_S) -> int:
    """Bring to the new side what writers have left undone for so long; count what is left.

    While writes are held, ``older_s=0`` settles everything. One that cannot be is told in the log.
    """
    return sum(1 for _ in unsettled(sides, begun, older_s=older_s))


def unsettled(sides: Sides, begun: Run, *, older_s: float) -> Iterator[str]:
    """Settle the journal as ``settle_journal``; name what is left, and why that is where it failed.

    An entry that fails is left, and does not keep others from being settled.
    """
    desk = Desk.of(sides, begun)
    limit = desk.journal.clock() - timedelta(seconds=older_s)
    for intent in desk.journal.entries():
        name = f"{intent.kind} {intent.row_id}"
        try:
            if intent.since > limit or not desk.settled(intent):
                yield f"{name}: a writer is at it"
        except Unreachable:
            raise  # it is not the entry's fault
        except Exception as error:
            logger.warning("%s of the journal cannot be settled", name, exc_info=True)
            yield f"{name}: {error}"


@dataclass(frozen=True, slots=True)
class Desk:
    """Has all that it takes to bring a row to the new side; each thread has its own."""

    sides: Sides
    placer: Placer
    journal: Journal

    @classmethod
    def of(cls, sides: Sides, begun: Run) -> Desk:
        """Make one for a migration that was begun."""
        journal = Journal(sides.books, begun.name, sides.store.context.clock)
        return cls(sides, Placer(sides, begun), journal)

    def rule(self, kind: str) -> Rule:
        """Find the rule of a kind; rows that only come along with others are written as theirs."""
        rules = self.sides.migration.rules
        if kind not in rules:
            others = [rule.kind for rule in rules.values() if kind in rule.related]
            fix = f"name the row of {' or '.join(others)} that they belong to" if others else ""
            raise UsageError(
                f"No rule makes entities of rows of {kind!r} alone: {fix or 'write them as before'}"
            )
        return rules[kind]

    def row(self, intent: Intent) -> Row | None:
        """Read a row as it is now, with those that come along."""
        rule = self.rule(intent.kind)
        [row] = self.sides.source.fetch(rule.kind, [row_of(intent)], rule.related)
        return row

    def note_before(self, intent: Intent, writer: str) -> Intent:
        """Note what came of a row until now, so that it is known when the row is another."""
        made = self.placer.make(self.rule(intent.kind), self.row(intent))
        return self.journal.add(intent, writer, self._keys(made))

    def bring(self, intent: Intent, writer: str) -> tuple[Made | Reject | None, Intent]:
        """Make the new side be as the row is, until the row stays as it was read.

        Gives what came of it, and the entry as it was before the row was read last.
        """
        rule, row = self.rule(intent.kind), self.row(intent)
        for _ in range(ROUNDS):
            made = self.placer.make(rule, row)
            keys = self._keys(made)
            intent = self.journal.add(self.journal.look(intent), writer, keys)
            others = intent.made - {dumped(key) for key in keys}
            result = self.placer.put(rule, row_of(intent), made, self._entities(others))
            before, row = row, self.row(intent)
            if is_same(before, row):
                return result, intent
        raise ConditionFailed(
            f"{intent.kind} {intent.row_id} was brought to the new side {ROUNDS} times, and each "
            "time it changed meanwhile: somebody writes it all the time"
        )

    def settled(self, intent: Intent) -> bool:
        """Settle an entry; tell whether it is gone then, and nobody has come to it meanwhile."""
        _, after = self.bring(intent, SETTLER)
        return after.writers <= {*intent.writers, SETTLER} and self.journal.forget(after)

    def _keys(self, made: Made | Reject | None) -> list[Item]:
        names = self.sides.store.table.primary.attributes
        drafts = made.drafts if isinstance(made, Made) else ()
        return [{name: draft.items[0][name] for name in names} for draft in drafts]

    def _entities(self, keys: Iterable[str]) -> Iterator[Entity]:
        """Read items by their keys; those that are not there are not given."""
        store = self.sides.store
        wanted = [loaded(key) for key in sorted(keys)]
        for item in run(get_items(store.context, wanted, consistent=True), store.backend):
            kind = (item or {}).get(store.table.type_attribute, {}).get("S", "")
            schema = store.table.entities.get(kind)
            if item is not None and schema is not None:
                yield schema.items.read(item)
