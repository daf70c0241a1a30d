"""Tables and indexes as the engine sees them: keys, projections, names of SQLite tables.

The key of an index entry has the table's own key behind it, so that it is unique.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from singletable.expressions import Bound
from singletable.values import Item, item_size

from .key_schemas import KeySchema

Document = dict[str, Any]
"""A table's definition and settings as they are kept in the catalog."""


def index_documents(document: Document) -> list[Document]:
    """List the indexes of a definition, local ones first."""
    return [
        *document.get("LocalSecondaryIndexes", ()),
        *document.get("GlobalSecondaryIndexes", ()),
    ]


@dataclass(frozen=True)
class Index:
    """A secondary index: global (GSI) or local (LSI)."""

    id: int
    name: str
    scope: Literal["GSI", "LSI"]
    schema: KeySchema
    projected: frozenset[str] | None
    """The attributes that the index has, keys included; None for ALL."""
    tree: str
    """The SQLite table of its entries."""

    @cached_property
    def insert(self) -> str:
        """Give the statement that adds an entry, built once."""
        return f"INSERT INTO {self.tree} VALUES (?, ?, ?)"

    @cached_property
    def _first(self) -> str:
        return self.schema.names[0]

    def lacking(self, names: Iterable[str]) -> list[str]:
        """List those of the attributes that the index does not have."""
        if self.projected is None:
            return []
        return [name for name in names if name not in self.projected]

    def project(self, item: Item) -> Item:
        """Give the part of an item that the index has."""
        if self.projected is None:
            return item
        return {name: value for name, value in item.items() if name in self.projected}

    def entry(self, item: Item, row_key: bytes, size: int | None = None) -> Entry | None:
        """Give the entry of an item (of that size, if known), or None where there is none."""
        if self._first not in item:
            return None  # as most items of a table are in few of its indexes
        encoded = self.schema.encode_usual(item)
        if encoded is None:
            if not self.schema.admits(item):
                return None
            encoded = self.schema.encode_unusual(item)
        key = encoded + row_key
        if self.projected is None and size is not None:
            return Entry(key, item, size)
        projected = self.project(item)
        return Entry(key, projected, item_size(projected))


class Entry(NamedTuple):
    """What an index holds of one item."""

    key: bytes
    item: Item
    size: int


class OpenStream(NamedTuple):
    """The open stream of a table."""

    label: str
    view: str


@dataclass(frozen=True)
class Table:
    """A table: its document, read once into what the hot paths need."""

    id: int
    name: str
    document: Document

    @cached_property
    def rows(self) -> str:
        """Name the SQLite table of the items."""
        return f"items_{self.id}"

    @cached_property
    def history(self) -> str:
        """Name the SQLite table of what rows were before, for point-in-time recovery."""
        return f"history_{self.id}"

    @cached_property
    def collections(self) -> str:
        """Name the SQLite table of item collection sizes, which tables with local indexes have."""
        return f"collections_{self.id}"

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Map each defined attribute to its type."""
        definitions = self.document["AttributeDefinitions"]
        return {each["AttributeName"]: each["AttributeType"] for each in definitions}

    @cached_property
    def schema(self) -> KeySchema:
        """Give the primary key."""
        return KeySchema.from_document(self.document["KeySchema"], self.kinds)

    @cached_property
    def indexes(self) -> dict[str, Index]:
        """Map index names to indexes, local ones first."""
        local = self.document.get("LocalSecondaryIndexes", ())
        everywhere = self.document.get("GlobalSecondaryIndexes", ())
        made = [self._index(each, "LSI") for each in local]
        made += [self._index(each, "GSI") for each in everywhere]
        return {index.name: index for index in made}

    @cached_property
    def index_attributes(self) -> tuple[tuple[str, str], ...]:
        """List the attributes that are keys of indexes, each with its type."""
        keys = (index.schema.attributes for index in self.indexes.values())
        return tuple(dict.fromkeys(attribute for some in keys for attribute in some))

    def _index(self, document: Document, scope: Literal["GSI", "LSI"]) -> Index:
        schema = KeySchema.from_document(document["KeySchema"], self.kinds)
        projection = document["Projection"]
        projected = None
        if projection["ProjectionType"] != "ALL":
            extra = projection.get("NonKeyAttributes", ())
            projected = frozenset((*self.schema.names, *schema.names, *extra))
        identity = document["Id"]
        return Index(identity, document["IndexName"], scope, schema, projected, f"index_{identity}")

    @cached_property
    def has_local_index(self) -> bool:
        """Tell whether item collections have a size limit and metrics."""
        return any(index.scope == "LSI" for index in self.indexes.values())

    @cached_property
    def stream(self) -> OpenStream | None:
        """Give the open stream, if the table has one."""
        specification = self.document.get("StreamSpecification")
        if not specification or not specification["StreamEnabled"]:
            return None
        return OpenStream(self.document["LatestStreamLabel"], specification["StreamViewType"])

    @cached_property
    def ttl_attribute(self) -> str | None:
        """Name the attribute that holds the time of expiry, while TTL is enabled."""
        settings = self.document.get("TimeToLive")
        return settings["AttributeName"] if settings and settings["Enabled"] else None

    @cached_property
    def keeps_history(self) -> bool:
        """Tell whether point-in-time recovery is on."""
        return bool(self.document.get("PointInTimeRecovery", {}).get("Enabled"))

    def check_paths(self, bound: Bound) -> None:
        """Refuse expressions with paths into key attributes."""
        if bound.nested or bound.nested_by_update:
            bound.check_keys(self.schema.names, [name for name, _ in self.index_attributes])

    def key_of(self, item: Item) -> Item:
        """Give the primary key attributes of an item."""
        return {name: item[name] for name in self.schema.names}

    @cached_property
    def sql(self) -> Statements:
        """Give the statements of the hot paths, built once."""
        return Statements(self.rows)


class Statements:
    """The SQL texts for one table's rows, made once so that SQLite's statement cache finds them."""

    def __init__(self, rows: str) -> None:
        self.find = f"SELECT id, size, item FROM {rows} WHERE key = ?"
        self.next_id = f"SELECT ifnull(max(id), 0) + 1 FROM {rows}"
        self.columns = f"{rows} (id, key, size, expires, item)"
        self.insert = (
            f"INSERT INTO {rows} (key, size, expires, item) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (key) DO NOTHING"
        )
        self.update = f"UPDATE {rows} SET size = ?, item = ? WHERE id = ?"
        self.update_expiring = f"UPDATE {rows} SET size = ?, item = ?, expires = ? WHERE id = ?"
        self.delete = f"DELETE FROM {rows} WHERE id = ?"
