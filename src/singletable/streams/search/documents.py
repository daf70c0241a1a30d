"""What an index holds of an item: its words, what to filter by, and whose it is.

A document is declared beside the design and made from an entity alone, so the stream and a scan of
the table make the same one. Whose it is goes into one digest of the entity and its scope, the
*realm*; an index is only ever asked for documents of certain realms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import count
from typing import Any, NamedTuple

import orjson
from pydantic import TypeAdapter

from singletable.errors import DesignError, LargeMissing, UsageError
from singletable.model.codec import decode, encode
from singletable.model.entity import Entity
from singletable.model.large import Large
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.values import Item

from .facets import COLLECTIONS, Facet, Filter

RESERVED = frozenset({"scope", "entity", "limit", "after"})
"""What a search is told beside its filters."""

MARKS = ("\x02", "\x03")
"""They stand around words that were found; texts are freed of them before they are indexed."""
_UNMARKED = str.maketrans(dict.fromkeys(("\0", *MARKS), " "))


Load = Callable[[Large[Any]], Any]
"""Loads large content: ``store.load``."""


class Indexed(NamedTuple):
    """What an index holds of one item."""

    id: str
    realm: str
    key: str
    """The fields of the item's key, as JSON."""
    texts: tuple[tuple[str, str], ...]
    """Words, by the column that they stand in."""
    facets: tuple[tuple[str, Facet], ...]
    """What is filtered by, with the name of its field."""
    expires: float | None
    """When the item is over, in seconds."""

    @property
    def digest(self) -> str:
        """Tell this content from any other."""
        return sha256(orjson.dumps(self, default=tuple)).hexdigest()[:32]


class Document:
    """Declares what is indexed of an entity: ``Document(Session, text={"name": 3, "notes": 1})``.

    ``text`` names fields or properties, with weights where they differ; ``filters`` fields that a
    search may be narrowed by; ``scope`` the fields whose values every search has to give. ``when``
    has fields and the values they must have, or the item is not in the index.
    """

    def __init__(
        self,
        entity: type[Entity],
        *,
        text: Sequence[str] | Mapping[str, float],
        filters: Sequence[str] = (),
        scope: str | Sequence[str] = (),
        when: Mapping[str, Any] | None = None,
    ) -> None:
        self.entity = entity
        self.schema: Schema = entity.__schema__
        self.weights = (
            dict(text) if isinstance(text, Mapping) else dict.fromkeys(_several(text), 1.0)
        )
        self.scope = _several(scope)
        self.when = {name: _values(value) for name, value in (when or {}).items()}
        self._check(filters)
        self.filters = {name: Filter(self.schema, name) for name in filters}
        self._scopes = {name: Filter(self.schema, name) for name in self.scope}

    def __repr__(self) -> str:
        return f"Document({self.schema.name}, text={list(self.weights)})"

    @property
    def signature(self) -> list[Any]:
        """Tell what documents look like; an index that was made for others has to be rebuilt."""
        when = {name: [repr(one) for one in values] for name, values in self.when.items()}
        return [self.schema.type, [*self.weights], [*self.filters], [*self.scope], when]

    def id_of(self, keys: Item) -> str:
        """Tell the document of an item from all others, by the item's key."""
        values = [keys[name] for name in self.schema.table.primary.attributes]
        return orjson.dumps([self.schema.type, *values]).decode()

    @property
    def is_large(self) -> bool:
        """Tell whether content has to be loaded for it."""
        return any(name in self.schema.large for name in self.weights)

    def indexed(
        self, entity: Entity, columns: Mapping[str, str], load: Load | None = None
    ) -> Indexed | None:
        """Make the document of an entity, its texts in columns; None where it has no place."""
        if any(getattr(entity, name) not in values for name, values in self.when.items()):
            return None
        fields = {name: getattr(entity, name) for name in self.schema.key_fields}
        expiry = getattr(entity, self.schema.expiry_field) if self.schema.expiry_field else None
        facets = (
            (name, facet)
            for name, one in self.filters.items()
            for facet in one.facets(getattr(entity, name))
        )
        return Indexed(
            self.id_of(self.schema.item_key(fields)),
            self._realm([getattr(entity, name) for name in self.scope]),
            orjson.dumps({name: encode(value) for name, value in fields.items()}).decode(),
            tuple(
                (column, _words(_loaded(getattr(entity, name), load)))
                for name, column in columns.items()
            ),
            tuple(facets),
            None if expiry is None else expiry.timestamp(),
        )

    def realm(self, scope: Mapping[str, Any]) -> str:
        """Give the realm of what a scope may see; refuse one that lacks a field."""
        missing = [name for name in self.scope if name not in scope]
        if missing:
            raise UsageError(
                f"A search of {self.schema.name} has to say for whom: "
                f"scope={{{', '.join(f'{name!r}: …' for name in self.scope)}}}; "
                f"{', '.join(missing)} is missing"
            )
        return self._realm([one.checked(scope[name]) for name, one in self._scopes.items()])

    def _realm(self, values: Iterable[Any]) -> str:
        whose = [self.schema.type, *(encode(value) for value in values)]
        return sha256(orjson.dumps(whose)).hexdigest()[:40]

    def key(self, text: str) -> Key[Any]:
        """Read the key that a document holds."""
        fields = orjson.loads(text)
        return Key(
            self.schema,
            {name: self._keys[name].validate_python(decode(one)) for name, one in fields.items()},
        )

    @cached_property
    def _keys(self) -> dict[str, TypeAdapter[Any]]:
        kinds: dict[str, Any] = {
            name: self.schema.fields[name].annotation for name in self.schema.key_fields
        }
        return {name: TypeAdapter(kind) for name, kind in kinds.items()}

    def _check(self, filters: Sequence[str]) -> None:
        name = self.schema.name
        if not self.schema.is_whole:
            raise DesignError(f"Document({name}): it has no items of its own, name those it is for")
        if isinstance(filters, str):
            raise DesignError(f"Document({name}, filters={filters!r}): give a list of fields")
        if not self.weights:
            raise DesignError(f"Document({name}, text=…): name what is searched")
        for field in (*filters, *self.scope, *self.when):
            if field not in self.schema.fields:
                known = ", ".join(self.schema.fields)
                raise DesignError(f"Document({name}): there is no field {field!r}; it has {known}")
        for field in self.weights:
            self._check_text(field)
        if taken := RESERVED & set(filters):
            raise DesignError(
                f"Document({name}): search() has a word {', '.join(taken)} of its own, so it is no "
                "name for a filter"
            )

    def _check_text(self, field: str) -> None:
        if field not in self.schema.fields and not hasattr(self.entity, field):
            raise DesignError(
                f"Document({self.schema.name}): there is no field or property {field!r} to search"
            )


class Layout:
    """What all documents of an index have together: which there are, in which columns."""

    def __init__(self, documents: Sequence[Document], load: Load | None = None) -> None:
        self.load = load
        self.by_type = {one.schema.type: one for one in documents}
        numbers = count()
        # Each text has a column of its own, as it has its own weight.
        self.columns_of = {
            type_name: {name: f"w{next(numbers)}" for name in one.weights}
            for type_name, one in self.by_type.items()
        }
        self.columns = [name for columns in self.columns_of.values() for name in columns.values()]
        self.filters = sorted({name for one in documents for name in one.filters})
        self.signature = orjson.dumps([one.signature for one in documents]).decode()

    def check(self, table: Table) -> None:
        """Refuse another table than that of the documents, of which it has none."""
        first = next(iter(self.by_type.values())).schema
        if first.table is not table:
            raise UsageError(f"The index is of {first.table}, and the store is of {table}")

    def document(self, name: str) -> Document:
        """Find the declaration of a document by its id."""
        return self.by_type[orjson.loads(name)[0]]

    def id_of(self, key: Key[Any]) -> str:
        """Give the id that the document of an item has."""
        return self.by_type[key.schema.type].id_of(key.item_key)

    def indexed(self, entity: Entity) -> Indexed | None:
        """Make the document of an entity; None where it has no place in the index."""
        kind = entity.__schema__.type
        return self.by_type[kind].indexed(entity, self.columns_of[kind], self.load)


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, COLLECTIONS) else (value,)


def _loaded(value: Any, load: Load | None) -> Any:
    """Load large content; where it is gone, another has taken its place, which is told later."""
    if load is None or not isinstance(value, Large):
        return value
    try:
        return load(value)
    except LargeMissing:
        return None


def _words(value: Any) -> str:
    """Give a value as text: of a collection, a line for each member."""
    if value is None:
        return ""
    if isinstance(value, COLLECTIONS):
        return "\n".join(map(_words, value))
    return str(value).translate(_UNMARKED)
