"""The new side made to be as a row is, whoever else is at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from singletable.errors import ConditionFailed, UsageError
from singletable.migrate.bookkeeping import Intent, Run
from singletable.migrate.migration import Rule
from singletable.migrate.running import Sides
from singletable.migrate.sources.source import Row
from singletable.migrate.transforming import Made, Reject, drafts_of
from singletable.migrate.units import Placer, is_same
from singletable.model.entity import Entity
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.values import Item

from .journal import Journal, dumped, loaded, row_of

ROUNDS = 20
"""So often a row is brought that changes meanwhile; then it is left in the journal."""


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
        return self.journal.add(intent, writer, self.keys(made))

    def bring(self, intent: Intent, writer: str) -> tuple[Made | Reject | None, Intent]:
        """Make the new side be as the row is, until the row stays as it was read.

        Gives what came of it, and the entry as it was before the row was read last.
        """
        rule, row = self.rule(intent.kind), self.row(intent)
        for _ in range(ROUNDS):
            made = self.placer.make(rule, row)
            keys = self.keys(made)
            intent = self.journal.add(self.journal.look(intent), writer, keys)
            others = intent.made - {dumped(key) for key in keys}
            result = self.placer.put(rule, row_of(intent), made, self.entities(others))
            before, row = row, self.row(intent)
            if is_same(before, row):
                return result, intent
        raise ConditionFailed(
            f"{intent.kind} {intent.row_id} was brought to the new side {ROUNDS} times, and each "
            "time it changed meanwhile: somebody writes it all the time"
        )

    def keys(self, made: Made | Reject | None) -> list[Item]:
        """Give the keys of all that a row has: items, and guards of unique values."""
        names = self.sides.store.table.primary.attributes
        drafts = drafts_of(made)
        own = [{name: draft.items[0][name] for name in names} for draft in drafts]
        return [*own, *(guard.write.key for draft in drafts for guard in draft.guards)]

    def entities(self, keys: Iterable[str]) -> Iterator[Entity]:
        """Read items by their keys; those that are not there are not given."""
        store = self.sides.store
        wanted = [loaded(key) for key in sorted(keys)]
        for item in run(get_items(store.context, wanted, consistent=True), store.backend):
            kind = (item or {}).get(store.table.type_attribute, {}).get("S", "")
            schema = store.table.entities.get(kind)
            if item is not None and schema is not None:
                yield schema.items.read(item)
