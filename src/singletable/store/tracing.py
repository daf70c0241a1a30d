"""Access patterns traced: called with samples, without a connection, to see what they ask for.

One trace feeds whatever judges or describes a design. Nothing is sent: a pattern's body returns a
description, and the plan of a description needs no data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from singletable.errors import KeyValueError, UsageError
from singletable.model.keys import Keys
from singletable.model.paging import Paged
from singletable.model.patterns import Pattern
from singletable.model.reads import BatchGet, Collection, Get, Query, Scan
from singletable.model.running import Read
from singletable.model.schema import Schema

from .samples import choices, sample_arguments
from .showing import Recorder
from .store import Store


@dataclass(frozen=True)
class Trace:
    """What one access pattern comes to: the description and its requests, or why there is none.

    ``arguments`` are the samples that the pattern was called with.
    """

    pattern: Pattern
    arguments: Mapping[str, Any]
    read: Read[Any] | None = None
    requests: tuple[dict[str, Any], ...] = ()
    fault: Exception | None = field(default=None, compare=False)
    refused: KeyValueError | None = field(default=None, compare=False)
    """Why its keys refuse some of the arguments that its parameters allow; these they take."""

    @property
    def kind(self) -> str:
        """Name the kind of read, as DynamoDB names the operation."""
        if isinstance(self.read, BatchGet) and self.read.at_once:
            return "TransactGetItems"
        names = {Get: "GetItem", BatchGet: "BatchGetItem", Scan: "Scan"}
        return names.get(type(self.read), "Query")

    @property
    def fetches(self) -> Schema | None:
        """Give the entity whose items a BatchGetItem reads for each page, of which data decides.

        That request is not among ``requests``.
        """
        fetches = self.read.fetches if isinstance(self.read, Query) else None
        return fetches[0] if fetches is not None else None

    @cached_property
    def entities(self) -> tuple[Schema, ...]:
        """Give the entities that the pattern reads, each once."""
        return tuple(dict.fromkeys(schema for schema, _ in self.reads))

    @cached_property
    def reads(self) -> tuple[tuple[Schema, Keys], ...]:
        """Give the entities that the pattern asks for, each with the keys it is asked by."""
        return tuple(_reads(self.read))

    @property
    def index(self) -> str | None:
        """Name the index that is read; None for the table itself."""
        return self.reads[0][1].index.name if self.reads else None

    @property
    def page_max(self) -> int | None:
        """Tell how many items a page has at most; where its caller does, what the pattern says."""
        read = self.read
        if isinstance(read, Collection):
            return read.page_size
        if isinstance(read, Paged) and self.source(read.page_max) is None:
            return read.page_max
        return self.pattern.page

    @cached_property
    def known(self) -> Mapping[str, Any]:
        """Give the fields that the pattern knows, each with the sample or constant it has."""
        if isinstance(self.read, Get):
            return self.read.key.fields
        if isinstance(self.read, BatchGet):
            return {name: value for get in self.read.gets for name, value in get.key.fields.items()}
        return getattr(self.read, "known", {})

    def source(self, value: Any) -> str | None:
        """Name the parameter that a value comes from; None if the pattern itself brings it."""
        names = (name for name, given in self.arguments.items() if _is_same(given, value))
        return next(names, None)


def trace(store: type[Store]) -> list[Trace]:
    """Trace every access pattern of a store."""
    recorder = store(Recorder())
    return [_traced(recorder, pattern) for pattern in store.patterns.values()]


def _is_same(given: Any, value: Any) -> bool:
    if isinstance(given, list | tuple | set | frozenset) and not isinstance(value, type(given)):
        return any(_is_same(one, value) for one in given)
    # True is 1 to Python, and no limit of one item.
    return given is value or (given == value and isinstance(given, bool) == isinstance(value, bool))


def _traced(store: Store, pattern: Pattern) -> Trace:
    try:
        arguments = sample_arguments(pattern.method)
    except Exception as fault:  # noqa: BLE001 - a hint may raise anything when it is resolved
        return Trace(pattern, {}, fault=fault)
    made = _called(store, pattern, arguments)
    if not isinstance(made.fault, KeyValueError):
        return made
    again = _called(store, pattern, _legal(made))
    return made if again.fault else replace(again, refused=made.fault)


def _legal(trace: Trace) -> dict[str, Any]:
    """Give the arguments of a trace with texts that its keys take, where their fields list them."""
    legal: dict[str, str] = {}
    for schema, _ in trace.reads:
        for name, value in trace.known.items():
            texts = choices(schema.fields[name].annotation) if name in schema.fields else ()
            if texts and isinstance(value, str):
                legal[value] = texts[0]
    return {name: _put(given, legal) for name, given in trace.arguments.items()}


def _put(given: Any, legal: Mapping[str, str]) -> Any:
    if isinstance(given, list | tuple | set | frozenset):
        return type(given)(_put(one, legal) for one in given)
    return legal.get(given, given) if isinstance(given, str) else given


def _called(store: Store, pattern: Pattern, arguments: dict[str, Any]) -> Trace:
    read: Read[Any] | None = None
    try:
        read = getattr(store, pattern.name)(**arguments)
        requests = tuple(read.requests())
        _check_filter(read)
        return Trace(pattern, arguments, read, requests)
    except Exception as fault:  # noqa: BLE001 - whatever the body of a pattern raises is its fault
        return Trace(pattern, arguments, read, fault=fault)


def _check_filter(read: Any) -> None:
    """Refuse what DynamoDB does, though it can be planned."""
    fields = filtered_keys(read)
    if fields:
        where = read.keys.index.name or "the table"
        raise UsageError(
            f"{read!r}: a filter takes no key of what is queried, and {' and '.join(fields)} "
            f"{'is one' if len(fields) == 1 else 'are keys'} of {where}"
        )


def filtered_keys(read: Any) -> list[str]:
    """Name the fields by which a query filters and which are keys of what it reads."""
    if not isinstance(read, Query) or read.condition is None:
        return []
    keys, attributes = read.keys.index.attributes, read.schema.attributes
    return sorted(name for name in read.condition.fields if attributes.get(name) in keys)


def _reads(read: Any) -> Iterator[tuple[Schema, Keys]]:
    if isinstance(read, Collection):
        yield from ((schema, read.view.keys(schema)) for schema in read.view.entities)
    elif isinstance(read, Paged):
        for schema in read.schema.family.values():
            yield schema, _keys_like(schema, read.keys)
        if isinstance(read, Query) and read.fetches is not None:
            yield read.fetches[0], read.fetches[0].keys
    elif isinstance(read, Get):
        yield read.key.schema, read.key.schema.keys
    elif isinstance(read, BatchGet):
        yield from ((get.key.schema, get.key.schema.keys) for get in read.gets)


def _keys_like(schema: Schema, keys: Keys) -> Keys:
    """Give the keys of a derived entity in the index that its base is asked by."""
    return next((one for one in schema.all_keys if one.index == keys.index), keys)
