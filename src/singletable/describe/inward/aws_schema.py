"""``schema.json`` of AWS's DynamoDB MCP server read: entities with templates and access patterns.

It says what the keys are made of, so nothing has to be inferred. Reads become access patterns;
writes need none, as every store has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from singletable.errors import UsageError

from .documents import Listed, Name, checked
from .drafts import (
    DesignDraft,
    EntityDraft,
    FieldDraft,
    IndexDraft,
    PatternDraft,
    TableDraft,
    slots,
)
from .foreign import KeySchema
from .names import class_name, field_name, index_label
from .schema_patterns import SchemaPattern, pattern_draft
from .tables import free_type_attribute

FieldType = Literal["string", "integer", "decimal", "boolean", "object", "array", "uuid"]
TYPES = {
    "string": "str",
    "integer": "int",
    "decimal": "Decimal",
    "boolean": "bool",
    "object": "dict[str, Any]",
    "uuid": "UUID",
}


class _Key(BaseModel):
    partition_key: Name
    sort_key: Name | None = None

    def keys(self, index: str | None) -> KeySchema:
        return KeySchema(index, self.partition_key, self.sort_key)


class _Config(_Key):
    table_name: Name


class _Index(_Key):
    name: Name


class _Templates(BaseModel):
    pk_template: Name
    sk_template: Name | None = None


class _Mapping(_Templates):
    name: Name


class _Field(BaseModel):
    name: Name
    type: FieldType
    required: bool = False
    item_type: str = "string"

    @property
    def annotation(self) -> str:
        if self.type == "array":
            return f"list[{TYPES.get(self.item_type, 'Any')}]"
        return TYPES[self.type]


class _Entity(_Templates):
    entity_type: Name
    gsi_mappings: Listed[_Mapping] = ()
    fields: list[_Field]
    access_patterns: Listed[SchemaPattern] = ()


class _Table(BaseModel):
    table_config: _Config
    gsi_list: Listed[_Index] = ()
    entities: dict[Name, _Entity]


class _Schema(BaseModel):
    tables: Annotated[list[_Table], Field(min_length=1)]


def read_aws_schema(document: Any) -> DesignDraft:
    """Read a schema of AWS's modelling server."""
    schema = checked(_Schema, document, "schema.json")
    tables = tuple(map(_table, schema.tables))
    return DesignDraft(tables[0].name, "", tables)


def _table(table: _Table) -> TableDraft:
    primary = table.table_config.keys(None)
    indexes = {one.name: one.keys(one.name) for one in table.gsi_list}
    entities: list[EntityDraft] = []
    patterns: dict[str, PatternDraft] = {}
    notes: list[str] = []
    for name, entity in table.entities.items():
        draft = _Reader(class_name(name), entity, primary, indexes).draft()
        entities.append(draft)
        for one in entity.access_patterns:
            found = pattern_draft(one, draft, patterns)
            if isinstance(found, str):
                notes.append(found)
            else:
                patterns[found.name] = found
    return TableDraft(
        name=table.table_config.table_name,
        primary=primary,
        indexes=tuple(indexes.values()),
        type_attribute=free_type_attribute(entities),
        delimiter="#",
        entities=tuple(entities),
        patterns=tuple(patterns.values()),
        notes=tuple(notes),
    )


class _Reader:
    """Reads one entity."""

    def __init__(
        self, name: str, entity: _Entity, primary: KeySchema, indexes: dict[str, KeySchema]
    ) -> None:
        self.name, self.entity, self.primary, self.indexes = name, entity, primary, indexes
        unknown = [one.name for one in entity.gsi_mappings if one.name not in indexes]
        if unknown:
            raise UsageError(f"{name} is in {unknown[0]}, which gsi_list does not have")
        self.names: dict[str, str] = {}
        """The fields' names by those that they have in the schema."""
        for field in entity.fields:
            self.names[field.name] = field_name(field.name, self.names.values())

    def draft(self) -> EntityDraft:
        """Give the entity."""
        entity = self.entity
        sk = self._template(entity.sk_template) if self.primary.sk else None
        if self.primary.sk and sk is None:
            raise UsageError(f"{self.name} has no sk_template, and the table has a sort key")
        pk = self._template(entity.pk_template) or ""
        return EntityDraft(
            self.name, entity.entity_type, pk, sk, tuple(self._fields()), tuple(self._indexes())
        )

    def _fields(self) -> Iterator[FieldDraft]:
        made = dict(self._made())
        keyed = {name for name, _ in slots(self.entity.pk_template, self.entity.sk_template)}
        for field in self.entity.fields:
            # A key that is made from more than the field cannot be stored under its name.
            own = f"{{{field.name}}}"
            attribute = field.name if made.get(field.name, own) == own else f"{field.name}_value"
            optional = not field.required and field.name not in keyed
            yield FieldDraft(self.names[field.name], attribute, field.annotation, optional)

    def _made(self) -> Iterator[tuple[str, str | None]]:
        """Give the key attributes with their templates."""
        mappings = [(self.indexes[one.name], one) for one in self.entity.gsi_mappings]
        for keys, one in ((self.primary, self.entity), *mappings):
            yield from zip(keys.attributes, (one.pk_template, one.sk_template), strict=False)

    def _indexes(self) -> Iterator[IndexDraft]:
        for one in self.entity.gsi_mappings:
            label = index_label(one.name, self.names.values())
            has_sk = self.indexes[one.name].sk is not None
            sk = self._template(one.sk_template) if has_sk else None
            yield IndexDraft(one.name, label, self._template(one.pk_template), sk)

    def _template(self, text: str | None) -> str | None:
        if text is None:
            return None
        unknown = [name for name, _ in slots(text) if name not in self.names]
        if unknown:
            raise UsageError(f"{self.name}: {text!r} names {unknown[0]!r}, which is no field")
        return re.sub(r"\{(\w+)\}", lambda found: f"{{{self.names[found[1]]}}}", text)
