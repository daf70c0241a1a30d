"""A sample of the rows of a table, from all over it, and what comes of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from singletable.migrate.items import Draft
from singletable.migrate.migration import Rule
from singletable.migrate.orphans import parentless
from singletable.migrate.sources.source import Broken, Parents, Row, Source
from singletable.migrate.transforming import Made, Reject, Transformer, name_of
from singletable.store.writing.writes import Put, identity

from .noting import Columns
from .results import KindPlan, Refusal

PLACES = 20
"""From how many places of a table its rows are taken."""


@dataclass(slots=True)
class Sample:
    """Is what came of a sample of one table's rows."""

    rule: Rule
    rows: int
    """All that there are."""
    sampled: int = 0
    drafts: list[Draft] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    took_s: float = 0.0

    @property
    def scale(self) -> float:
        """Tell how many rows one of the sample stands for: itself, if the count was older."""
        return max(1.0, self.rows / self.sampled) if self.sampled else 0.0


class Sampler:
    """Takes samples, and notes what they have in common."""

    def __init__(self, source: Source, transformer: Transformer) -> None:
        self._source = source
        self._transformer = transformer
        self._makers: dict[tuple[str, ...], str] = {}
        self.columns = Columns()
        self.clashes: list[str] = []

    def take(self, rule: Rule, most: int) -> Sample:
        """Take a sample of a rule's rows and transform it."""
        sample = Sample(rule, self._source.count(rule.kind))
        for rows in self._rows(rule, most):
            began = time.perf_counter()
            for row in rows:
                self._transform(sample, row)
            sample.sampled += len(rows)
            sample.took_s += time.perf_counter() - began
        return sample

    def _rows(self, rule: Rule, most: int) -> Iterator[Sequence[Row | Broken]]:
        kinds = self._source.kinds()
        for kind in (rule.kind, *rule.related):
            if kind in kinds:
                self.columns.expect(kind, kinds[kind].columns)
        spans = self._source.split(rule.kind, min(PLACES, most))
        for span in spans:
            yield self._source.read(rule.kind, span, -(-most // len(spans)), rule.related)[0]

    def _transform(self, sample: Sample, row: Row | Broken) -> None:
        noting = self.columns.noting(row) if isinstance(row, Row) else row
        judged = self._transformer.transform(sample.rule, noting)
        if isinstance(judged, Reject):
            sample.rejects.append(judged)
            return
        sample.drafts += judged.drafts
        for key in _keys(judged):
            maker = self._makers.setdefault(key, name_of(row))
            if maker != name_of(row):
                self.clashes.append(f"{' / '.join(key)}: {maker} and {name_of(row)}")

    def planned(self, sample: Sample) -> KindPlan:
        """Tell what came of a sample."""
        rule = sample.rule
        made = Counter(draft.entity.__schema__.name for draft in sample.drafts)
        related = {kind: self.columns.unread(kind) for kind in rule.related}
        # A rule that no row came through may read them where it did not get to.
        came_through = len(sample.rejects) < sample.sampled
        return KindPlan(
            kind=rule.kind,
            rows=sample.rows,
            sampled=sample.sampled,
            refused=len(sample.rejects),
            entities=dict(made),
            unread=self.columns.unread(rule.kind) if came_through else (),
            unread_related={k: names for k, names in related.items() if names and came_through},
        )


def refusals(sample: Sample) -> Iterator[Refusal]:
    """Give the reasons why rows were refused, the most frequent first."""
    return _refusals(sample.rule.kind, sample.rejects)


def orphan_refusals(source: Source, kind: str, parents: Parents, most: int) -> Iterator[Refusal]:
    """Give the reasons why rows would be refused that come along with none.

    A database looks at all rows, and gives no more than so many; other sources look at a sample.
    """
    spans = source.split(kind, min(PLACES, most))
    limit = -(-most // len(spans))
    rows = (row for span in spans for row in source.read_orphans(kind, parents, span, limit)[0])
    return _refusals(kind, [Reject(row, _orphan_reason(row, parents)) for row in rows])


def _orphan_reason(row: Row | Broken, parents: Parents) -> str:
    """Say of all rows without a parent the same, whichever is missing."""
    return row.reason if isinstance(row, Broken) else parentless(parents)


def _refusals(kind: str, rejects: Sequence[Reject]) -> Iterator[Refusal]:
    examples: dict[str, str] = {}
    for one in rejects:
        examples.setdefault(one.reason, name_of(one.row))
    for reason, rows in Counter(one.reason for one in rejects).most_common():
        yield Refusal(kind=kind, reason=reason, rows=rows, example=examples[reason])


def _keys(made: Made) -> Iterator[tuple[str, ...]]:
    for draft in made.drafts:
        yield draft.key
        for part in draft.guards:
            assert isinstance(part.write, Put)
            yield identity(part.write.key)
