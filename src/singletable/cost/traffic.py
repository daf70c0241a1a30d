"""The traffic of a design: how often its patterns run, how many items there are, and how large.

What the design says (``rate_per_s``, ``page``) holds until a TOML file says otherwise. Names that
the design does not know are refused: a misspelt pattern would be free of charge.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Any, Self, TypeVar

from singletable.errors import UsageError
from singletable.store.store import Store


@dataclass(frozen=True, slots=True)
class PatternTraffic:
    """How an access pattern is used; None where nothing is said."""

    rate_per_s: float | None = None
    items: float | Mapping[str, float] | None = None
    """How many items a call reads: in all, or of each entity."""


@dataclass(frozen=True, slots=True)
class EntityTraffic:
    """How the items of an entity are written, how many there are, how large they are."""

    writes_per_s: float | None = None
    """Puts and plain updates, of which the dearer is counted."""
    creates_per_s: float | None = None
    updates_per_s: float | Mapping[str, float] | None = None
    """Plain updates, which touch no key; or updates of each field."""
    deletes_per_s: float | None = None
    items: float | None = None
    bytes: float | None = None
    content_bytes: float | Mapping[str, float] | None = None
    """How long the content of its large fields is: of all, or of each."""
    loads_per_s: float | None = None
    """How often the contents of an item are loaded."""

    def contents(self, names: Iterable[str]) -> dict[str, float]:
        """Give how long the content of each large field is, as far as it is told."""
        told = self.content_bytes
        if told is None or isinstance(told, Mapping):
            return dict(told or {})
        return dict.fromkeys(names, told)


@dataclass(frozen=True, slots=True)
class StreamTraffic:
    """How the table's stream is read; what a Lambda trigger reads is free, and not counted."""

    readers: float = 0.0
    polls_per_s: float = 1.0
    """How often a reader asks each shard for records."""
    shards: float = 4.0
    """As many as the table has partitions: a new one that is paid by the request has 4."""

    @property
    def reads_per_s(self) -> float:
        """Give the GetRecords requests of a second."""
        return self.readers * self.polls_per_s * self.shards


SEVERAL = {"content_bytes", "items", "updates_per_s"}
"""What may be told as a whole, or by name."""
T = TypeVar("T", PatternTraffic, EntityTraffic, StreamTraffic)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What is known of a design's traffic beside what the design itself says."""

    patterns: Mapping[str, PatternTraffic] = field(default_factory=dict)
    entities: Mapping[str, EntityTraffic] = field(default_factory=dict)
    stream: StreamTraffic = field(default_factory=StreamTraffic)
    retries: float = 0.0
    """Which share of the requests is sent, and paid for, once more."""
    source: str | None = None

    @classmethod
    def none(cls) -> Self:
        """Give the traffic of which nothing is known."""
        return cls()

    @classmethod
    def load(cls, path: str | Path, store: type[Store] | None = None) -> Self:
        """Read a TOML file; with a store, refuse names that it does not know."""
        try:
            content = tomllib.loads(Path(path).read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
            raise UsageError(
                f"The traffic file {path} cannot be read: {getattr(fault, 'strerror', fault)}"
            ) from None
        loaded = cls.of(content, str(path))
        if store is not None:
            loaded.check(store)
        return loaded

    @classmethod
    def of(cls, content: Mapping[str, Any], source: str = "the traffic") -> Self:
        """Take the traffic from the content of a file."""
        _known(content, ("patterns", "entities", "stream", "retries"), source)
        retries = content.get("retries", 0.0)
        _check_number(retries, f"{source}: retries")
        return cls(
            _section(PatternTraffic, content.get("patterns", {}), f"{source}: patterns"),
            _section(EntityTraffic, content.get("entities", {}), f"{source}: entities"),
            _entry(StreamTraffic, content.get("stream", {}), f"{source}: stream"),
            retries,
            source,
        )

    def check(self, store: type[Store]) -> None:
        """Refuse names of patterns and entities, and a stream, that a design does not have."""
        source = self.source or "the traffic"
        if self.stream.readers and store.table.stream is None:
            raise UsageError(f"{source}: stream: the table {store.table.name} has no stream")
        names = [schema.name for schema in store.table.entities.values()]
        _known(self.patterns, store.patterns, f"{source}: patterns of {store.__name__}")
        _known(self.entities, names, f"{source}: entities of {store.__name__}")
        for name, one in self.patterns.items():
            if isinstance(one.items, Mapping):
                _known(one.items, names, f"{source}: patterns.{name}.items")
        for schema in store.table.entities.values():
            updates = self.entity(schema.name).updates_per_s
            if isinstance(updates, Mapping):
                where = f"{source}: entities.{schema.name}.updates_per_s"
                _known(updates, schema.fields, where)
            where = f"{source}: entities.{schema.name}.content_bytes"
            _known(self.entity(schema.name).contents(()), schema.large, where)

    def within(self, store: type[Store]) -> Self:
        """Give what of this holds for another design: the names that it has too."""
        names = {schema.name for schema in store.table.entities.values()}
        return type(self)(
            {name: one for name, one in self.patterns.items() if name in store.patterns},
            {name: one for name, one in self.entities.items() if name in names},
            self.stream if store.table.stream else StreamTraffic(),
            self.retries,
            self.source,
        )

    def pattern(self, name: str) -> PatternTraffic:
        """Give what is said of a pattern."""
        return self.patterns.get(name, PatternTraffic())

    def entity(self, name: str) -> EntityTraffic:
        """Give what is said of an entity."""
        return self.entities.get(name, EntityTraffic())


def _section(kind: type[T], entries: Any, where: str) -> dict[str, T]:
    if not isinstance(entries, Mapping):
        raise UsageError(f"{where} is a table of names, not {entries!r}")
    return {name: _entry(kind, entry, f"{where}.{name}") for name, entry in entries.items()}


def _entry(kind: type[T], entry: Any, where: str) -> T:
    if not isinstance(entry, Mapping):
        raise UsageError(f"{where} is a table of numbers, not {entry!r}")
    _known(entry, [one.name for one in fields(kind)], where)
    for name, value in entry.items():
        several = name in SEVERAL and isinstance(value, Mapping)
        for number in value.values() if several else [value]:
            _check_number(number, f"{where}.{name}")
    return kind(**entry)


def _check_number(number: Any, where: str) -> None:
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < inf:
        raise UsageError(f"{where} is a number from 0 on, not {number!r}")


def _known(given: Iterable[str], known: Iterable[str], where: str) -> None:
    known = list(known)
    for name in given:
        if name not in known:
            raise UsageError(f"{where}: there is no {name!r}, only {', '.join(known) or 'nothing'}")
