"""How far a read reaches: the texts of partition and sort keys that its requests can touch.

An argument stands for all values of its field, a constant for itself. So what is found here holds
for some call of the pattern, whatever it was traced with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from singletable.model.keys import FieldKey, KeyAttribute, Keys, TemplateKey
from singletable.model.reads import Between, Collection, Query
from singletable.model.schema import Schema
from singletable.model.table import TableIndex
from singletable.model.templates import Template
from singletable.model.templates.slots import Slot
from singletable.model.templates.spans import Span
from singletable.store.tracing import Trace

from .languages import (
    ALL,
    Each,
    Language,
    OneOf,
    Piece,
    Rest,
    Some,
    interval,
    language,
    piece_of,
    slot_piece,
)

ANYTHING = language([Rest()])
_LAST = ALL[0][1]


@dataclass(frozen=True, slots=True)
class Reach:
    """The keys that a read can touch, in one index or the table."""

    index: TableIndex
    parts: tuple[Language, ...]
    """A language for each key attribute, partition first."""

    def touches(self, keys: Keys) -> str | None:
        """Give the key of an item with such keys that is read; None if no such item is."""
        return meet(self.parts, whole(keys))


def reach_of(trace: Trace) -> Reach | None:
    """Give how far a pattern reaches; None for one that reads single items, or everything."""
    read = trace.read
    if isinstance(read, Query):
        partition = [_known(part, read.known, trace) for part in read.keys.pk]
        return Reach(read.keys.index, (*partition, *_sorted(read, trace)))
    if isinstance(read, Collection):
        return _collected(read, trace)
    return None


def meet(some: tuple[Language, ...], others: tuple[Language, ...]) -> str | None:
    """Give a key that is in both, attribute by attribute; None if there is none."""
    texts = []
    for one, other in zip(some, others, strict=False):  # a base may lack a sort key
        text = one.meets(other)
        if text is None:
            return None
        texts.append(text)
    return " / ".join(text for text in texts if text)


def whole(keys: Keys) -> tuple[Language, ...]:
    """Give all texts of each key attribute."""
    return tuple(map(_whole, keys.parts))


def _whole(part: KeyAttribute) -> Language:
    if isinstance(part, TemplateKey):
        return template_language(part.template)
    return language([slot_piece(part.format, ())]) if part.format else ANYTHING


@lru_cache(maxsize=4096)
def template_language(template: Template) -> Language:
    """Give all texts that a template can write."""
    return language(part if isinstance(part, str) else piece_of(part) for part in template.parts)


def _known(part: KeyAttribute, known: Mapping[str, Any], trace: Trace) -> Language:
    if isinstance(part, TemplateKey):
        return language(_pieces(part.template.parts, known, trace))
    value = known.get(part.field)
    if part.format and is_constant(value, trace):
        return language([part.format.render(value)])
    return _whole(part)


def _pieces(
    parts: tuple[str | Slot, ...], known: Mapping[str, Any], trace: Trace
) -> Iterator[Piece]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif is_constant(known.get(part.field), trace):
            yield part.write(known[part.field])
        else:
            yield piece_of(part)


def is_constant(value: Any, trace: Trace) -> bool:
    """Tell whether a value that a pattern knows is its own, and no argument or part of one."""
    if isinstance(value, Between | None) or trace.source(value) is not None:
        return False
    several = (one for one in trace.arguments.values() if isinstance(one, list | tuple | set))
    return not any(value in one for one in several)


def _sorted(read: Query[Any], trace: Trace) -> Iterator[Language]:
    for part in read.keys.sk:
        if isinstance(part, TemplateKey):
            yield _begun(part, read, trace)
        else:
            yield _known(part, read.known, trace)


def _begun(part: TemplateKey, read: Query[Any], trace: Trace) -> Language:
    start = part.template.start(
        {name: value for name, value in read.known.items() if not isinstance(value, Between)}
    )
    if start.slot is None:
        return _known(part, read.known, trace)
    parts = part.template.parts
    known = parts[: len(parts) - len(start.rest) - 1]
    compared = read.comparison
    if isinstance(read.known.get(start.slot.field), Between):
        compared = ("between", ())
    return language([*_pieces(known, read.known, trace), *_compared(start.slot, compared, trace)])


def _compared(slot: Slot, compared: Any, trace: Trace) -> Iterator[Piece]:
    """Give what may follow the known beginning of a sort key."""
    match compared:
        case None:
            pass
        case ("begins_with", (prefix,)) if is_constant(prefix, trace):
            yield slot.opening(prefix)
        case (operator, _):
            yield Each((_first_chars(slot, operator),))
    yield Rest()


def _first_chars(slot: Slot, operator: str) -> tuple[tuple[int, int], ...]:
    """Give the characters with which a text in a range over a slot can begin."""
    piece = piece_of(slot)
    match piece:
        case Some(chars):
            first = chars
        case Each(several):
            first = several[0]
        case OneOf(texts):
            first = tuple((ord(text[0]), ord(text[0])) for text in texts)
        case _:
            return ALL
    if operator == "begins_with":
        return first
    low, high = min(a for a, _ in first), max(b for _, b in first)
    falls, rises = {"lt", "le"}, {"gt", "ge"}
    if slot.format.descends:
        falls, rises = rises, falls
    return ((0 if operator in falls else low, _LAST if operator in rises else high),)


def _collected(read: Collection[Any], trace: Trace) -> Reach | None:
    keys = [read.view.keys(schema) for schema in _items(read)]
    if not keys or not keys[0].pk:
        return None
    partition = [_known(part, read.known, trace) for part in keys[0].pk]
    spans = [span for one in keys if (span := _span(one, read.known))]
    if len(spans) < len(keys):
        return Reach(keys[0].index, (*partition, *(ANYTHING for _ in keys[0].sk)))
    cover = Span.cover(spans)
    if cover.prefix is not None:
        sort = language([cover.prefix, Rest()])
    else:
        sort = interval(cover.low, cover.high)
    return Reach(keys[0].index, (*partition, sort))


def _items(read: Collection[Any]) -> Iterator[Schema]:
    for schema in read.view.entities:
        yield from [schema] if schema.is_whole else schema.family.values()


def _span(keys: Keys, known: Mapping[str, Any]) -> Span | None:
    if len(keys.sk) != 1 or isinstance(keys.sk[0], FieldKey):
        return None
    return keys.sk[0].template.start(known).span()
