"""Access patterns traced: called with samples, without a connection, to see what they ask for.

One trace feeds whatever judges or describes a design. Nothing is sent: a pattern's body returns a
description, and the plan of a description needs no data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from singletable.model.keys import Keys
from singletable.model.patterns import Pattern
from singletable.model.reads import BatchGet, Collection, Get, Paged, Query, Scan
from singletable.model.running import Read
from singletable.model.schema import Schema

from .samples import sample_arguments
from .showing import Recorder
from .store import Store


@dataclass(frozen=True)
class Trace:
    """Is what one access pattern comes to: the description and its requests, or why there is none.

    ``arguments`` are the samples that the pattern was called with.
    """

    pattern: Pattern
    arguments: Mapping[str, Any]
    read: Read[Any] | None = None
    requests: tuple[dict[str, Any], ...] = ()
    fault: Exception | None = field(default=None, compare=False)

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
        names = (name for name, given in self.arguments.items() if given is value or given == value)
        return next(names, None)


def trace(store: type[Store]) -> list[Trace]:
    """Trace every access pattern of a store."""
    recorder = store(Recorder())
    return [_traced(recorder, pattern) for pattern in store.patterns.values()]


def _traced(store: Store, pattern: Pattern) -> Trace:
    arguments: dict[str, Any] = {}
    read: Read[Any] | None = None
    try:
        arguments = sample_arguments(pattern.method)
        read = getattr(store, pattern.name)(**arguments)
        return Trace(pattern, arguments, read, tuple(read.requests()))
    except Exception as fault:  # noqa: BLE001 - whatever the body of a pattern raises is its fault
        return Trace(pattern, arguments, read, fault=fault)


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
