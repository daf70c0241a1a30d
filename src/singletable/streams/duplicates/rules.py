"""Which fields are copied from which, and the way to find all copies of one item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.errors import DesignError
from singletable.model.entity import Entity
from singletable.model.fields import Copied
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.streams.finding import Finder, finders

IMAGES = frozenset({"NEW_IMAGE", "NEW_AND_OLD_IMAGES"})


@dataclass(frozen=True, slots=True)
class CopyRule:
    """A field that is copied from another entity."""

    schema: Schema
    field: str
    source: Schema
    source_field: str
    pairs: tuple[tuple[str, str], ...]
    """Key fields of the source, each with the field here that holds it."""
    finder: Finder

    @classmethod
    def of(cls, schema: Schema, field: str, copied: Copied) -> CopyRule:
        """Compile the rule; refuse copies that could not be found."""
        if not isinstance(copied.source, type):
            raise DesignError(
                f"{schema.name}.{field} is copied from {copied.source!r}: give the entity itself, "
                "which is declared before its copies, not its name"
            )
        source, match = copied.source.__schema__, dict(copied.match)
        pairs = tuple((name, match.get(name, name)) for name in source.key_fields)
        for fault in _faults(schema, source, copied, pairs):
            raise DesignError(f"{schema.name}.{field} is copied from {source.name}, {fault}")
        found = finders(schema, [mine for _, mine in pairs])
        finder = min(found, key=lambda one: not one.is_strong, default=None)
        if finder is None:
            names = ", ".join(mine for _, mine in pairs)
            raise DesignError(
                f"{schema.name}.{field}: no key finds the {schema.name} items that are copied from "
                f"one {source.name}: give {schema.name} an index whose partition key is made from "
                f"{names}, Index(…, pk=…{{{pairs[-1][1]}}}…)"
            )
        return cls(schema, field, source, copied.field, pairs, finder)

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields here that decide."""
        return (self.field, *(mine for _, mine in self.pairs))

    def source_of(self, entity: Entity) -> Key[Any] | None:
        """Name the item that a copy is of, if any."""
        fields = {name: entity.__dict__[mine] for name, mine in self.pairs}
        return None if None in fields.values() else Key(self.source, fields)

    def holders(self, source: Key[Any]) -> dict[str, Any]:
        """Give the values here by which the copies of an item are known."""
        return {mine: source.fields[name] for name, mine in self.pairs}


def _faults(
    schema: Schema, source: Schema, copied: Copied, pairs: tuple[tuple[str, str], ...]
) -> Iterator[str]:
    if source.table is not schema.table:
        yield f"which is in {source.table}, and this is in {schema.table}"
    if not source.is_whole:
        yield "which is a base for other entities, and has no items"
    if copied.field not in source.fields:
        yield f"which has no field {copied.field!r}"
    for name, _ in copied.match:
        if name not in source.key_names:
            yield f"of which {name!r} is no key field: those are {', '.join(source.key_fields)}"
    for name, mine in pairs:
        if mine not in schema.fields:
            yield (
                f"whose {name} no field {mine!r} of {schema.name} holds: say which one does, "
                f"Copied({source.name}, {copied.field!r}, {name}=…)"
            )


@dataclass(frozen=True, slots=True)
class Rules:
    """What there is to refresh, looked up from both sides."""

    copies: Mapping[str, tuple[CopyRule, ...]]
    """Type of an item that has copies → its rules."""
    sources: Mapping[str, tuple[CopyRule, ...]]
    """Type of an item that is copied from → the rules of its copies."""

    @classmethod
    def of(cls, table: Table) -> Rules:
        """Compile the rules of a table; refuse what cannot be refreshed."""
        copies: dict[str, tuple[CopyRule, ...]] = {}
        sources: dict[str, tuple[CopyRule, ...]] = {}
        for schema in table.entities.values():
            for name, copied in schema.copied.items():
                rule = CopyRule.of(schema, name, copied)
                copies[schema.type] = (*copies.get(schema.type, ()), rule)
                for kin in rule.source.family:
                    sources[kin] = (*sources.get(kin, ()), rule)
        if copies and table.stream not in IMAGES:
            raise DesignError(
                f"{table}: copies are refreshed when the stream tells that a source has changed: "
                "declare Table(…, stream='NEW_AND_OLD_IMAGES'), and change the table"
            )
        return cls(copies, sources)
