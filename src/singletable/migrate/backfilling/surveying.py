"""What a backfill would do, or has left to do: every item is looked at, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from singletable.cost.images import image_units
from singletable.cost.prices import Prices
from singletable.migrate.bookkeeping import Part
from singletable.migrate.running import side_by_side
from singletable.migrate.transforming import Reject, name_of
from singletable.model.entity import Entity
from singletable.model.fields import now
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.store.store import Store
from singletable.values import Item, item_size

from . import scanning, sharing
from .deriving import Deriver
from .differing import Differing
from .guarding import wants
from .job import Backfill
from .judging import UNKNOWN, judge
from .results import Counts, EntitySurvey, Survey

EXAMPLES_MAX = 20
PAGE_BYTES = 4096
CHECK_UNITS = 2
"""What it costs to see in a transaction that an item is as it was."""


def survey(
    job: Backfill,
    *,
    sample: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    prices: Prices | None = None,
    show: Callable[[int, int], None] = lambda *_: None,
) -> Survey:
    """Count what a backfill has to do, by entity and by what differs; writes nothing.

    Looks at all items, or at a ``sample`` of about so many from all over the table. ``show`` is
    told how many of how many.
    """
    with job.opened() as opened:
        total = scanning.count(opened.store)
        parts = list(scanning.parts(job.name, scanning.segments(opened.store, workers)))
    counts = Counts()
    most = None if sample is None else -(-sample // len(parts))
    pool = scanning.executor_of(workers, executor)
    wanted = min(total, sample or total)

    def look(done: list[Counts]) -> None:
        show(sum(one.looked for one in done), wanted)

    with sharing.noting() as values:
        work = partial(survey_part, job, values, most)
        for one in side_by_side(work, parts, workers, pool, look):
            counts.add(one)
        examples = [*counts.examples[:EXAMPLES_MAX], *sharing.count(values, counts)]
    return _survey(job, counts, examples, total, prices or Prices.of_region())


def survey_part(job: Backfill, values: Path, most: int | None, part: Part) -> Counts:
    """Look at one part, or at its first items, in whichever process this is."""
    counts = Counts()
    with job.opened() as opened:
        surveyor = _Surveyor(job, opened.store, counts, values)
        rest = part.rest
        while rest is not None and (most is None or counts.looked < most):
            items, rest = scanning.read(opened.store, rest)
            surveyor.look(items)
            opened.pace.wait()
    counts.is_whole = rest is None
    return counts


class _Surveyor:
    def __init__(self, job: Backfill, store: Store, counts: Counts, values: Path) -> None:
        self._store = store
        self._counts = counts
        self._values = values
        self._deriver = Deriver.of(job.migration, store.context, now())

    def look(self, items: list[Item]) -> None:
        judged = judge(self._store.table, items)
        self._counts.read_units += sum(map(item_size, items)) / PAGE_BYTES
        self._counts.looked += len(items)
        for schema, _ in judged.entities:
            self._counts.of(schema.name).items += 1
        for differing in judged.differing:
            self._differs(differing)
        for reject in judged.rejects:
            if reject.row.kind != UNKNOWN:
                self._counts.of(reject.row.kind).items += 1
            self._left_alone(reject)
        unique = ((schema, item) for schema, item in judged.entities if schema.unique)
        self._unguarded(schema.items.read(item) for schema, item in unique)
        if self._deriver is not None:
            self._missing(self._deriver, list(judged.entities))

    def _differs(self, one: Differing) -> None:
        tally = self._counts.of(one.schema.name)
        tally.left += 1
        tally.kinds.update(one.kinds)
        new = {**one.old, **one.copies[0]}
        for name in one.names:
            if name not in one.copies[0]:
                new.pop(name, None)
        units = image_units(self._store.table, one.old, new)
        tally.write_units += len(one.copies) * sum(units.values())

    def _unguarded(self, entities: Iterable[Entity], *, are_new: bool = False) -> None:
        found = wants(self._store.context, entities, are_new=are_new)
        sharing.note(self._values, run(found, self._store.backend))

    def _left_alone(self, one: Reject) -> None:
        if one.row.kind == UNKNOWN:
            self._counts.unknown += 1
        else:
            self._counts.of(one.row.kind).broken += 1
        if len(self._counts.examples) < EXAMPLES_MAX:
            self._counts.examples.append(f"{name_of(one.row)}: {one.reason}")

    def _missing(self, deriver: Deriver, items: list[tuple[Any, Item]]) -> None:
        wanted: list[tuple[Entity, Item]] = []
        for schema, item in items:
            made = deriver.drafts(schema, item) if deriver.makes_of(schema) else ()
            if isinstance(made, Reject):
                self._left_alone(made)
                continue
            wanted += [(one.entity, one.items[0]) for one in made]
        pairs = zip(wanted, self._found(wanted), strict=True)
        missing = [one for one, found in pairs if found is None]
        for entity, item in missing:
            tally = self._counts.of(entity.__schema__.name)
            tally.missing += 1
            units = image_units(self._store.table, None, item)
            tally.write_units += 2 * sum(units.values()) + CHECK_UNITS
        self._unguarded((entity for entity, _ in missing), are_new=True)

    def _found(self, wanted: list[tuple[Entity, Item]]) -> list[Item | None]:
        names = self._store.table.primary.attributes
        keys = [{name: item[name] for name in names} for _, item in wanted]
        if not keys:
            return []
        return run(get_items(self._store.context, keys), self._store.backend)


def _survey(
    job: Backfill, counts: Counts, examples: Iterable[str], total: int, prices: Prices
) -> Survey:
    entities = tuple(_entities(job, counts))
    units = sum(one.write_units for one in entities)
    return Survey(
        name=job.design.__name__,
        looked=counts.looked,
        total=total,
        is_whole=counts.is_whole,
        entities=entities,
        unknown=counts.unknown,
        examples=tuple(examples),
        read_units=counts.read_units,
        write_units=units,
        price=(
            units * prices.per_million_write_units
            + counts.read_units * prices.per_million_read_units
        )
        / 1e6,
        currency=prices.currency,
        region=prices.region,
        as_of=prices.as_of,
    )


def _entities(job: Backfill, counts: Counts) -> Iterator[EntitySurvey]:
    for schema in job.store.table.entities.values():
        tally = counts.of(schema.name)
        yield EntitySurvey(
            entity=schema.name,
            items=tally.items,
            left=tally.left,
            differences=dict(tally.kinds.most_common()),
            missing=tally.missing,
            broken=tally.broken,
            shared=tally.shared,
            write_units=tally.write_units,
            upgrades=tuple(sorted(schema.items.upgrades)),
        )
