"""Requests with the places marked where parameters stand: ``USER#‹user_id›``.

A trace has samples in place of arguments. A text sample is its own mark; what another becomes in a
key is marked with its parameter's name and what it is: ``‹since: 2026-01-31T00:00:00.000000Z›``.
What ends directly before a parameter says that: ``‹before day: 2026-01-30›``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from singletable.errors import SingletableError
from singletable.model.codec import encode
from singletable.model.keys import FieldKey, TemplateKey
from singletable.model.reads import Between, Query
from singletable.model.schema import COPY
from singletable.model.templates import Template
from singletable.model.templates.slots import Slot
from singletable.model.templates.spans import below
from singletable.store.tracing import Trace

from .ranges import limited_by

KEY_VALUE = ":k"
"""How the placeholders of values in key conditions begin."""


def marked(trace: Trace) -> list[dict[str, Any]]:
    """Give the requests of a trace with its parameters marked."""
    marks = sorted(set(_marks(trace)), key=lambda pair: -len(pair[0]))
    return [
        {name: _member(trace, name, value, marks) for name, value in request.items()}
        for request in trace.requests
    ]


def _member(trace: Trace, name: str, value: Any, marks: list[tuple[str, str]]) -> Any:
    """Mark what a member of a request says of keys, and what a filter compares with."""
    if name in {"Key", "RequestItems"}:
        return _replaced(value, marks)
    if name == "Limit" and (asked := limited_by(trace)):
        return f"‹{asked}: {value}›"
    if name != "ExpressionAttributeValues":
        return value
    return {
        placeholder: _replaced(one, marks)
        if placeholder.startswith(KEY_VALUE)
        else _of_filter(trace, one)
        for placeholder, one in value.items()
    }


def _of_filter(trace: Trace, value: Any) -> Any:
    for name, sample in trace.arguments.items():
        if not isinstance(sample, str) and encode(sample) == value:
            [(kind, text)] = value.items()
            return {kind: f"‹{name}: {text}›"}
    return value


def mark(trace: Trace, value: Any, text: str) -> str:
    """Write a value of a request: marked, if it is a parameter's."""
    source = trace.source(value)
    if source is None or text == f"‹{source}›":
        return text
    return f"‹{source}: {text}›"


def _marks(trace: Trace) -> Iterator[tuple[str, str]]:
    """Give the beginnings of keys, each with how it is marked."""
    for schema, keys in trace.reads:
        known = {**trace.known, COPY: 0} if schema.copies else trace.known
        for part in keys.parts:
            if isinstance(part, TemplateKey):
                yield from _of_template(trace, part.template, known)
            else:
                yield from _of_field(trace, part, known)
    if isinstance(trace.read, Query):
        yield from _of_comparison(trace, trace.read)


def _of_template(
    trace: Trace, template: Template, known: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    plain, shown = _begun(trace, template, known)
    if plain != shown:
        yield plain, shown


def _begun(trace: Trace, template: Template, known: Mapping[str, Any]) -> tuple[str, str]:
    plain = shown = ""
    for part in template.parts:
        if isinstance(part, str):
            text = mark_ = part
        elif part.field in known and not isinstance(known[part.field], Between):
            text = part.write(known[part.field])
            mark_ = mark(trace, known[part.field], text)
        else:
            break
        plain, shown = plain + text, shown + mark_
    return plain, shown


def _of_field(trace: Trace, part: FieldKey, known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    value = known.get(part.field)
    if value is not None and not isinstance(value, Between):
        yield from _ends(trace, value, "", "", (part.value,))


def _of_comparison(trace: Trace, query: Query[Any]) -> Iterator[tuple[str, str]]:
    """Give the ends of a comparison, behind the beginning that is known."""
    spans = [value for value in query.known.values() if isinstance(value, Between)]
    operands = [end for span in spans for end in (span.low, span.high)]
    operands += query.comparison[1] if query.comparison else ()
    part = query.keys.sk[0] if query.keys.sk else None
    if isinstance(part, TemplateKey):
        plain, shown = _begun(trace, part.template, query.known)
        slot = _next(part.template, query.known)
        writes = (slot.first, slot.last, slot.opening) if slot else ()
        for operand in operands:
            yield from _ends(trace, operand, plain, shown, writes)
            # Where a format descends, gt() ends before its operand.
            if slot and query.comparison and query.comparison[0] in {"lt", "gt"}:
                yield from _before(trace, operand, plain, shown, slot)
    for each in query.keys.sk:
        if isinstance(each, FieldKey) and each.field not in query.known:
            for operand in operands:
                yield from _ends(trace, operand, "", "", (each.first, each.last, each.opening))


def _next(template: Template, known: Mapping[str, Any]) -> Slot | None:
    """Find the first slot of which no value is known."""
    given = {name for name, value in known.items() if not isinstance(value, Between)}
    return next((slot for slot in template.slots if slot.field not in given), None)


def _ends(
    trace: Trace, operand: Any, plain: str, shown: str, writes: Iterable[Callable[[Any], Any]]
) -> Iterator[tuple[str, str]]:
    """Give what an operand can become in a key, with how it is marked."""
    for write in writes:
        with suppress(SingletableError, TypeError):
            made = write(operand)
            text = made if isinstance(made, str) else str(next(iter(made.values())))
            yield plain + text, shown + mark(trace, operand, text)


def _before(
    trace: Trace, operand: Any, plain: str, shown: str, slot: Slot
) -> Iterator[tuple[str, str]]:
    """Give the last key before an operand's, which is where a key condition can end."""
    source = trace.source(operand)
    if source is None:
        return
    with suppress(SingletableError, TypeError):
        text = slot.first(operand)
        previous = slot.format.previous(text)
        if previous is None:
            yield below(plain + text), f"{shown}‹before {source}›"
        else:
            yield plain + previous, f"{shown}‹before {source}: {previous}›"


def _replaced(value: Any, marks: list[tuple[str, str]]) -> Any:
    """Mark the beginnings of all texts; a number is marked as a whole."""
    if isinstance(value, list):
        return [_replaced(one, marks) for one in value]
    if isinstance(value, dict):
        number = value.get("N")
        for plain, shown in marks:
            if number == plain:
                return {"N": shown}
        return {name: _replaced(one, marks) for name, one in value.items()}
    if isinstance(value, str):
        for plain, shown in marks:
            if value.startswith(plain):
                return shown + value[len(plain) :]
    return value
