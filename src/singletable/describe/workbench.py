"""Models for AWS's NoSQL Workbench, in the formats 1.0, 2.0 and 3.0.

Every entity is a facet with sample items; the aliases of its keys are their templates. Version 2.0
added the service's name, version 3.0 the billing mode. The Workbench knows no local indexes, no
keys of several attributes, and nothing of what a store keeps true; the description names what had
to be left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from singletable.model.table import TableIndex
from singletable.store.creation import attribute_types

from .chart import EntityChart
from .description import Description
from .documents import is_plain, json_item, written

Version = Literal["1.0", "2.0", "3.0"]
DATE = "Jan 01, 2026, 12:00 AM"
"""A model has a date; this one keeps the output the same."""


def workbench(described: Description, version: Version = "3.0") -> str:
    """Write a design as a model of the NoSQL Workbench."""
    metadata = {
        "Author": "",
        "DateCreated": DATE,
        "DateLastModified": DATE,
        "Description": " ".join((described.purpose, *_left_out(described))),
    }
    if version != "1.0":
        metadata["AWSService"] = "Amazon DynamoDB"
    return written(
        {
            "ModelName": described.name,
            "ModelMetadata": metadata | {"Version": version},
            "DataModel": [_table(described, version)],
        }
    )


def _table(described: Description, version: Version) -> dict[str, Any]:
    types = attribute_types(described.table)
    table: dict[str, Any] = {
        "TableName": described.table.name,
        "KeyAttributes": _key(described.table.primary, types),
        "NonKeyAttributes": _attributes(described),
        "TableFacets": [_facet(described, entity) for entity in described.entities],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index.name,
                "KeyAttributes": _key(index, types),
                "Projection": _projection(index),
            }
            for index in described.table.indexes.values()
            if is_plain(index)
        ],
        "DataAccess": {"MySql": {}},
    }
    return table if version != "3.0" else table | {"BillingMode": "PAY_PER_REQUEST"}


def _left_out(described: Description) -> Iterator[str]:
    for index in described.table.indexes.values():
        if not is_plain(index):
            kind = "a local index" if index.local else "an index with keys of several attributes"
            yield f"Left out: {index.name}, {kind}."


def _key(index: TableIndex, types: dict[str, str]) -> dict[str, Any]:
    sides = zip(("PartitionKey", "SortKey"), index.attributes, strict=False)
    return {
        side: {"AttributeName": name, "AttributeType": types.get(name, "S")} for side, name in sides
    }


def _projection(index: TableIndex) -> dict[str, Any]:
    if isinstance(index.projection, str):
        return {"ProjectionType": index.projection}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projection)}


def _attributes(described: Description) -> list[dict[str, str]]:
    """List every attribute of every item once, with its type."""
    kinds: dict[str, str] = {}
    for few in described.samples.values():
        for specimen in few:
            for name, value in specimen.item.items():
                kinds.setdefault(name, next(iter(value)))
    return [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in kinds.items()
        if name not in described.table.primary.attributes
    ]


def _facet(described: Description, entity: EntityChart) -> dict[str, Any]:
    items = [specimen.item for specimen in described.samples[entity.type]]
    primary = described.table.primary.attributes
    alias = {"PartitionKeyAlias": entity.key.pk[0]}
    if entity.key.sk:
        alias["SortKeyAlias"] = entity.key.sk[0]
    names = dict.fromkeys(name for item in items for name in item if name not in primary)
    return {
        "FacetName": entity.name,
        "KeyAttributeAlias": alias,
        "TableData": [json_item(item) for item in items],
        "NonKeyAttributes": list(names),
        "DataAccess": {"MySql": {}},
    }
