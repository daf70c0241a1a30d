"""The ``schema.json`` of AWS's DynamoDB MCP server, from which it generates repositories.

Its templates know plain fields only. A field that is written in a way of its own (padded, as a
bucket, as a shard) becomes one more field, which holds the text as it stands in the key. It knows
global indexes with one attribute to a side, and no conditions on what an index holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter
from typing import Any

from singletable.model.keys import KeyAttribute, Keys, TemplateKey
from singletable.model.reads import Between, Collection, Get, Query
from singletable.model.schema import Schema
from singletable.model.table import TableIndex
from singletable.store.tracing import Trace

from .chart import EntityChart, summary
from .description import Description
from .documents import is_plain, written
from .patterns import parameters

_TYPES = {"S": "string", "BOOL": "boolean", "M": "object", "B": "string", "NULL": "string"}
_ARRAYS = {"L": "string", "SS": "string", "NS": "decimal", "BS": "string"}
_CONDITIONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_PARAMETERS = {"int": "integer", "bool": "boolean"}


def aws_schema(described: Description) -> str:
    """Write a design as a schema of AWS's modelling server."""
    return written({"tables": [_table(described)]})


def _table(described: Description) -> dict[str, Any]:
    table = described.table
    indexes = [_index(one) for one in table.indexes.values() if is_plain(one)]
    return {
        "table_config": {"table_name": table.name} | _key_names(table.primary),
        **({"gsi_list": indexes} if indexes else {}),
        "entities": {one.name: _entity(described, one) for one in described.entities},
    }


def _index(index: TableIndex) -> dict[str, str]:
    return {"name": index.name or ""} | _key_names(index)


def _key_names(index: TableIndex) -> dict[str, str]:
    return dict(zip(("partition_key", "sort_key"), index.attributes, strict=False))


def _entity(described: Description, entity: EntityChart) -> dict[str, Any]:
    schema = described.table.entities[entity.type]
    mappings = [
        {"name": keys.index.name or ""} | _templates(schema, keys)
        for keys in schema.indexes.values()
        if is_plain(keys.index)
    ]
    return {
        "entity_type": entity.type,
        **_templates(schema, schema.keys),
        **({"gsi_mappings": mappings} if mappings else {}),
        "fields": [*_fields(entity), *_written_fields(schema)],
        "access_patterns": list(_patterns(described, entity.name)),
    }


def _templates(schema: Schema, keys: Keys) -> dict[str, str]:
    sides = zip(("pk_template", "sk_template"), keys.parts, strict=False)
    return {side: "".join(_pieces(schema, part)) for side, part in sides}


def _pieces(schema: Schema, part: KeyAttribute) -> Iterator[str]:
    """Write a template with attributes in place of fields: the schema has one name for both."""
    if not isinstance(part, TemplateKey):
        yield f"{{{part.attribute}}}"
        return
    for literal, field, spec in _slots(part):
        yield literal
        if field:
            yield f"{{{_slot_name(schema, field, spec)}}}"


def _slots(part: TemplateKey) -> Iterator[tuple[str, str, str]]:
    for literal, field, spec, _ in Formatter().parse(part.template.text):
        yield literal, field or "", spec or ""


def _slot_name(schema: Schema, field: str, spec: str) -> str:
    name = schema.attributes.get(field, field)
    return "_".join([name, *re.findall(r"\w+", spec)])


def _written_fields(schema: Schema) -> Iterator[dict[str, Any]]:
    """Give the fields for what templates write in a way of their own."""
    names: dict[str, None] = {}
    for keys in schema.all_keys:
        for part in keys.parts:
            slots = _slots(part) if isinstance(part, TemplateKey) else ()
            names |= {
                _slot_name(schema, field, spec): None
                for _, field, spec in slots
                if spec or (field and field not in schema.fields)
            }
    yield from ({"name": name, "type": "string", "required": True} for name in names)


def _fields(entity: EntityChart) -> Iterator[dict[str, Any]]:
    for one in entity.attributes:
        field: dict[str, Any] = {"name": one.attribute, "type": "array"}
        if one.kind in _ARRAYS:
            field["item_type"] = _ARRAYS[one.kind]
        elif one.kind == "N":
            field["type"] = "decimal" if re.search("Decimal|float", one.type) else "integer"
        else:
            field["type"] = _TYPES[one.kind]
        # What has a default is always stored; only what can be None may be absent.
        yield field | {"required": re.search(r"\bNone\b", one.type) is None}


def _patterns(described: Description, entity: str) -> Iterator[dict[str, Any]]:
    """Give the patterns whose first entity is this one; their numbers are those of the store."""
    for number, trace in enumerate(described.traces, 1):
        if trace.entities and trace.entities[0].name == entity and trace.fault is None:
            yield {"pattern_id": number} | _pattern(trace)


def _pattern(trace: Trace) -> dict[str, Any]:
    given = [
        {"name": name, "type": _PARAMETERS.get(kind, "string")} for name, kind in parameters(trace)
    ]
    index = trace.reads[0][1].index
    return {
        "name": trace.pattern.name,
        "description": summary(trace.pattern.purpose),
        "operation": trace.kind,
        **({"index_name": index.name} if index.name and is_plain(index) else {}),
        **_range(trace),
        "parameters": given,
        "return_type": _return_type(trace),
    }


def _range(trace: Trace) -> dict[str, str]:
    if any(isinstance(value, Between) for value in trace.known.values()):
        return {"range_condition": "between"}
    comparison = trace.read.comparison if isinstance(trace.read, Query) else None
    return {"range_condition": _CONDITIONS.get(comparison[0], comparison[0])} if comparison else {}


def _return_type(trace: Trace) -> str:
    if isinstance(trace.read, Get):
        return "single_entity"
    several = isinstance(trace.read, Collection) or len(trace.entities) > 1
    return "mixed_data" if several else "entity_list"
