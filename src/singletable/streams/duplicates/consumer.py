"""The consumer that refreshes duplicated attributes: an author's name in each of the chapters.

It goes by what is there, not by what a change says: it reads the source, and writes its value to
every copy that differs. So changes may come again, and those of different items in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from singletable.errors import UsageError
from singletable.model.entity import Entity
from singletable.model.reads import Get, Key, get_many
from singletable.store.drivers import run
from singletable.store.steps import Program, Together
from singletable.store.store import Store
from singletable.store.writing.checking import checked
from singletable.store.writing.writes import Identity, identity
from singletable.streams.changes import Change, Created, Modified
from singletable.streams.consumers import Batch, Failures

from .refreshing import refresh
from .rules import CopyRule, Rules

NAME = "Duplicates"
PAGE = 50
"""How many copies are read at a time, and refreshed side by side."""

PAGES_MAX = 100

Sources = dict[Identity, Entity]


class Duplicates:
    """Refreshes the fields of a store's table that are declared as ``Copied``.

    A source that is deleted leaves its copies as they are.
    """

    def __init__(self, store: Store, *, name: str = NAME, page: int = PAGE) -> None:
        if not 1 <= page <= PAGES_MAX:
            raise UsageError(f"Copies are refreshed 1 to {PAGES_MAX} at a time, not {page}")
        self.name = name
        self.store = store
        self.rules = Rules.of(store.table)
        self._page = page

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Refresh the copies of sources that have changed, and copies that were written stale."""
        written = list(self._written(batch, failures))
        sources = self._sources([key for *_, key in written])
        for change, rule, entity, key in written:
            source = sources.get(identity(key.item_key))
            if source is not None:
                work = partial(self._refresh, rule, source, [entity])
                failures.attempt(work, change, self.name)
        for change, rule in self._changed(batch):
            failures.attempt(partial(self._spread, change, rule), change, self.name)

    def _written(
        self, batch: Batch, failures: Failures
    ) -> Iterator[tuple[Change[Any], CopyRule, Entity, Key[Any]]]:
        """Give the copies that were written, each with the source that it is of."""
        for change in batch.changes:
            for rule in self.rules.copies.get(change.schema.type, ()):
                if not _concerns(change, *rule.fields):
                    continue
                assert isinstance(change, Created | Modified)
                try:
                    entity = change.new
                except Exception as error:  # noqa: BLE001 - validators may raise anything
                    failures.put_aside(change, self.name, error)
                    break
                key = rule.source_of(entity)
                if key is not None:
                    yield change, rule, entity, key

    def _changed(self, batch: Batch) -> Iterator[tuple[Change[Any], CopyRule]]:
        """Give the sources that have changed, each once, with the rules that copy from them."""
        last: dict[tuple[Identity, str, str], tuple[Change[Any], CopyRule]] = {}
        for change in batch.changes:
            for rule in self.rules.sources.get(change.schema.type, ()):
                if _concerns(change, rule.source_field):
                    name = identity(change.record.keys)
                    last[name, rule.schema.type, rule.field] = change, rule
        yield from last.values()

    def _sources(self, keys: list[Key[Any]]) -> Sources:
        """Read the sources of copies as they are now, each once."""
        wanted = {identity(key.item_key): key for key in keys}
        reads = get_many([Get[Any].of(key=key, consistent=True) for key in wanted.values()])
        found = self.store.bind(reads).all() if wanted else []
        return {identity(one.__schema__.item_key(one.__dict__)): one for one in found}

    def _spread(self, change: Change[Any], rule: CopyRule) -> None:
        """Refresh all copies of a source, page by page, from what it is at each of them."""
        key: Key[Any] = Key(rule.source, change.key.fields)
        query = self.store.bind(rule.finder.query(rule.holders(key)).but(page_size=self._page))
        after: str | None = None
        while True:
            source = self._sources([key]).get(identity(key.item_key))
            if source is None:
                return
            page = query.page(after)
            self._refresh(rule, source, [one for one in page.items if rule.source_of(one) == key])
            after = page.next
            if after is None:
                return

    def _refresh(self, rule: CopyRule, source: Entity, entities: list[Entity]) -> None:
        value = checked(rule.schema, rule.field, source.__dict__[rule.source_field])
        context = self.store.context
        stale = [one for one in entities if one.__dict__[rule.field] != value]
        programs = tuple(refresh(context, rule, entity, value) for entity in stale)
        if programs:
            run(_together(programs), self.store.backend)


def _together(programs: tuple[Program[bool], ...]) -> Program[list[bool]]:
    done: list[bool] = yield Together(programs)
    return done


def _concerns(change: Change[Any], *fields: str) -> bool:
    """Tell whether one of these fields has a new value, as far as the stream tells."""
    if isinstance(change, Created):
        return True
    old, new = change.record.old, change.record.new
    if not isinstance(change, Modified) or new is None:
        return False
    if old is None or change.schema.items.upgrades:
        return True
    names = (change.schema.attributes[name] for name in fields)
    return any(old.get(name) != new.get(name) for name in names)
