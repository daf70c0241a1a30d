"""Models of AWS's NoSQL Workbench read: the formats 1.0, 2.0 and 3.0.

They differ in what they say beside the tables. Sample items stand in facets or in the table, in
some files in both; an item that is in several facets is taken once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from singletable.errors import UsageError
from singletable.values import Item

from .documents import JsonItem, Listed, Name, PascalCase, Projection, checked, item_of
from .foreign import ForeignModel, ForeignTable, ItemGroup, KeySchema


class _Attribute(PascalCase):
    attribute_name: Name


class _KeyAttributes(PascalCase):
    partition_key: _Attribute
    sort_key: _Attribute | None = None

    def keys(self, index: str | None, held: str | tuple[str, ...] = "ALL") -> KeySchema:
        sk = self.sort_key.attribute_name if self.sort_key else None
        return KeySchema(index, self.partition_key.attribute_name, sk, held)


class _Index(PascalCase):
    index_name: Name
    key_attributes: _KeyAttributes
    projection: Projection = Projection()


class _Facet(PascalCase):
    facet_name: Name
    table_data: Listed[JsonItem] = ()


class _Table(PascalCase):
    table_name: Name
    key_attributes: _KeyAttributes
    global_secondary_indexes: Listed[_Index] = ()
    table_facets: Listed[_Facet] = ()
    table_data: Listed[JsonItem] = ()


class _Metadata(PascalCase):
    version: Literal["1.0", "2.0", "3.0"] = "1.0"
    description: str = ""


class _Model(PascalCase):
    model_name: str = "Model"
    model_metadata: _Metadata = _Metadata()
    data_model: Annotated[list[_Table], Field(min_length=1)]

    model_config = PascalCase.model_config | {"protected_namespaces": ()}


def read_workbench(document: Any) -> ForeignModel:
    """Read a model of the NoSQL Workbench."""
    model = checked(_Model, document, "NoSQL Workbench model of the formats 1.0 to 3.0")
    tables = tuple(map(_table, model.data_model))
    return ForeignModel(model.model_name, model.model_metadata.description, tables)


def _table(table: _Table) -> ForeignTable:
    indexes = tuple(
        index.key_attributes.keys(index.index_name, index.projection.held)
        for index in table.global_secondary_indexes
    )
    primary = table.key_attributes.keys(None)
    return ForeignTable(table.table_name, primary, indexes, tuple(_groups(table, primary)))


def _groups(table: _Table, primary: KeySchema) -> Iterator[ItemGroup]:
    seen: set[str] = set()
    for facet in table.table_facets:
        yield ItemGroup(facet.facet_name, tuple(_unseen(facet.table_data, primary, seen)))
    loose = tuple(_unseen(table.table_data, primary, seen))
    if loose:
        yield ItemGroup(None, loose)


def _unseen(items: Sequence[JsonItem], primary: KeySchema, seen: set[str]) -> Iterator[Item]:
    for item in map(item_of, items):
        missing = [name for name in primary.attributes if name not in item]
        if missing:
            raise UsageError(f"A sample item has no {missing[0]}, which is its key: {item}")
        key = str([item[name] for name in primary.attributes])
        if key not in seen:
            seen.add(key)
            yield item
