"""What is known of an entity, compiled once when its class is made.

The schema turns entities into items and back, and answers every question about keys, so that the
entity's class itself stays a plain pydantic model.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic.fields import FieldInfo

from singletable.errors import UsageError
from singletable.expressions import Path
from singletable.values import AttributeValue, Item

from .codec import encode
from .comparing import comparing_at
from .declaring import check_attributes, check_model, check_unique
from .fields import Aggregate, Attribute, Copied, Created, Expires, Unique, Updated, Version
from .fields import Sequence as Numbered
from .hints import allows
from .items import ItemCodec
from .keying import index_keys, primary_keys
from .keys import Keys
from .large_fields import large_fields
from .nesting import member
from .paths import parse_path
from .table import Table
from .templates import Template

if TYPE_CHECKING:
    from .entity import Entity

M = TypeVar("M")

COPY = "copy"
"""The name that stands for the number of a copy in the key of a hot item."""


class Schema:
    """Knows the table, keys, fields and rules of one entity."""

    def __init__(
        self,
        entity: type[Entity],
        table: Table,
        *,
        pk: str | None,
        sk: str | None,
        type_name: str,
        version: int,
        copies: int | None,
    ) -> None:
        self.entity = entity
        self.name = entity.__name__
        self.table = table
        self.type = type_name
        self.version = version
        self.copies = copies
        self.fields: Mapping[str, FieldInfo] = entity.model_fields
        check_model(entity)
        self.large = large_fields(self.name, self.fields)
        self.templates = (pk, sk)
        self.keys = primary_keys(self, pk, sk)
        self.indexes = index_keys(self)
        check_attributes(self)
        check_unique(self, self.bases)
        self.items = ItemCodec(self)
        self._family: dict[str, Schema] = {}
        self._family_of = 0

    def __repr__(self) -> str:
        return f"<schema of {self.name}>"

    # Keys

    @cached_property
    def is_whole(self) -> bool:
        """Tell whether items of this entity exist, or only of those derived from it."""
        return bool(self.keys.pk) and len(self.keys.sk) == len(self.table.primary.sk)

    @property
    def without_items(self) -> str:
        """Say why there are no items of this entity: what its key lacks, and what to do."""
        lacking = "sk" if self.keys.pk else "pk"
        return (
            f"{self.name} is a base for other entities, as its key has no {lacking}: give it one, "
            f"{lacking}=…, or take an entity that is derived from it"
        )

    @cached_property
    def key_fields(self) -> tuple[str, ...]:
        """Name the fields that the primary key is made from."""
        return tuple(field for field in self.keys.fields if field != COPY)

    @cached_property
    def key_names(self) -> frozenset[str]:
        """Name the fields that the primary key is made from, in no order."""
        return frozenset(self.key_fields)

    @cached_property
    def all_keys(self) -> tuple[Keys, ...]:
        """Give the primary key and those of all indexes."""
        return (self.keys, *self.indexes.values())

    def item_key(self, fields: Mapping[str, Any], copy: int = 0) -> Item:
        """Give the key of an item, or of one of its copies, as DynamoDB has it."""
        return self.keys.build({**fields, COPY: copy} if self.copies else fields)

    def index(self, label: str) -> Keys:
        """Find the keys of an index by the name of its declaration."""
        if label not in self.indexes:
            known = ", ".join(self.indexes) or "none"
            raise UsageError(f"{self.name} has no index {label!r}; it has: {known}")
        return self.indexes[label]

    def template(self, text: str, owner: str) -> Template:
        """Compile a key template of this entity's fields."""
        types = {name: field.annotation for name, field in self.fields.items()}
        if self.copies:
            types[COPY] = int
        delimiter = self.table.delimiter
        return Template.compile(text, types, delimiter=delimiter, owner=f"{self.name}.{owner}")

    # Fields

    def attribute(self, field: str) -> str:
        """Name the attribute that holds a field."""
        self.check_field(field, self.name)
        return self.attributes[field]

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Map fields to attributes."""
        return {name: self._attribute_of(name, field) for name, field in self.fields.items()}

    def _attribute_of(self, name: str, field: FieldInfo) -> str:
        if isinstance(field.default_factory, Expires):
            return self.table.ttl
        named = _marker(field, Attribute)
        if named:
            return named.name
        return self.table.attribute_names(name) if self.table.attribute_names else name

    def check_field(self, field: str, where: str) -> None:
        """Refuse a name that no field has."""
        if field not in self.fields:
            known = ", ".join(self.fields)
            raise UsageError(f"{where}: {self.name} has no field {field!r}; it has {known}")

    def filled_by(self, *kinds: type[M]) -> dict[str, M]:
        """Give the fields that the library fills in these ways, each with its declaration."""
        return {
            name: field.default_factory
            for name, field in self.fields.items()
            if isinstance(field.default_factory, kinds)
        }

    def marked(self, kind: type[M]) -> dict[str, M]:
        """Give the fields that are annotated with a marker."""
        found = ((name, _marker(field, kind)) for name, field in self.fields.items())
        return {name: marker for name, marker in found if marker is not None}

    @cached_property
    def version_field(self) -> str | None:
        """Name the field that holds the item's version."""
        return next(iter(self.filled_by(Version)), None)

    @cached_property
    def created_fields(self) -> tuple[str, ...]:
        """Name the fields that hold the time of creation."""
        return tuple(self.filled_by(Created))

    @cached_property
    def updated_fields(self) -> tuple[str, ...]:
        """Name the fields that hold the time of the last write."""
        return tuple(self.filled_by(Updated))

    @cached_property
    def expiry_field(self) -> str | None:
        """Name the field that holds the time of expiry."""
        return next(iter(self.filled_by(Expires)), None)

    def living(self, item: Item | None, at: datetime) -> Item | None:
        """Give an item unless its time is over: then it is as good as deleted."""
        if item is None or self.expiry_field is None:
            return item
        expiry = item.get(self.table.ttl, {}).get("N")
        return None if expiry is not None and float(expiry) <= at.timestamp() else item

    @cached_property
    def aggregates(self) -> dict[str, Aggregate]:
        """Give the fields that tell of items of other entities: counts, sums, extremes."""
        return self.filled_by(Aggregate)

    @cached_property
    def counts(self) -> dict[str, Aggregate]:
        """Give the aggregates that are kept by the transaction of each write."""
        kept = self.aggregates.items()
        return {name: one for name, one in kept if one.kept_by == "transaction"}

    @cached_property
    def beginnings(self) -> dict[str, Any]:
        """Give what aggregates are where there are no items yet."""
        return {name: self._beginning(name, one) for name, one in self.aggregates.items()}

    def _beginning(self, name: str, declared: Aggregate) -> Any:
        start = declared()
        return Decimal(0) if start == 0 and allows(self.fields[name], Decimal) else start

    @cached_property
    def sequences(self) -> dict[str, Numbered]:
        """Give the fields that are numbered when an item is created."""
        return self.filled_by(Numbered)

    @cached_property
    def unique(self) -> dict[str, Unique]:
        """Give the fields whose values are unique."""
        return self.marked(Unique)

    def declarer(self, field: str) -> str:
        """Name the first entity that has a unique field: among its items and all derived ones."""
        bases = (base for base in self.bases if field in base.unique)
        return [self.name, *(base.name for base in bases)][-1]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Name what an item of this entity is: this, and every entity that it is derived from."""
        return frozenset({self.name, *(base.name for base in self.bases)})

    @cached_property
    def bases(self) -> tuple[Schema, ...]:
        """Give the schemas of the entities that this one is derived from, in the same table."""
        found = (vars(base).get("__schema__") for base in self.entity.__mro__[1:])
        return tuple(one for one in found if one is not None and one.table is self.table)

    @cached_property
    def copied(self) -> dict[str, Copied]:
        """Give the fields that duplicate a field of another entity."""
        return self.marked(Copied)

    @cached_property
    def followed(self) -> tuple[str, ...]:
        """Name the fields of index keys that change without a new version of the item.

        They follow other items: aggregates, and copies.
        """
        keyed = {name for keys in self.indexes.values() for name in keys.fields}
        keyed |= {name for keys in self.indexes.values() for name, _ in keys.when}
        return tuple(name for name in (*self.aggregates, *self.copied) if name in keyed)

    @property
    def family(self) -> dict[str, Schema]:
        """Give this entity and those derived from it, by the type that their items carry."""
        entities = self.table.entities
        if self.table.entered != self._family_of:  # another entity was declared since
            self._family_of = self.table.entered
            self._family = {
                type_name: schema
                for type_name, schema in entities.items()
                if issubclass(schema.entity, self.entity)
            }
        return self._family

    # What conditions and changes ask

    @lru_cache(maxsize=4096)  # noqa: B019 - schemas live as long as their classes
    def path(self, path: str) -> Path:
        """Give the path of attributes for a path of fields."""
        first, *others = parse_path(path)
        elements: list[str | int] = [self.attribute(str(first))]
        inner = self.fields[str(first)].annotation
        for element in others:
            name, inner = member(inner, element)
            elements.append(name)
        return Path(tuple(elements))

    def value(self, path: str, value: Any) -> AttributeValue:
        """Encode a value as the field at a path does."""
        elements = parse_path(path)
        self.check_field(str(elements[0]), self.name)
        return self.items.encoder(str(elements[0]))(value) if len(elements) == 1 else encode(value)

    def compared(self, path: str, value: Any) -> AttributeValue:
        """Encode a value that the field at a path is compared with."""
        return comparing_at(self, path).encoded(value)

    def element(self, path: str, value: Any) -> AttributeValue:
        """Encode what the field at a path may contain."""
        return comparing_at(self, path).part(value)


def _marker(field: FieldInfo, kind: type[M]) -> M | None:
    return next((one for one in field.metadata if isinstance(one, kind)), None)
