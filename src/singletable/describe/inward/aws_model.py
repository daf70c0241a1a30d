"""``dynamodb_data_model.json`` of AWS's DynamoDB MCP server read: tables and items.

Its access patterns are commands of the AWS CLI with values in them. They are not translated, but
named, so that whoever finishes the design sees what is to be served.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from singletable.errors import UsageError

from .documents import JsonItem, Listed, Name, PascalCase, Projection, checked, item_of
from .foreign import ForeignModel, ForeignTable, ItemGroup, KeySchema


class _KeyPart(PascalCase):
    attribute_name: Name
    key_type: Literal["HASH", "RANGE"]


class _Keyed(PascalCase):
    key_schema: list[_KeyPart]

    def keys(self, index: str | None, held: str | tuple[str, ...] = "ALL") -> KeySchema:
        parts = {part.key_type: part.attribute_name for part in self.key_schema}
        if "HASH" not in parts or len(parts) != len(self.key_schema):
            raise UsageError(
                f"{index or 'The table'} has not one HASH and at most one RANGE key, and no other "
                "is read: take it out of the file"
            )
        return KeySchema(index, parts["HASH"], parts.get("RANGE"), held)


class _Index(_Keyed):
    index_name: Name
    projection: Projection = Projection()


class _Local(PascalCase):
    index_name: Name


class _Table(_Keyed):
    table_name: Name
    global_secondary_indexes: Listed[_Index] = ()
    local_secondary_indexes: Listed[_Local] = ()


class _Put(PascalCase):
    item: JsonItem


class _Write(PascalCase):
    put_request: _Put


class _Pattern(BaseModel):
    pattern: str = ""
    description: str = ""
    table: str | None = None
    index: str | None = None
    operation: str = Field("", alias="dynamodb_operation")
    reason: str = ""

    def note(self) -> str:
        place = f" of {self.index}" if self.index else ""
        told = f"{self.operation or self.reason}{place}"
        return f"Access pattern {self.pattern}: {self.description.rstrip('.')} ({told})."


class _Model(BaseModel):
    tables: Annotated[list[_Table], Field(min_length=1)]
    items: dict[str, list[_Write]] = {}
    access_patterns: Listed[_Pattern] = ()


def read_aws_model(document: Any) -> ForeignModel:
    """Read a data model of AWS's modelling server."""
    model = checked(_Model, document, "dynamodb_data_model.json")
    tables = tuple(_table(table, model) for table in model.tables)
    return ForeignModel(tables[0].name, "", tables)


def _table(table: _Table, model: _Model) -> ForeignTable:
    name = table.table_name
    indexes = tuple(
        one.keys(one.index_name, one.projection.held) for one in table.global_secondary_indexes
    )
    primary = table.keys(None)
    items = tuple(item_of(one.put_request.item) for one in model.items.get(name, []))
    for item in items:
        if not all(attribute in item for attribute in primary.attributes):
            raise UsageError(f"{name}: an item lacks a part of its key: {item}")
    notes = tuple(_notes(table, model))
    return ForeignTable(name, primary, indexes, (ItemGroup(None, items),), notes)


def _notes(table: _Table, model: _Model) -> Iterator[str]:
    for index in table.local_secondary_indexes:
        yield f"The local index {index.index_name} is left out."
    for pattern in model.access_patterns:
        if pattern.table in {None, table.table_name}:
            yield pattern.note()
