"""A sample of the rows of a table, from all over it, and what comes of them."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field

from singletable.migrate.copying import BATCH_ROWS, keys_of
from singletable.migrate.migration import Rule
from singletable.migrate.orphans import parentless
from singletable.migrate.sources.source import Broken, Parents, Row, Source, Span
from singletable.migrate.spilling import Scratch
from singletable.migrate.transforming import Made, Reject, Transformer, name_of
from singletable.model.table import Table

from .noting import Columns
from .results import KindPlan, Refusal
from .weighing import Weight

PLACES = 20
"""From how many places of a table its rows are taken."""
CLASHES_MAX = 20
REASONS_MAX = 1000
OTHERS = "each for a reason of its own"
"""Why rows are refused after so many reasons, as a reason may name the value."""
Batch = tuple[Sequence[Row | Broken], Span | None]
"""Rows of a span, and what is left of it."""


@dataclass(slots=True)
class Refused:
    """Counts rows that were refused by the reason, with an example of each."""

    rows: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row | Broken, reason: str) -> None:
        """Count a row."""
        if reason not in self.rows and len(self.rows) >= REASONS_MAX:
            reason = OTHERS
        self.rows[reason] += 1
        self.examples.setdefault(reason, name_of(row))

    def told(self, kind: str) -> Iterator[Refusal]:
        """Give the reasons, the most frequent first."""
        for reason, rows in self.rows.most_common():
            yield Refusal(kind=kind, reason=reason, rows=rows, example=self.examples[reason])


@dataclass(slots=True)
class Sample:
    """What came of a sample of one table's rows."""

    rule: Rule
    rows: int
    """All that there are."""
    sampled: int = 0
    made: dict[str, Weight] = field(default_factory=lambda: defaultdict(Weight))
    """What came of it, by entity."""
    refused: Refused = field(default_factory=Refused)
    took_s: float = 0.0

    @property
    def scale(self) -> float:
        """Tell how many rows one of the sample stands for: itself, if the count was older."""
        return max(1.0, self.rows / self.sampled) if self.sampled else 0.0


class Sampler:
    """Takes samples, and notes what they have in common."""

    def __init__(
        self, source: Source, table: Table, transformer: Transformer, scratch: Scratch
    ) -> None:
        self._source = source
        self._table = table
        self._transformer = transformer
        self._makers: MutableMapping[tuple[str, ...], str] = scratch.mapping()
        self.columns = Columns()
        self.clashing = 0
        self.clashes: list[str] = []

    def take(self, rule: Rule, most: int | None) -> Sample:
        """Take a sample of a rule's rows, or all of them, and transform it."""
        sample = Sample(rule, self._source.count(rule.kind))
        for rows in self._rows(rule, most):
            for row in rows:
                self._transform(sample, row)
            sample.sampled += len(rows)
        return sample

    def _rows(self, rule: Rule, most: int | None) -> Iterator[Sequence[Row | Broken]]:
        kinds = self._source.kinds()
        for kind in (rule.kind, *rule.related):
            if kind in kinds:
                self.columns.expect(kind, kinds[kind].columns)
        return _batches(
            self._source,
            rule.kind,
            most,
            lambda span, limit: self._source.read(rule.kind, span, limit, rule.related),
        )

    def _transform(self, sample: Sample, row: Row | Broken) -> None:
        began = time.perf_counter()
        noting = self.columns.noting(row) if isinstance(row, Row) else row
        judged = self._transformer.transform(sample.rule, noting)
        sample.took_s += time.perf_counter() - began
        if isinstance(judged, Reject):
            sample.refused.add(row, judged.reason)
            return
        for draft in judged.drafts:
            sample.made[draft.entity.__schema__.name].add(self._table, draft)
        self._claim(judged)

    def _claim(self, made: Made) -> None:
        """Note what a row makes, unless one before it makes the same: then it has nothing."""
        name, keys = name_of(made.row), list(keys_of(made))
        taken = next((key for key in keys if self._makers.get(key, name) != name), None)
        if taken is None:
            self._makers.update(dict.fromkeys(keys, name))
            return
        self.clashing += 1
        if len(self.clashes) < CLASHES_MAX:
            self.clashes.append(f"{' / '.join(taken)}: {self._makers[taken]} and {name}")

    def planned(self, sample: Sample) -> KindPlan:
        """Tell what came of a sample."""
        rule = sample.rule
        refused = sample.refused.rows.total()
        related = {kind: self.columns.unread(kind) for kind in rule.related}
        # A rule that no row came through may read them where it did not get to.
        came_through = refused < sample.sampled
        return KindPlan(
            kind=rule.kind,
            rows=sample.rows,
            sampled=sample.sampled,
            refused=refused,
            entities={name: weight.drafts for name, weight in sample.made.items()},
            unique=tuple(
                f"{schema.name}.{name}"
                for schema in self._table.entities.values()
                if schema.name in sample.made
                for name in schema.unique
            ),
            unread=self.columns.unread(rule.kind) if came_through else (),
            unread_related={k: names for k, names in related.items() if names and came_through},
        )


def orphan_refusals(
    source: Source, kind: str, parents: Parents, most: int | None
) -> Iterator[Refusal]:
    """Give the reasons why rows would be refused that come along with none.

    A database looks at all rows, and gives no more than so many; other sources look at a sample.
    """
    refused = Refused()
    for rows in _batches(
        source, kind, most, lambda span, limit: source.read_orphans(kind, parents, span, limit)
    ):
        for row in rows:
            refused.add(row, _orphan_reason(row, parents))
    return refused.told(kind)


def _batches(
    source: Source, kind: str, most: int | None, read: Callable[[Span, int], Batch]
) -> Iterator[Sequence[Row | Broken]]:
    """Read so many rows from all over a table, or all of them, some at a time."""
    spans = source.split(kind, PLACES if most is None else min(PLACES, most))
    for span in spans:
        left = math.inf if most is None else -(-most // len(spans))
        rest: Span | None = span
        while rest is not None and left > 0:
            limit = int(min(BATCH_ROWS, left))
            rows, rest = read(rest, limit)
            left -= limit
            yield rows


def _orphan_reason(row: Row | Broken, parents: Parents) -> str:
    """Say of all rows without a parent the same, whichever is missing."""
    return row.reason if isinstance(row, Broken) else parentless(parents)
