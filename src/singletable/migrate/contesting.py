"""Rows that make the same item, or take the same unique value: the first of them has it.

The copy writes whichever comes first, which depends on who is quicker. So in the end all rows that
contest something are looked at again, in the order of the migration's rules and of their keys: a
row is written if nothing of it belongs to one before, else refused and what there is of it removed.
So it comes out the same, however often a run was stopped and wherever its parts were copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from singletable.errors import ConditionalCheckFailedException
from singletable.store.batches import write_items
from singletable.store.context import Context
from singletable.store.drivers import run
from singletable.store.large.contents import delete_contents
from singletable.store.steps import Program
from singletable.store.writing.uniqueness import OWNER
from singletable.store.writing.writes import Delete, identity
from singletable.store.writing.writes import Part as Guard
from singletable.values import Item

from .bookkeeping import Part, Rejected
from .copying import Copier, keys_of, together
from .migration import Rule
from .owners import read, written
from .rejects import rejected
from .transforming import Made, Reject, reference_of
from .wanting import Wants
from .writing import write

ROWS = 100
NUMBER = 99_999
"""Of the part that stands for rows which were looked at again."""


def settle_contests(copier: Copier, parts: Sequence[Part]) -> None:
    """Have each contested item be that of the first row which makes it; note who was refused."""
    rules = copier.migration.rules
    copied = [part for part in parts if part.number != NUMBER and part.kind in rules]
    for part in copied:
        if part.owners != copier.owners.name:
            copier.claim(part, rules[part.kind])
    copier.owners.begin_contest()
    for rule in rules.values():
        contest = _Contest(copier, rule)
        if contest.settle():
            contest.note(sum(part.rejected for part in copied if part.kind == rule.kind))


@dataclass(slots=True)
class _Contest:
    """Looks again at rows of one kind."""

    copier: Copier
    rule: Rule
    items: int = 0
    """How many more there are than the copy has counted, as items were written twice: less."""

    def settle(self) -> bool:
        """Go over the contested rows; False if there are none."""
        after, found = "", False
        while rows := self.copier.owners.contested(self.rule.kind, after, ROWS):
            self._settle(rows)
            after, found = rows[-1], True
        return found

    def note(self, rejected_before: int) -> None:
        """Note what came of it as a part of its own, beside those that were copied."""
        name, kind = self.copier.begun.name, self.rule.kind
        refused = sum(1 for _ in self.copier.books.rejected(name, kind)) - rejected_before
        part = Part(
            name=name, kind=kind, number=NUMBER, rest=None, items=self.items, rejected=refused
        )
        self.copier.books.put(part)

    def _settle(self, contested: Sequence[str]) -> None:
        copier, backend = self.copier, self.copier.store.backend
        winners, losers = self._judged(contested)
        with together(backend):
            copier.check()
            run(_removed(copier, [one for one, _ in losers], winners), backend)
            run(_freed(copier, winners), backend)
            _, refused = run(write(copier.context, winners), backend)
            Wants(copier.books, copier.begun.name).note(one for one, _ in losers)
            self._note(winners, [*(Reject(one.row, why) for one, why in losers), *refused])

    def _judged(self, contested: Iterable[str]) -> tuple[list[Made], list[tuple[Made, str]]]:
        copier, transformer = self.copier, self.copier.transformer
        ids = [read(text)[1] for text in contested]
        rows = copier.source.fetch(self.rule.kind, ids, self.rule.related)
        judged = [transformer.transform(self.rule, row) for row in rows if row is not None]
        winners, losers = [], []
        for made in (one for one in judged if isinstance(one, Made)):
            reason = _taken(copier, made)
            if reason is None:
                copier.owners.win(keys_of(made), written(made.row))
                winners.append(made)
            else:
                losers.append((made, reason))
                # Of a unique value, the copy has refused one of the two.
                self.items -= _count(made) if not _is_guarded(copier, made) else 0
        return winners, losers

    def _note(self, winners: Iterable[Made], rejects: Iterable[Reject]) -> None:
        books, name = self.copier.books, self.copier.begun.name
        for made in winners:
            row_id = reference_of(made.row.kind, made.row.id)
            books.delete(Rejected.key(name=name, kind=made.row.kind, row_id=row_id))
        books.put_many([rejected(name, reject) for reject in rejects])


def _taken(copier: Copier, made: Made) -> str | None:
    """Say which row before this one has something that it makes, if one has."""
    for draft in made.drafts:
        if owner := copier.owners.winner(draft.key):
            kind, id_ = read(owner)
            name = "/".join((kind, *map(str, id_)))
            return f"{name} makes an item with the key {', '.join(draft.key)}, too"
        for guard in draft.guards:
            if copier.owners.winner(identity(guard.write.key)):
                return str(guard.failure(guard.write.key))
    return None


def _removed(copier: Copier, losers: Iterable[Made], winners: Iterable[Made]) -> Program[None]:
    """Remove what the copy has written of rows that are refused, unless another row has it."""
    context, names = copier.context, copier.store.table.primary.attributes
    kept = {stored for one in winners for draft in one.drafts for stored in draft.contents}
    doomed: list[Item] = []
    for draft in (draft for one in losers for draft in one.drafts):
        for guard in draft.guards:
            yield from _released(context, guard)
        keys = [{name: item[name] for name in names} for item in draft.items]
        doomed += [key for key in keys if copier.owners.winner(identity(key)) is None]
        gone = [stored for stored in draft.contents if stored not in kept]
        yield from delete_contents(context, gone)
    yield from write_items(context, [{"DeleteRequest": {"Key": key}} for key in doomed])


def _released(context: Context, guard: Guard) -> Program[None]:
    """Give a unique value up, if it is the row's own."""
    delete = Delete(key=guard.write.key, condition=guard.write.condition)
    with suppress(ConditionalCheckFailedException):
        yield from context.send("DeleteItem", delete.request(context.table_name))


def _freed(copier: Copier, winners: Iterable[Made]) -> Program[None]:
    """Take unique values from other rows of the migration, but not from anybody else."""
    context, names = copier.context, copier.store.table.primary.attributes
    for guard in (guard for one in winners for draft in one.drafts for guard in draft.guards):
        where = {"TableName": context.table_name, "Key": guard.write.key}
        answer = yield from context.send("GetItem", {**where, "ConsistentRead": True})
        owner = tuple(answer.get("Item", {}).get(f"{OWNER}{name}", {}).get("S") for name in names)
        if owner != guard.cause and None not in owner and copier.owners.is_claimed(owner):
            yield from context.send("DeleteItem", where)


def _is_guarded(copier: Copier, made: Made) -> bool:
    """Tell whether another row has a unique value of this one."""
    guards = (guard for draft in made.drafts for guard in draft.guards)
    return any(copier.owners.winner(identity(guard.write.key)) for guard in guards)


def _count(made: Made) -> int:
    return sum(len(draft.items) for draft in made.drafts)
