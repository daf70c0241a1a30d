"""The access patterns of a store as rows: what each asks for, and of which index.

A row is written from the pattern's own request, with the samples in it named as the parameters
that they stand for; nothing is guessed from names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, get_type_hints

from singletable.cost.marking import marked
from singletable.model.keys import TemplateKey
from singletable.model.table import Table
from singletable.model.templates import Template
from singletable.store.tracing import Trace

from .chart import summary, type_text

_MARK = re.compile(r"‹((?:before )?\w+)(?:: [^›]*)?›")
"""A parameter in a request, with what its sample is written as where that is not its name."""


@dataclass(frozen=True, slots=True)
class PatternChart:
    """One access pattern."""

    name: str
    purpose: str
    parameters: tuple[tuple[str, str], ...]
    """Names and types."""
    operation: str
    spread: str
    """How many requests a page takes, where it is not one: shards, buckets, batches."""
    index: str | None
    entities: tuple[str, ...]
    condition: str
    filter: str
    order: str
    page: int | None
    rate_per_s: float | None
    fault: str
    """Why it cannot be run, where that is so."""


def pattern_charts(table: Table, traces: list[Trace]) -> tuple[PatternChart, ...]:
    """Chart the access patterns, in the order they were written."""
    return tuple(_chart(table, trace) for trace in traces)


def _chart(table: Table, trace: Trace) -> PatternChart:
    request = marked(trace)[0] if trace.requests else {}
    write = _Writer(trace, request)
    backwards = request.get("ScanIndexForward") is False
    return PatternChart(
        name=trace.pattern.name,
        purpose=summary(trace.pattern.purpose),
        parameters=tuple(parameters(trace)),
        operation=trace.kind,
        spread=_spread(trace),
        index=trace.index,
        entities=tuple(schema.name for schema in trace.entities),
        condition=write.condition(table),
        filter=write.expression("FilterExpression"),
        order="descending" if backwards else "",
        page=trace.page_max,
        rate_per_s=trace.pattern.rate_per_s,
        fault="" if trace.fault is None else str(trace.fault),
    )


def _spread(trace: Trace) -> str:
    if any(slot.is_bucket for template in _spreading(trace) for slot in template.slots):
        return "one for each bucket"
    return f"{len(trace.requests)} requests" if len(trace.requests) > 1 else ""


def _spreading(trace: Trace) -> list[Template]:
    """Give the templates of partition keys that stand for several partitions."""
    if trace.kind != "Query" or not trace.reads:
        return []
    parts = (part for part in trace.reads[0][1].pk if isinstance(part, TemplateKey))
    templates = [part.template for part in parts]
    return [one for one in templates if any(slot.is_bucket or slot.scatters for slot in one.slots)]


def parameters(trace: Trace) -> Iterator[tuple[str, str]]:
    """Give the names and types of what a pattern is called with."""
    hints = get_type_hints(trace.pattern.method)
    for name in list(signature(trace.pattern.method).parameters)[1:]:
        yield name, type_text(hints.get(name, Any))


class _Writer:
    """Writes the expressions of a request with the names of attributes and parameters in them."""

    def __init__(self, trace: Trace, request: Mapping[str, Any]) -> None:
        self._trace = trace
        self._request = request
        self._names: Mapping[str, str] = request.get("ExpressionAttributeNames", {})
        self._values: Mapping[str, Any] = request.get("ExpressionAttributeValues", {})

    def condition(self, table: Table) -> str:
        """Write which keys are read."""
        if "KeyConditionExpression" in self._request:
            spread = [f" = {template.text}" for template in _spreading(self._trace)]
            text = self.expression("KeyConditionExpression")
            # The partition of one shard or bucket stands for all of them: its template is shown.
            return re.sub(r" = .*?(?= AND |$)", spread[0], text, count=1) if spread else text
        batch = self._request.get("RequestItems", {}).values()
        keys = [key for one in batch for key in one["Keys"]] or [self._request.get("Key", {})]
        own = [name for name in table.primary.attributes if name in keys[0]]
        return " AND ".join(f"{name} = {self._text(keys[0][name])}" for name in own)

    def expression(self, member: str) -> str:
        """Write an expression of the request; nothing where it has none."""
        return re.sub(r"[#:]\w+", self._placeholder, self._request.get(member, ""))

    def _placeholder(self, found: re.Match[str]) -> str:
        text = found[0]
        return self._names[text] if text in self._names else self._text(self._values[text])

    def _text(self, value: Mapping[str, Any]) -> str:
        text = _MARK.sub(r"{\1}", str(next(iter(value.values()))))
        return text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
