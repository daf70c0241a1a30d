"""What comes of one row, put in the place of what came of it before.

Several may be at the same row at once, each with another state of it. So whoever has put something
reads the row again, and does it again if that has changed: the last of them puts what is there.
"""

from __future__ import annotations

from collections.abc import Iterable

from singletable.errors import (
    NotFound,
    ObjectStoreFailed,
    StoreError,
    TableMissing,
    Throttled,
    TransactionCancelled,
)
from singletable.model.entity import Entity
from singletable.store.drivers import run
from singletable.store.writing.writes import identity

from .bookkeeping import Rejected, Run
from .items import fixed
from .layouts.beside import put_beside
from .migration import Rule
from .placing import place, remove
from .rejects import rejected
from .running import Sides
from .sources.source import Id, Row
from .transforming import Made, Reject, Transformer, name_of, reason_of
from .writing import write

PASSING = (ObjectStoreFailed, TableMissing, Throttled, TransactionCancelled)
"""What is no fault of the row."""


class Placer:
    """Puts what rows become, and keeps the list of those that were refused."""

    def __init__(self, sides: Sides, begun: Run) -> None:
        self._sides = sides
        self._name = begun.name
        self._context = fixed(sides.store.context, begun.began_at)
        self._transformer = Transformer(sides.migration, self._context, begun.began_at)

    def make(self, rule: Rule, row: Row | None) -> Made | Reject | None:
        """Give what a row becomes; nothing, if it is gone."""
        return None if row is None else self._transformer.transform(rule, row)

    def entities(self, rule: Rule, row: Row) -> list[Entity]:
        """Give what a row became before; nothing, if it was refused."""
        try:
            return self._transformer.entities(rule, row)
        except Exception:  # noqa: BLE001 - it was refused, so there is nothing of it
            return []

    def put(
        self, rule: Rule, root: Id, made: Made | Reject | None, before: Iterable[Entity]
    ) -> Made | Reject | None:
        """Put what a row becomes, and take away what it became before; give what came of it."""
        if self._sides.migration.in_place:
            made = run(put_beside(self._context, made, before), self._sides.store.backend)
            self._note(rule, root, made)
            return made
        kept = {draft.key for draft in made.drafts} if isinstance(made, Made) else set()
        gone = {identity(one.__schema__.item_key(one.__dict__)): one for one in before}
        for key, entity in gone.items():
            if key not in kept:
                run(remove(self._context, entity), self._sides.store.backend)
        if isinstance(made, Made):
            made = self._placed(made)
        self._note(rule, root, made)
        return made

    def _placed(self, made: Made) -> Made | Reject:
        """Put what a row becomes; where a parent is not there to count it, as the copy does."""
        backend = self._sides.store.backend
        try:
            for draft in made.drafts:
                run(place(self._context, draft.entity), backend)
        except PASSING:
            raise
        except NotFound:
            _, refused = run(write(self._context, [made]), backend)
            return refused[0] if refused else made
        except StoreError as error:
            return Reject(made.row, reason_of(error))
        return made

    def _note(self, rule: Rule, root: Id, made: Made | Reject | None) -> None:
        """Keep a row that was refused, and forget one that no longer is."""
        books = self._sides.books
        if isinstance(made, Reject):
            books.put(rejected(self._name, made))
            return
        name = name_of(Row(rule.kind, root, {}))
        key = Rejected.key(name=self._name, kind=rule.kind, row_id=name)
        if books.bind(Rejected.get(**key.fields).strong()).first() is not None:
            books.delete(key)


def is_same(one: Row | None, other: Row | None) -> bool:
    """Tell whether a row is as it was; not a number is as itself, unlike in Python."""
    return one == other or repr(one) == repr(other)
