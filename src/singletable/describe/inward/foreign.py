"""A foreign model as its format tells it: tables, their key attributes, and sample items."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.values import Item


@dataclass(frozen=True, slots=True)
class KeySchema:
    """The key attributes of the table, which has no name, or of an index."""

    index: str | None
    pk: str
    sk: str | None
    projection: str | tuple[str, ...] = "ALL"

    @property
    def attributes(self) -> tuple[str, ...]:
        """Give the key attributes, partition first."""
        return (self.pk,) if self.sk is None else (self.pk, self.sk)


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """Sample items that the model itself holds together, such as a facet."""

    name: str | None
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class ForeignTable:
    """A table of a foreign model."""

    name: str
    primary: KeySchema
    indexes: tuple[KeySchema, ...]
    groups: tuple[ItemGroup, ...]
    notes: tuple[str, ...] = ()
    """What the model says and a design cannot."""

    @property
    def items(self) -> tuple[Item, ...]:
        """Give all sample items."""
        return tuple(item for group in self.groups for item in group.items)

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """Name the key attributes of the table and its indexes, each once."""
        schemas = (self.primary, *self.indexes)
        return tuple(dict.fromkeys(name for schema in schemas for name in schema.attributes))


@dataclass(frozen=True, slots=True)
class ForeignModel:
    """A foreign model."""

    name: str
    purpose: str
    tables: tuple[ForeignTable, ...]
