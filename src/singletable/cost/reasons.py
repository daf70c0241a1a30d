"""Why a pattern reads the index it reads: what fills its key, and what the alternatives lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from singletable.errors import KeyValueError, SingletableError, UsageError
from singletable.model.keys import FieldKey, KeyAttribute, Keys, TemplateKey
from singletable.model.reads import BatchGet, Between, Collection, Get, Query, Scan
from singletable.model.schema import COPY, Schema
from singletable.store.reading.key_conditions import partitions, sort_tests
from singletable.store.tracing import Trace

from .ranges import range_of

LISTED_MAX = 5
"""How many entities are listed one by one."""


def reasons(trace: Trace) -> Iterator[str]:
    """Say why the pattern reads where it reads, and why not elsewhere."""
    if isinstance(trace.read, Scan):
        where = place(trace.reads[0][0], trace.reads[0][1])
        yield f"The pattern asks for a scan: every item of {where} is read."
        return
    schema, keys = trace.reads[0]
    if isinstance(trace.read, Query):
        schema, keys = trace.read.schema, trace.read.keys
    if isinstance(trace.read, Get | BatchGet):
        names = ", ".join(schema.key_fields)
        yield f"{names} {_verb(schema.key_fields, 'make')} the whole primary key of {schema.name}."
        return
    yield from _chosen(trace, schema, keys)
    if len({one.name for one, _ in trace.reads}) == 1:
        yield from _alternatives(trace, schema, keys)


def place(schema: Schema, keys: Keys) -> str:
    """Name the table or the index, with the name by which the entity declares it."""
    if keys.index.name is None:
        return "the table"
    label = next((name for name, one in schema.indexes.items() if one is keys), None)
    return f"{keys.index.name} ({schema.name}.{label})" if label else keys.index.name


def template_of(parts: tuple[KeyAttribute, ...]) -> str:
    """Write a key as it is declared."""
    texts = [
        part.template.text if isinstance(part, TemplateKey) else f"[{part.field}]" for part in parts
    ]
    return " ".join(texts)


def told(trace: Trace, known: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    """Name fields with where their values come from."""
    return ", ".join(_told(trace, name, known[name]) for name in fields if name in known)


def _told(trace: Trace, name: str, value: Any) -> str:
    if isinstance(value, Between):
        ends = [trace.source(end) or repr(end) for end in (value.low, value.high)]
        return f"{name} from {ends[0]} to {ends[1]}"
    source = trace.source(value)
    if source is None:
        return f"{name}={value!r}"
    return name if source == name else f"{name} (from {source})"


def _chosen(trace: Trace, schema: Schema, keys: Keys) -> Iterator[str]:
    pk_fields = tuple(dict.fromkeys(name for part in keys.pk for name in part.fields))
    names = told(trace, trace.known, pk_fields)
    where = place(schema, keys)
    filled = (
        f"{names} {_verb(names.split(', '), 'fill')}" if names else "nothing has to be known for"
    )
    where = f"{where[:1].upper()}{where[1:]}"
    yield f"{where}: {filled} its partition key {template_of(keys.pk)!r}{_scattered(keys)}."
    if keys.sk:
        is_collected = isinstance(trace.read, Collection) and len(trace.reads) > 1
        yield _spanned(trace) if is_collected else _sorted(trace, keys)
    if keys.when:
        conditions = " and ".join(f"{name} is {_any_of(allowed)}" for name, allowed in keys.when)
        yield f"It holds only items whose {conditions}."


def _any_of(allowed: tuple[Any, ...]) -> str:
    return " or ".join(map(repr, allowed))


def _scattered(keys: Keys) -> str:
    slots = [
        slot for part in keys.pk if isinstance(part, TemplateKey) for slot in part.template.slots
    ]
    shards = [len(slot.shards) for slot in slots if slot.scatters]
    buckets = [slot.field for slot in slots if slot.is_bucket]
    said = [f"{shards[0]} shards"] if shards else []
    said += [f"a bucket for each period of {buckets[0]}"] if buckets else []
    return f" ({', '.join(said)})" if said else ""


def _spanned(trace: Trace) -> str:
    """Say whose sort keys the range of a collection has to hold."""
    if len(trace.reads) > LISTED_MAX:
        return f"One range holds the sort keys of all {len(trace.reads)} entities."
    listed = [f"{template_of(keys.sk)!r} of {schema.name}" for schema, keys in trace.reads]
    return f"One range holds the sort keys {', '.join(listed[:-1])} and {listed[-1]}."


def _sorted(trace: Trace, keys: Keys) -> str:
    sort_fields = tuple(dict.fromkeys(name for part in keys.sk for name in part.fields))
    known = {name for name, one in trace.known.items() if not isinstance(one, Between)}
    given = [name for name in sort_fields if name in known]
    rest = [name for name in sort_fields if name not in known]
    comparison = trace.read.comparison if isinstance(trace.read, Query) else None
    said = f"The sort key is {template_of(keys.sk)!r}"
    if given:
        said += f", of which {told(trace, trace.known, tuple(given))} {_verb(given, 'is')} known"
    if rest and (comparison or rest[0] in trace.known):
        said += f"; {comparison[0] if comparison else 'between'}() bounds {rest[0]}"
    backwards = isinstance(trace.read, Query) and not trace.read.forward
    if rest:
        said += f"; items come by {', '.join(rest)}{', the last first' if backwards else ''}"
    return f"{said}."


def _alternatives(trace: Trace, schema: Schema, chosen: Keys) -> Iterator[str]:
    for keys in schema.all_keys:
        if keys is not chosen and keys.pk and keys.index != chosen.index:
            yield f"Not {place(schema, keys)}: {against(trace, keys)}."


def against(trace: Trace, keys: Keys) -> str:
    """Say what speaks against reading by other keys."""
    lacking = missing(keys, trace.known)
    if lacking:
        return (
            f"its partition key {template_of(keys.pk)!r} needs {', '.join(lacking)}, which the "
            "pattern does not know"
        )
    comparison = trace.read.comparison if isinstance(trace.read, Query) else None
    fault = refusal(keys, trace.known, comparison)
    order = [name for part in keys.sk for name in part.fields if name not in trace.known]
    if fault is None and keys.index.projection != "ALL":
        return "it holds only a part of each item"
    if fault is None:
        by = f", by {', '.join(order)}" if order else ""
        return f"it would do as well, but gives the items in another order{by}{_crowd(trace, keys)}"
    unused = [name for name in trace.known if name not in keys.fields]
    if unused:
        return f"its key does not hold {', '.join(unused)}"
    if comparison and order and isinstance(fault, KeyValueError):
        return f"its sort key goes on with {order[0]}, which is not what {comparison[0]}() compares"
    return str(fault).rstrip(".")


def _crowd(trace: Trace, keys: Keys) -> str:
    """Name the entities whose items would be read along."""
    if not isinstance(trace.read, Query):
        return ""
    others = range_of(replace(trace, read=trace.read.but(keys=keys), requests=())).others
    names = ", ".join(schema.name for schema in others)
    return f", and among them {names}, which would be read and paid for" if names else ""


def missing(keys: Keys, known: Mapping[str, Any]) -> list[str]:
    """Name the fields of a partition key that are not known and have to be."""
    needed: list[str] = []
    for part in keys.pk:
        if isinstance(part, FieldKey):
            needed.append(part.field)
        else:
            needed += [slot.field for slot in part.template.slots if not slot.scatters]
    return [name for name in dict.fromkeys(needed) if name not in known and name != COPY]


def refusal(keys: Keys, known: Mapping[str, Any], comparison: Any) -> SingletableError | None:
    """Say why keys cannot serve a query; None if they can."""
    try:
        partitions(keys, known)
        sort_tests(keys, known, comparison)
    except UsageError as fault:
        return fault
    return None


def _verb(subjects: Any, verb: str) -> str:
    if verb == "is":
        return "is" if len(subjects) == 1 else "are"
    return f"{verb}s" if len(subjects) == 1 else verb
