"""Which part of the table a traced read goes over, and whose items stand there.

A query pays for all that its range holds, also for items of entities that it does not ask for.
They are found by the templates: an entity stands in the range if its partition key can be the
query's and its sort keys, as far as what is known fixes them, fall into the span.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from singletable.model.keys import FieldKey, Keys, TemplateKey
from singletable.model.reads import Between, Collection, Query, Scan
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.model.templates.spans import Span
from singletable.store.reading.key_conditions import start_of
from singletable.store.reading.plans import Plan, plan_collection, plan_query
from singletable.store.tracing import Trace


@dataclass(frozen=True, slots=True)
class Range:
    """What a read goes over: partitions, and the entities in them that it wants, and others."""

    groups: tuple[tuple[str, ...], ...]
    """The partitions: shards that are read side by side, in groups that follow each other."""
    wanted: tuple[Schema, ...]
    others: tuple[Schema, ...]

    @property
    def shards(self) -> int:
        """Tell how many partitions are read side by side."""
        return len(self.groups[0]) if self.groups else 1


def page_items(traced: Trace, over: Range) -> int | None:
    """Tell how many items a page reads at most: each shard and segment is asked for a page."""
    read, size = traced.read, page_size(traced)
    if size is None or (isinstance(read, Scan) and read.most is not None):
        return size
    return size * (read.segments if isinstance(read, Scan) else over.shards)


def page_size(traced: Trace) -> int | None:
    """Tell how many items a page has at most; where its caller says so, what the pattern says."""
    read: Any = traced.read
    asked = limited_by(traced)
    if asked is not None:
        usual = signature(traced.pattern.method).parameters[asked].default
        return usual if isinstance(usual, int) else traced.pattern.page
    size: int | None = read.page_size if isinstance(read, Collection) else read.page_max
    return size


def limited_by(traced: Trace) -> str | None:
    """Name the parameter by which a caller says how many items to read; None if there is none."""
    read = traced.read
    limit = read.page_size if isinstance(read, Collection) else getattr(read, "most", None)
    return None if limit is None else traced.source(limit)


def range_of(trace: Trace) -> Range:
    """Give the range of a traced read."""
    read = trace.read
    if isinstance(read, Scan):
        wanted = tuple(read.schema.family.values())
        others = (one for one, _ in _in_index(read.schema.table, read.keys.index.name))
        return Range((("",),), wanted, tuple(one for one in others if one not in wanted))
    if isinstance(read, Query | Collection):
        return _queried(trace, read)
    return Range((("",),), trace.entities, ())


def _queried(trace: Trace, read: Query[Any] | Collection[Any]) -> Range:
    name = trace.reads[0][0].table.name
    plan = plan_query(read, name) if isinstance(read, Query) else plan_collection(read, name)
    wanted = _wanted(read)
    own = Span.cover([_span(_own_keys(read, one), read.known) for one in wanted])
    actual = _tested(plan) if len(plan.tests) == 1 else own
    others = tuple(
        schema
        for schema, keys in _in_index(wanted[0].table, plan.keys.index.name)
        if schema not in wanted and _stands(keys, read.known, plan, own, actual)
    )
    groups = tuple(tuple(str(partition) for partition in group) for group in plan.groups)
    return Range(groups, wanted, others)


def _wanted(read: Query[Any] | Collection[Any]) -> tuple[Schema, ...]:
    if isinstance(read, Query):
        return tuple(read.schema.family.values()) or (read.schema,)
    return tuple(one for schema in read.view.entities for one in schema.family.values())


def _own_keys(read: Query[Any] | Collection[Any], schema: Schema) -> Keys:
    name = read.keys.index.name if isinstance(read, Query) else read.view.keys(schema).index.name
    return next(keys for keys in schema.all_keys if keys.index.name == name)


def _in_index(table: Table, name: str | None) -> Iterator[tuple[Schema, Keys]]:
    for schema in table.entities.values():
        for keys in schema.all_keys:
            if keys.index.name == name:
                yield schema, keys


def _span(keys: Keys, known: Mapping[str, Any]) -> Span:
    part = keys.sk[0] if keys.sk else None
    return start_of(part, known).span() if isinstance(part, TemplateKey) else Span()


def _tested(plan: Plan) -> Span:
    test = plan.tests[0]
    texts = [value.get("S") for value in test.values]
    match test.operator:
        case "=":
            return Span.one(texts[0]) if texts[0] else Span()
        case "begins_with":
            return Span.starting(texts[0] or "")
        case "BETWEEN":
            return Span(*texts)
        case ">=" | ">":
            return Span(texts[0], None)
    return Span(None, texts[0])


def _stands(keys: Keys, known: Mapping[str, Any], plan: Plan, own: Span, actual: Span) -> bool:
    told = _told(keys, known, plan)
    if told is None:
        return False
    theirs = _span(keys, told)
    # What a comparison cuts out of the wanted items, it cuts out of others among them alike.
    return actual.holds(theirs) or (own != actual and own.holds(theirs) and _meet(actual, theirs))


def _told(keys: Keys, known: Mapping[str, Any], plan: Plan) -> dict[str, Any] | None:
    """Give what a partition of the query tells of an entity's fields; None if it has none there."""
    plain = {name: value for name, value in known.items() if not isinstance(value, Between)}
    first = keys.pk[0]
    if isinstance(first, FieldKey):
        return plain if all(part.fields[0] in plain for part in keys.pk) else None
    for group in plan.groups:
        for partition in group:
            text = partition.get(first.attribute, {}).get("S")
            parsed = first.template.parse(text) if text is not None else None
            if parsed is not None:
                return plain | parsed
    return None


def _meet(one: Span, other: Span) -> bool:
    below = one.high is not None and other.low is not None and one.high < other.low
    above = one.low is not None and other.high is not None and other.high < one.low
    return not (below or above)
