"""A plan from its beginning to its end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from singletable.cost.prices import Prices
from singletable.errors import UsageError
from singletable.migrate.items import fixed
from singletable.migrate.running import Job
from singletable.migrate.sources.address import open_source
from singletable.migrate.sources.source import Source
from singletable.migrate.spilling import Scratch
from singletable.migrate.transforming import Transformer
from singletable.model.fields import now

from .estimating import Pace, entities, estimate, sums
from .queries import mapped
from .results import Plan
from .sampling import Sampler, orphan_refusals

SAMPLE = 1000
WORKERS = 2


def plan(
    job: Job,
    *,
    sample: int | None = SAMPLE,
    workers: int = WORKERS,
    prices: Prices | None = None,
    show: Callable[[str], None] = lambda _: None,
) -> Plan:
    """Tell what a migration would do, from a sample of each table's rows; writes nothing.

    Without a ``sample`` all rows are tried, so that none is missed which a run would refuse; memory
    holds as little. ``show`` is told which table it is at.
    """
    # The destination is not opened: to open a table in a file would make it.
    objects = None if job.objects is None else "memory://"
    table_name, migration = job.table_name, job.migration
    with (
        closing(open_source(job.source)) as source,
        closing(Scratch()) as scratch,
        migration.store.connect(":memory:", table_name=table_name, objects=objects) as store,
    ):
        _check(job, source)
        at = now()
        transformer = Transformer(migration(), fixed(store.context, at), at)
        sampler = Sampler(source, store.table, transformer, scratch)
        samples = []
        what = "all rows" if sample is None else "a sample"
        for number, rule in enumerate(migration.rules.values(), 1):
            show(f"Trying {what} of {rule.kind}, {number} of {len(migration.rules)}")
            samples.append(sampler.take(rule, sample))
        orphans = [
            refusal
            for kind, parents in migration().along.items()
            for refusal in orphan_refusals(source, kind, parents, sample)
        ]
        kinds = source.kinds()
    refusals = (told for one in samples for told in one.refused.told(one.rule.kind))
    found = sums(samples)
    units = job.units_per_s and job.units_per_s * workers
    used = migration().kinds
    return Plan(
        name=job.name,
        kinds=tuple(map(sampler.planned, samples)),
        ignored=tuple(kind for kind in kinds if kind not in used),
        entities=tuple(entities(found)),
        refusals=(*refusals, *orphans),
        clashing=sampler.clashing,
        clashes=tuple(sampler.clashes),
        queries=tuple(mapped(migration)),
        estimate=estimate(found, samples, Pace(workers, units), prices or Prices.of_region()),
    )


def _check(job: Job, source: Source) -> None:
    known = source.kinds()
    for rule in job.migration.rules.values():
        for kind in (rule.kind, *rule.related):
            if kind not in known:
                raise UsageError(
                    f"{job.name} reads {kind!r}, which the source does not have; it has "
                    f"{', '.join(known) or 'none'}"
                )
