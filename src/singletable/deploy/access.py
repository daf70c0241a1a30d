"""What a store needs to be allowed: which actions, on the table or which index, at which keys.

Reads are those of its traced access patterns. Writes are those by which a store writes any entity,
with what it keeps true elsewhere in the table: guards of unique values, counts, numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.model.keys import KeyAttribute, Keys, TemplateKey
from singletable.model.large import InObjects
from singletable.model.reads import BatchGet, Query
from singletable.model.schema import Schema
from singletable.store.store import Store
from singletable.store.tracing import Trace, trace
from singletable.store.writing.effects import rules_of

from .leading import ANYTHING, Field, Piece, Pieces

WRITES = (
    "BatchWriteItem",
    "ConditionCheckItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "UpdateItem",
)
"""The actions that a policy has to allow for writes."""
SENT = frozenset({"DeleteItem", "GetItem", "PutItem", "TransactWriteItems", "UpdateItem"})
"""The operations by which any store writes; a policy names what is in a transaction instead."""
PARTS = ("BatchGetItem", "BatchWriteItem")
"""What the parts of large fields are read and written by."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an access pattern, whose value fills a field."""

    name: str


@dataclass(frozen=True, slots=True)
class Holder:
    """A field of another entity, whose value fills a field."""

    name: str


Source = Piece | Parameter | Holder


@dataclass(frozen=True, slots=True)
class Need:
    """What has to be allowed for a reason: actions on the items of a partition key.

    ``sources`` tells what fills the fields of the key, as far as that is known.
    """

    reason: str
    actions: tuple[str, ...]
    index: str | None
    keys: tuple[KeyAttribute, ...]
    sources: Mapping[str, Source]
    suffix: Pieces = ()
    """What follows the key where there is no sort key to tell items apart."""
    entity: str | None = None
    """The entity that is written."""
    is_kept: bool = False
    """Whether it is a promise of the store, beside the item that is written."""

    @property
    def whole(self) -> str:
        """Name what is of no use if only a part of it is allowed: a pattern, or an entity."""
        return self.entity or self.reason

    def filled_by(self, field: str) -> Field:
        """Name the field that fills a field of the key: itself, or that of another entity."""
        source = self.sources.get(field)
        return Field(source.name if isinstance(source, Holder) else field)


def reads_of(store: type[Store], patterns: Iterable[str] | None = None) -> Iterator[Need]:
    """Give what the access patterns of a store need, each of its entities apart."""
    for each in _traced(store, patterns):
        yield from _of_pattern(each)


def faults_of(store: type[Store], patterns: Iterable[str] | None = None) -> Iterator[str]:
    """Say which access patterns cannot be run, and so need nothing."""
    for each in _traced(store, patterns):
        if each.fault is not None:
            yield f"The pattern {each.pattern.name}: left out, since it cannot run: {each.fault}"


def _traced(store: type[Store], patterns: Iterable[str] | None) -> list[Trace]:
    wanted = store.patterns if patterns is None else set(patterns)
    return [each for each in trace(store) if each.pattern.name in wanted]


def _of_pattern(traced: Trace) -> Iterator[Need]:
    reason = f"the pattern {traced.pattern.name}"
    for action, keys, sources in _asked(traced):
        yield Need(reason, (action,), keys.index.name, keys.pk, sources)
    for schema in traced.entities:
        if _in_parts(schema):
            yield Need(reason, PARTS[:1], None, schema.keys.pk, {}, _suffix(schema, "PART#"))


def _asked(traced: Trace) -> Iterator[tuple[str, Keys, Mapping[str, Source]]]:
    """Give each action of a pattern, with the keys that it asks by and what fills their fields."""
    if isinstance(traced.read, BatchGet):
        # Items that are read as of one moment need to be allowed as if they were read alone.
        action = "GetItem" if traced.read.at_once else "BatchGetItem"
        for get in traced.read.gets:
            keys = get.key.schema.keys
            yield action, keys, _sources(traced, keys, get.key.fields)
        return
    fetched = traced.read.fetches if isinstance(traced.read, Query) else None
    for _, keys in traced.reads[:-1] if fetched else traced.reads:
        yield traced.kind, keys, _sources(traced, keys, traced.known)
    if fetched:
        schema, pairs = fetched
        yield "BatchGetItem", schema.keys, {theirs: Holder(ours) for theirs, ours in pairs}


def _sources(traced: Trace, keys: Keys, known: Mapping[str, Any]) -> dict[str, Source]:
    """Tell where the values of a key's fields come from."""
    sources: dict[str, Source] = {}
    for part in keys.pk:
        for field in part.fields:
            if field in known:
                parameter = traced.source(known[field])
                constant = _constant(part, field, known[field])
                sources[field] = Parameter(parameter) if parameter else constant
    return sources


def _constant(part: KeyAttribute, field: str, value: Any) -> Piece:
    """Write a value that the pattern itself brings; one of several may be anything."""
    if not isinstance(part, TemplateKey):
        return value if isinstance(value, str) else ANYTHING
    slot = next(one for one in part.template.slots if one.field == field)
    is_one = isinstance(value, str) and not (slot.scatters or slot.is_bucket)
    return slot.write(value) if is_one else ANYTHING


def writes_of(store: type[Store], entities: Iterable[str] | None = None) -> Iterator[Need]:
    """Give what the writes of entities need, and what else changes with them."""
    for schema in store.table.entities.values():
        if entities is None or schema.name in entities:
            yield from _of_entity(schema)


def _of_entity(schema: Schema) -> Iterator[Need]:
    reason = f"writes of {schema.name}"
    yield Need(reason, WRITES, None, schema.keys.pk, {}, entity=schema.name)
    if _in_parts(schema):
        suffix = _suffix(schema, "PART#")
        yield Need(reason, PARTS, None, schema.keys.pk, {}, suffix, schema.name)
    yield from _kept(schema)


def _kept(schema: Schema) -> Iterator[Need]:
    """Give what a store keeps true when it writes an entity."""
    rules, pk = rules_of(schema), schema.table.pk
    for unique in rules.unique:
        place = TemplateKey(pk, unique.within or unique.mark)
        suffix = _suffix(schema, f"UNIQUE#{schema.declarer(unique.field)}#{unique.field}#")
        reason = f"the unique value {schema.name}.{unique.field}"
        yield Need(reason, WRITES, None, (place,), {}, suffix, schema.name, is_kept=True)
    for count in rules.counts:
        fields: dict[str, Source] = {mine: Holder(own) for mine, own in count.pairs}
        reason = f"the count {count.parent.name}.{count.field} of {schema.name}"
        keys = count.parent.keys.pk
        yield Need(reason, WRITES, None, keys, fields, (), schema.name, is_kept=True)
    for name, sequence in schema.sequences.items():
        within = TemplateKey(pk, schema.template(sequence.within, f"{name}.within"))
        suffix = _suffix(schema, f"SEQUENCE#{schema.name}#{name}")
        reason = f"the numbers {schema.name}.{name}"
        yield Need(reason, WRITES, None, (within,), {}, suffix, schema.name, is_kept=True)


def _suffix(schema: Schema, mark: str) -> Pieces:
    """Give what follows a partition key in which other things have to be told apart."""
    delimiter = schema.table.delimiter
    return () if schema.table.sk else (delimiter + mark.replace("#", delimiter), ANYTHING)


def _in_parts(schema: Schema) -> bool:
    return any(not isinstance(field.place, InObjects) for field in schema.large.values())


def operations_of(store: type[Store]) -> tuple[str, ...]:
    """Name the operations that a store sends, as metrics name them."""
    sent = {action for need in reads_of(store) for action in need.actions}
    sent |= {each.kind for each in trace(store)} | SENT
    if any(map(_in_parts, store.table.entities.values())):
        sent.add("BatchWriteItem")
    return tuple(sorted(sent))
