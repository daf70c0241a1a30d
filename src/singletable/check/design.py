"""What rules look at: a store, its table and entities, and every access pattern traced once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from singletable.cost.fillers import is_id
from singletable.cost.traffic import Traffic
from singletable.model.keys import Keys, TemplateKey
from singletable.model.schema import Schema
from singletable.model.table import Table, TableIndex
from singletable.model.templates import Template
from singletable.store.store import Store
from singletable.store.tracing import Trace, trace

from .mentions import mentioned


@dataclass(frozen=True, slots=True)
class UniqueColumns:
    """What the source of the data promises: no two rows of a table are alike in these."""

    table: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table} ({', '.join(self.columns)})"


class Design:
    """A store's design, with what is known of its traffic, and of the source of its data."""

    def __init__(
        self,
        store: type[Store],
        traffic: Traffic | None = None,
        uniques: Iterable[UniqueColumns] = (),
    ) -> None:
        self.store = store
        self.table: Table = store.table
        self.traffic = traffic or Traffic.none()
        self.uniques = tuple(uniques)
        self.traces: list[Trace] = trace(store)

    @cached_property
    def schemas(self) -> tuple[Schema, ...]:
        """Give the entities of which there are items."""
        return tuple(self.table.entities.values())

    @cached_property
    def planned(self) -> tuple[Trace, ...]:
        """Give the traces of the patterns that can be run."""
        return tuple(one for one in self.traces if one.fault is None and one.read is not None)

    @cached_property
    def placements(self) -> tuple[tuple[Schema, str, Keys], ...]:
        """Give every entity in every index it is in, each with the name of the declaration."""
        return tuple(
            (schema, label, keys)
            for schema in self.schemas
            for label, keys in schema.indexes.items()
        )

    @cached_property
    def _readers(self) -> Mapping[tuple[str, str | None], list[Trace]]:
        found: dict[tuple[str, str | None], list[Trace]] = {}
        for one in self.traces:
            for schema, keys in reads_of(one):
                found.setdefault((schema.name, keys.index.name), []).append(one)
        return found

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Name what is mentioned by patterns that could not be traced."""
        return mentioned(self.traces)

    def readers(self, schema: Schema, keys: Keys) -> list[Trace]:
        """Give the patterns that read an entity in one index, or in the table."""
        return self._readers.get((schema.name, keys.index.name), [])

    def all_readers(self, schema: Schema) -> list[Trace]:
        """Give the patterns that read an entity in any way."""
        return [one for keys in schema.all_keys for one in self.readers(schema, keys)]

    def looked_at(self, schema: Schema) -> frozenset[str]:
        """Name the fields of an entity that a key is made from, or that a pattern filters by."""
        conditions = (getattr(one.read, "condition", None) for one in self.all_readers(schema))
        filtered = (condition.fields for condition in conditions if condition is not None)
        return frozenset().union(*(keys.fields for keys in schema.all_keys), *filtered)

    def keys_in(self, index: str | None) -> Iterator[tuple[Schema, Keys]]:
        """Give the entities that are in an index, or in the table, each with its keys there."""
        yield from self._by_index.get(index, ())

    def strays(self, index: TableIndex) -> Iterator[Schema]:
        """Give the entities that are in an index without having been put there.

        Whatever has the attributes is in it, where they are fields and not keys made for it.
        """
        declared = [schema for schema, _ in self.keys_in(index.name)]
        for schema in self.schemas:
            has_all = set(index.attributes) <= set(schema.attributes.values())
            if index.name is not None and has_all and schema not in declared:
                yield schema

    @cached_property
    def _by_index(self) -> Mapping[str | None, list[tuple[Schema, Keys]]]:
        found: dict[str | None, list[tuple[Schema, Keys]]] = {}
        for schema in self.schemas:
            for keys in schema.all_keys:
                found.setdefault(keys.index.name, []).append((schema, keys))
        return found

    @cached_property
    def owners(self) -> frozenset[str]:
        """Name the fields that partitions of the table are known by: whose items they are."""
        return frozenset(field for schema in self.schemas for field in schema.keys.told)

    @cached_property
    def scopes(self) -> Mapping[str, frozenset[str]]:
        """Give the owners that several entities have, each with the ids that are ids within it.

        Those stand behind the owner in the keys of most entities that have them at all; one that
        stands alone somewhere, or behind another owner as often, means something by itself.
        """
        keyed = [(schema.keys.told, schema.key_names - self.owners) for schema in self.schemas]
        held = Counter(name for _, ids in keyed for name in ids)
        found: dict[str, frozenset[str]] = {}
        for owner in sorted(self.owners):
            inside = [ids for told, ids in keyed if owner in told]
            within = Counter(name for ids in inside for name in ids)
            if len(inside) > 1:
                found[owner] = frozenset(name for name in within if 2 * within[name] > held[name])
        return found

    @cached_property
    def generated(self) -> frozenset[str]:
        """Name the fields that are, in some entity, ids which the library makes."""
        return frozenset(name for schema in self.schemas for name in own_ids(schema))


def own_ids(schema: Schema) -> frozenset[str]:
    """Name the ids of an entity that the library makes: no two items have the same."""
    fields = schema.fields.items()
    return frozenset(name for name, field in fields if is_id(field.default_factory))


def reads_of(trace: Trace) -> tuple[tuple[Schema, Keys], ...]:
    """Give the entities that a pattern reads, each once for each index it is read from."""
    return tuple(
        {(schema.name, keys.index.name): (schema, keys) for schema, keys in trace.reads}.values()
    )


def templates_of(parts: tuple[Any, ...]) -> tuple[Template, ...]:
    """Give the templates among the parts of a key."""
    return tuple(part.template for part in parts if isinstance(part, TemplateKey))


def written(keys: Keys) -> str:
    """Show a key as it was declared."""
    texts = [
        f"{part.attribute}={str(part.template) if isinstance(part, TemplateKey) else part.field}"
        for part in keys.parts
    ]
    return ", ".join(texts)
