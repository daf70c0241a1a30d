"""The end of the old layout: its items are deleted, each only where its new ones are there.

An item goes if all that comes of it is in the table as it would come of it now, or, since the new
layout is written to, with a later version or time; and only if nobody has changed it since it was
read. All others stay, and are told. Those whose new item is gone, and those of which the rules make
nothing, go when somebody says so: the application may have deleted it, or it was never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from singletable.errors import (
    ConditionalCheckFailedException,
    TransactionCanceledException,
    UsageError,
)
from singletable.migrate.backfilling import scanning
from singletable.migrate.backfilling.deriving import row_of
from singletable.migrate.backfilling.rewriting import relied_on
from singletable.migrate.bookkeeping import Part, Run
from singletable.migrate.items import fixed
from singletable.migrate.phases import Cutover
from singletable.migrate.running import Job, Sides, side_by_side
from singletable.migrate.transforming import Made, Transformer, name_of
from singletable.migrate.verifying.comparing import Comparer, Expected
from singletable.model.schema import Schema
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.store.reading.copies import is_repeated
from singletable.store.writing.stored import keys_of
from singletable.store.writing.writes import Basis, Delete, Write
from singletable.values import Item

from .beside import guards_of

EXAMPLES_MAX = 20


@dataclass(slots=True)
class Cleaned:
    """Tells what became of the items of the old layout."""

    deleted: int = 0
    kept: int = 0
    examples: list[str] = field(default_factory=list)
    """Some of those that stay, with the reason."""

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return asdict(self)

    def add(self, other: Cleaned) -> None:
        """Take over what another process did."""
        self.deleted += other.deleted
        self.kept += other.kept
        self.examples = [*self.examples, *other.examples][:EXAMPLES_MAX]

    def keep(self, name: str, reason: str) -> None:
        """Note an item that stays."""
        self.kept += 1
        if len(self.examples) < EXAMPLES_MAX:
            self.examples.append(f"{name}: {reason}")


def clean(
    job: Job,
    *,
    gone: bool = False,
    workers: int = 2,
    executor: Executor | None = None,
    dry_run: bool = False,
    show: Callable[[Cleaned], None] = lambda _: None,
) -> Cleaned:
    """Delete the items of the old layout whose new ones are there; refused before ``done``.

    With ``gone`` also those whose new ones are not, and those of which nothing is made: say so if
    both layouts agreed before ``done``, as then the application has deleted them since. It may be
    stopped and begun again at any moment. ``show`` is told what came of it so far.
    """
    if not job.migration.in_place:
        raise UsageError(f"{job.name} is not in place: its source is left as it is")
    with job.opened() as sides:
        begun = sides.books.run_of(job.name).first()
        if begun is None or Cutover(sides.store, job.name).look().writes_old:
            raise UsageError(
                f"{job.name} is not done: the old layout is still written to, and may be needed"
            )
        parts = list(scanning.parts(job.name, scanning.segments(sides.store, workers)))
    work = partial(clean_part, job, begun, gone=gone, dry_run=dry_run)
    pool = scanning.executor_of(workers, executor)
    return _sum(side_by_side(work, parts, workers, pool, lambda done: show(_sum(done))))


def _sum(parts: Iterable[Cleaned]) -> Cleaned:
    total = Cleaned()
    for one in parts:
        total.add(one)
    return total


def clean_part(job: Job, begun: Run, part: Part, *, gone: bool, dry_run: bool) -> Cleaned:
    """Clean a part of the table, in whichever process this is."""
    with job.opened() as sides:
        cleaner = _Cleaner(sides, begun, gone=gone, dry_run=dry_run)
        rest = part.rest
        while rest is not None:
            items, rest = scanning.read(sides.store, rest)
            cleaner.clean(items)
            sides.pace.wait()
    return cleaner.cleaned


class _Cleaner:
    def __init__(self, sides: Sides, begun: Run, *, gone: bool, dry_run: bool) -> None:
        self._store = sides.store
        self._rules = sides.migration.rules
        context = fixed(sides.store.context, begun.began_at)
        self._transformer = Transformer(sides.migration, context, begun.began_at)
        self._comparer = Comparer(sides.store.table)
        self._gone = gone
        self._dry_run = dry_run
        self.cleaned = Cleaned()

    def clean(self, items: list[Item]) -> None:
        """Delete those of a page that may go."""
        made = list(self._made(items))
        wanted = [list(self._comparer.expected(one)) for _, _, one in made]
        found = iter(self._found([each.key for one in wanted for each in one]))
        for (schema, item, one), expected in zip(made, wanted, strict=True):
            reason = next(self._reasons([(each, next(found)) for each in expected]), None)
            if reason is None and not (self._dry_run or self._delete(schema, item)):
                reason = "somebody changed it meanwhile"
            if reason is None:
                self.cleaned.deleted += 1
            else:
                self.cleaned.keep(name_of(one.row), reason)

    def _made(self, items: list[Item]) -> Iterator[tuple[Schema, Item, Made]]:
        table = self._store.table
        for item in items:
            kind = self._comparer.type(item)
            if kind not in self._rules or is_repeated(item, (table.entities[kind],)):
                continue
            schema = table.entities[kind]
            made = self._transformer.transform(self._rules[kind], row_of(schema, item))
            if isinstance(made, Made):
                yield schema, item, made
            else:
                self.cleaned.keep(name_of(made.row), made.reason)

    def _found(self, keys: list[Item]) -> list[Item | None]:
        if not keys:
            return []
        program = get_items(self._store.context, keys, consistent=True)
        return run(program, self._store.backend)

    def _reasons(self, pairs: list[tuple[Expected, Item | None]]) -> Iterator[str]:
        if not pairs and not self._gone:
            yield "nothing is made of it"
        for expected, found in pairs:
            if found is None:
                if not self._gone:
                    yield f"its {expected.entity} is not there"
            elif not (self._is_same(expected, found) or self._is_later(expected, found)):
                yield f"its {expected.entity} is there, and another one"

    def _is_same(self, expected: Expected, found: Item) -> bool:
        return self._comparer.digest(found) == self._comparer.digest(expected.item)

    def _is_later(self, expected: Expected, found: Item) -> bool:
        """Tell whether an item was written since, by its version or its time."""
        schema = self._store.table.named(expected.entity)
        if schema is None or self._comparer.type(found) != schema.type:
            return False
        names = [schema.attributes[name] for name in schema.updated_fields]
        if schema.version_field:
            attribute = schema.attributes[schema.version_field]
            mine, theirs = (one.get(attribute, {}).get("N", "0") for one in (expected.item, found))
            return int(theirs) > int(mine)
        pairs = [
            (one.get(name, {}).get("S", "") for one in (expected.item, found)) for name in names
        ]
        return any(theirs > mine for mine, theirs in pairs)

    def _delete(self, schema: Schema, item: Item) -> bool:
        """Delete an item with its copies, and give up its unique values; no count changes."""
        entity = schema.items.read(item)
        same = Basis(schema.table.pk, item, tuple(relied_on(schema, item))).condition
        writes: list[Write] = [
            Delete(key=key, condition=same) for key in keys_of(schema, entity.__dict__)
        ]
        writes += [guard.released().write for guard in guards_of(entity)]
        return self._send(writes)

    def _send(self, writes: list[Write]) -> bool:
        name = self._store.table_name
        try:
            if len(writes) == 1:
                self._store.send("DeleteItem", writes[0].request(name))
            else:
                actions: list[dict[str, Any]] = [{one.kind: one.request(name)} for one in writes]
                self._store.send("TransactWriteItems", {"TransactItems": actions})
        except (ConditionalCheckFailedException, TransactionCanceledException):
            return False
        return True
