"""Diagrams for Mermaid: the entities with their relations, and which index serves what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from singletable.model.table import TableIndex

from .chart import AttributeChart, EntityChart
from .description import Description

ENTITIES_MAX = 4
"""How many entities a pattern's node names."""
_INDENT = "    "
_KINDS = {"S": "string", "N": "number", "BOOL": "boolean", "L": "list", "M": "map", "B": "binary"}


def mermaid(described: Description) -> str:
    """Write both diagrams, one after the other."""
    return f"{entity_diagram(described)}\n{pattern_diagram(described)}"


def entity_diagram(described: Description) -> str:
    """Draw the entities, their attributes and how they belong together."""
    lines = ["erDiagram"]
    for entity in described.entities:
        lines += _entity(entity)
    lines += _relations(described)
    return "\n".join(lines) + "\n"


def _entity(entity: EntityChart) -> Iterator[str]:
    keys = " ".join((*entity.key.pk, *entity.key.sk))
    indexed = " ".join(text for key in entity.indexes for text in (*key.pk, *key.sk))
    yield f"{_INDENT}{entity.name} {{"
    for attribute in entity.attributes:
        yield f"{_INDENT * 2}{_attribute(attribute, keys, indexed)}"
    yield f"{_INDENT}}}"


def _attribute(attribute: AttributeChart, keys: str, indexed: str) -> str:
    """Write an attribute: PK where the primary key has it, FK where only an index key has it."""
    slot = re.compile(rf"\{{{attribute.field}[:}}]")
    mark = " PK" if slot.search(keys) else " FK" if slot.search(indexed) else ""
    return f"{_KINDS.get(attribute.kind, attribute.kind.lower())} {attribute.field}{mark}"


def _relations(described: Description) -> Iterator[str]:
    """Write a line for each pair of entities; the label says all that relates them."""
    pairs = groupby(described.relations, key=lambda one: (one.parent, one.child))
    for (parent, child), group in pairs:
        label = ", ".join(_text(one.label) for one in group)
        yield f'{_INDENT}{parent} ||--o{{ {child} : "{label}"'


def pattern_diagram(described: Description) -> str:
    """Draw which access pattern is served by the table and which by an index."""
    table = described.table
    lines = ["flowchart LR"]
    names = {index.name: number for number, index in enumerate(_indexes(described))}
    for index in _indexes(described):
        keys = ", ".join(index.attributes)
        shape = "[({})]" if index.name is None else "[[{}]]"
        text = f'"{_text(index.name or table.name)}<br/>{_text(keys)}"'
        lines.append(f"{_INDENT}i{names[index.name]}{shape.format(text)}")
    for number, pattern in enumerate(described.patterns):
        many = len(pattern.entities) > ENTITIES_MAX
        entities = f"{len(pattern.entities)} entities" if many else ", ".join(pattern.entities)
        label = f'"{_text(pattern.name)}<br/>{_text(entities)}"'
        edge = f"-- {pattern.operation} -->"
        lines.append(f"{_INDENT}i{names.get(pattern.index, 0)} {edge} p{number}({label})")
    return "\n".join(lines) + "\n"


def _indexes(described: Description) -> tuple[TableIndex, ...]:
    return (described.table.primary, *described.table.indexes.values())


def _text(text: str) -> str:
    """Write a text that stands between quotes."""
    return text.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace("\n", " ")
