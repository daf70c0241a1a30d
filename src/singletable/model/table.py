"""The table of a design: its key attributes, its indexes, and the conventions for its items.

A table binds nothing: no region, no client, and a name that may be replaced when a store connects.
Entities enter themselves when they are declared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import currentframe
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from singletable.errors import DesignError
from singletable.values import Item

if TYPE_CHECKING:
    from .schema import Schema

Names = str | Sequence[str]
Projection = Literal["ALL", "KEYS_ONLY"] | Sequence[str]
StreamView = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]

INTERNAL = frozenset({"Unique", "Sequence", "Part"})
"""The types of the items with which a store keeps its promises; no entity can have them."""

NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
"""What DynamoDB takes for the name of a table or an index."""

KEY_PARTS_MAX = 4
GLOBAL_INDEXES_MAX = 20
LOCAL_INDEXES_MAX = 5


@dataclass(frozen=True, slots=True)
class GlobalIndex:
    """Declares a global secondary index.

    Its key attributes are named by convention (``GSI1PK``, ``GSI1SK``) unless they are given; a
    list names attributes of the items themselves, up to four; ``sk=()`` says that there is none.
    """

    name: str
    pk: Names | None = None
    sk: Names | None = None
    projection: Projection = "ALL"


@dataclass(frozen=True, slots=True)
class LocalIndex:
    """Declares a local secondary index: the table's partitions in another order."""

    name: str
    sk: str | None = None
    projection: Projection = "ALL"


@dataclass(frozen=True, slots=True)
class TableIndex:
    """An index with its attribute names settled; the table itself is the one without a name."""

    name: str | None
    pk: tuple[str, ...]
    sk: tuple[str, ...]
    projection: Projection = "ALL"
    local: bool = False
    attributes: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The key attributes, partition first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", (*self.pk, *self.sk))


class Table:
    """Holds the key names, indexes and conventions that the entities of a design share."""

    def __init__(  # noqa: PLR0913 - each is a convention with a default
        self,
        name: str,
        *,
        indexes: Sequence[str | GlobalIndex | LocalIndex] = (),
        pk: str = "PK",
        sk: str | None = "SK",
        type_attribute: str = "Type",
        schema_attribute: str = "SchemaVersion",
        attribute_names: Callable[[str], str] | None = None,
        delimiter: str = "#",
        ttl: str = "ttl",
        stream: StreamView | None = None,
    ) -> None:
        if len(delimiter) != 1:
            raise DesignError(f"Table {name!r}: the delimiter is one character, not {delimiter!r}")
        check_name("a table", name)
        self.name = name
        self.primary = TableIndex(None, (pk,), (sk,) if sk else ())
        self.indexes = _settled(self, indexes)
        self.type_attribute = type_attribute
        self.schema_attribute = schema_attribute
        self.attribute_names = attribute_names
        self.delimiter = delimiter
        self.ttl = ttl
        self.stream: StreamView | None = stream
        self.entities: dict[str, Schema] = {}
        """Every entity with a whole key, by the type that its items carry."""
        self._places: dict[str, _Place] = {}
        self.entered = 0
        """How often an entity was taken up: what was found out of all of them holds so long."""

    def __repr__(self) -> str:
        return f"Table({self.name!r})"

    @property
    def pk(self) -> str:
        """Name the partition key."""
        return self.primary.pk[0]

    @property
    def sk(self) -> str | None:
        """Name the sort key, where there is one."""
        return self.primary.sk[0] if self.primary.sk else None

    def index(self, name: str) -> TableIndex:
        """Find an index, or say which there are."""
        if name not in self.indexes:
            known = ", ".join(self.indexes) or "none"
            raise DesignError(f"Table {self.name!r} has no index {name!r}; it has: {known}")
        return self.indexes[name]

    def enter(self, schema: Schema) -> None:
        """Take up an entity; its type must be its own."""
        if schema.type in INTERNAL:
            raise DesignError(
                f"{schema.name} has the type {schema.type!r}, which marks items of the store's own "
                f"in table {self.name!r}: give it another with type=..."
            )
        other, place = self.entities.get(schema.type), _place(schema.entity)
        if other is not None:
            self._check_alike(other, self._places[schema.type], schema, place)
        self.entities[schema.type], self._places[schema.type] = schema, place
        self.entered += 1

    def _check_alike(self, other: Schema, before: _Place, schema: Schema, place: _Place) -> None:
        """Refuse two entities of one type, unless one is the other made anew."""
        name = _shown(schema.entity)
        if not _is_same(other.entity, schema.entity):
            raise DesignError(
                f"{name} and {_shown(other.entity)} both have the type {schema.type!r} in table "
                f"{self.name!r}: give one of them another with type=..."
            )
        if place.is_beside(before):
            raise DesignError(
                f"{name} is declared in line {before.line}, and another in line {place.line}, "
                f"which would take its place in table {self.name!r}: give one of them another name"
            )

    def named(self, entity: str) -> Schema | None:
        """Find an entity by the name of its class."""
        return next((one for one in self.entities.values() if one.name == entity), None)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a class is declared: the code that runs, and its line; None if that is not known."""

    code: CodeType | None
    line: int

    def is_beside(self, other: _Place) -> bool:
        """Tell whether two classes are declared by the same code, each in a line of its own.

        A reload, or a notebook's cell that is run again, runs other code, be its text the same; a
        function that makes classes makes them all in one line.
        """
        return self.code is not None and self.code is other.code and self.line != other.line


def _place(entity: type) -> _Place:
    """Find where a class is declared that is being made: by the nearest caller in its module."""
    frame = currentframe()
    while frame is not None and frame.f_globals.get("__name__") != entity.__module__:
        frame = frame.f_back
    return _Place(None, 0) if frame is None else _Place(frame.f_code, frame.f_lineno)


def _is_same(entity: type, other: type) -> bool:
    """Tell whether one class is the other made anew: by a reload, a notebook's cell, a script."""
    modules = {entity.__module__, other.__module__}
    return entity.__qualname__ == other.__qualname__ and (
        len(modules) == 1 or "__main__" in modules
    )


def _shown(entity: type) -> str:
    return f"{entity.__module__}.{entity.__qualname__}"


def side_key(table: Table, partition: str, mark: str) -> Item:
    """Give the key of an item with which a store keeps a promise; where it must, in one text."""
    if table.sk is None:
        return {table.pk: {"S": f"{partition}{table.delimiter}{mark}"}}
    return {table.pk: {"S": partition}, table.sk: {"S": mark}}


def check_name(what: str, name: Any) -> None:
    """Refuse a name that DynamoDB would refuse."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise DesignError(
            f"{name!r} cannot name {what}: a name has 3 to 255 of the characters a-z, A-Z, 0-9, "
            "'_', '.' and '-'"
        )


def _settled(
    table: Table, indexes: Sequence[str | GlobalIndex | LocalIndex]
) -> dict[str, TableIndex]:
    settled: dict[str, TableIndex] = {}
    for declared in indexes:
        index = GlobalIndex(declared) if isinstance(declared, str) else declared
        check_name("an index", index.name)
        if index.name in settled:
            raise DesignError(f"Table {table.name!r} has two indexes named {index.name!r}")
        settled[index.name] = _settle(table, index)
    _check_count(table, settled, local=False, most=GLOBAL_INDEXES_MAX)
    _check_count(table, settled, local=True, most=LOCAL_INDEXES_MAX)
    return settled


def _settle(table: Table, index: GlobalIndex | LocalIndex) -> TableIndex:
    default_sk = f"{index.name}{table.sk or 'SK'}"
    if isinstance(index, LocalIndex):
        if table.sk is None:
            raise DesignError(f"Index {index.name!r}: a local index needs a table with a sort key")
        sk = (index.sk or default_sk,)
        projection = _projection(index.projection)
        return TableIndex(index.name, table.primary.pk, sk, projection, local=True)
    pk = _names(index.pk, f"{index.name}{table.pk}")
    sort = _names(index.sk, default_sk)
    if not pk or max(len(pk), len(sort)) > KEY_PARTS_MAX:
        raise DesignError(
            f"Index {index.name!r}: a key has 1 to {KEY_PARTS_MAX} partition attributes and up to "
            f"{KEY_PARTS_MAX} sort attributes"
        )
    return TableIndex(index.name, pk, sort, _projection(index.projection))


def _projection(projection: Projection) -> Projection:
    """Give a projection that can be hashed."""
    return projection if isinstance(projection, str) else tuple(projection)


def _names(names: Names | None, default: str) -> tuple[str, ...]:
    if names is None:
        return (default,)
    return (names,) if isinstance(names, str) else tuple(names)


def _check_count(table: Table, indexes: dict[str, TableIndex], *, local: bool, most: int) -> None:
    count = sum(index.local is local for index in indexes.values())
    if count > most:
        kind = "local" if local else "global"
        raise DesignError(
            f"Table {table.name!r} has {count} {kind} indexes; DynamoDB allows {most}"
        )


def camel_case(field: str) -> str:
    """Name the attribute of a field as JavaScript would: ``created_at`` → ``createdAt``."""
    first, *others = field.split("_")
    return first + "".join(word.capitalize() for word in others)
