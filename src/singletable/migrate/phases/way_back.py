"""The way back, kept open: from which place on the table's stream tells what the old side lacks.

It is noted before the new side is written to alone, and a stream that is off is turned on for it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from singletable.errors import ConditionFailed, DesignError, NotFound, TransactionCancelled
from singletable.migrate.bookkeeping import Books, Phase, Return, Run
from singletable.migrate.migration import Migration
from singletable.migrate.sources.dynamodb.following import Follower
from singletable.migrate.sources.dynamodb.tables import SourceTable
from singletable.model.conditions import F
from singletable.store.store import Store

from .moving import PhaseChanged


def note_way_back(store: Store, books: Books, migration: type[Migration[Any]], now: Phase) -> None:
    """Note from where on changes have to be written back: now, as a stream keeps only 24 hours.

    What cannot be written back is refused. A migration that has no rule of the way back has none.
    """
    if not migration.back_rules or now.phase == "done":
        return
    check_rules(migration)
    position = follower_of(store).begin()
    _note(books, now, Return(name=now.name, number=now.number, position=position))
    with suppress(NotFound):
        books.update(Run.key(name=now.name), was_done=True)


def _note(books: Books, now: Phase, noted: Return) -> None:
    """Note it, unless another has entered ``done`` meanwhile: the place noted for that counts."""
    try:
        with books.transaction() as transaction:
            transaction.check(now, F("number") == now.number)
            transaction.put(noted)
    except (ConditionFailed, TransactionCancelled) as error:
        raise PhaseChanged(
            f"{now.name} is no longer {now.phase} as it was: somebody else changed it; look again",
            now,
        ) from error


def check_rules(migration: type[Migration[Any]]) -> None:
    """Refuse a migration that could write back some of the entities, and not others."""
    entities = [schema.entity for schema in migration.store.table.entities.values()]
    lacking = [one.__name__ for one in entities if one not in migration.back_rules]
    if lacking:
        name, one = migration.__name__, lacking[0]
        raise DesignError(
            f"{name} has no way back for {', '.join(lacking)}: add a method with @back({one}), "
            "which yields nothing where the old side has no place for it"
        )


def follower_of(store: Store) -> Follower:
    """Give what follows the stream of a store's own table."""
    context = store.context
    table = SourceTable.find(store.backend, store.table_name, context.retries)
    return Follower(lambda: [table], context.clock)
