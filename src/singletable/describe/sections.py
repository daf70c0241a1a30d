"""The text of a description: titled tables, which Markdown and HTML write each in their way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .chart import EntityChart, KeyChart
from .description import Description
from .partitions import Layout
from .patterns import PatternChart


class Code(str):
    """Text that is code: a template, a name, a condition."""

    __slots__ = ()


Line = str | Code
Cell = tuple[Line, ...]
"""The lines of a cell."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a title; ``anchor`` names it in links."""

    anchor: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the description with one or more grids."""

    anchor: str
    title: str
    note: str
    grids: tuple[Grid, ...]


def sections(described: Description) -> tuple[Section, ...]:
    """Write the sections of a description, in their order."""
    return (
        Section(
            "entities",
            "Entities",
            "Every entity with its keys, and what the store keeps true of its items.",
            (_entities(described), *(_attributes(entity) for entity in described.entities)),
        ),
        Section(
            "patterns",
            "Access patterns",
            "Every access pattern with the request that it makes.",
            (_patterns(described),),
        ),
        Section(
            "collections",
            "Item collections",
            "Sample items as the table and its indexes hold them: one partition after the other, "
            "each in the order of its sort keys.",
            tuple(_collections(layout) for layout in described.layouts),
        ),
    )


def _entities(described: Description) -> Grid:
    pk, sk = described.table.primary.pk, described.table.primary.sk
    header = ("Entity", "Type", ", ".join(pk), ", ".join(sk) or "no sort key", "Indexes", "Kept")
    rows = tuple(_entity(entity) for entity in described.entities)
    return Grid("entity-chart", "Entity chart", header, rows)


def _entity(entity: EntityChart) -> tuple[Cell, ...]:
    return (
        (entity.name, entity.purpose) if entity.purpose else (entity.name,),
        (Code(entity.type),),
        tuple(map(Code, entity.key.pk)),
        tuple(map(Code, entity.key.sk)),
        tuple(line for key in entity.indexes for line in _index(key)),
        entity.kept,
    )


def _index(key: KeyChart) -> Iterator[Line]:
    keys = ", ".join((*key.pk, *key.sk))
    yield Code(f"{key.index}: {keys}")
    if key.when:
        yield f"when {key.when}"


def _attributes(entity: EntityChart) -> Grid:
    rows: list[tuple[Cell, ...]] = [
        (
            (Code(one.field),),
            (Code(one.attribute),),
            (Code(one.type),),
            (one.kind,),
            ("yes" if one.required else "",),
        )
        for one in entity.attributes
    ]
    header = ("Field", "Attribute", "Type", "DynamoDB", "Required")
    return Grid(f"entity-{entity.name}", entity.name, header, tuple(rows), entity.purpose)


def _patterns(described: Description) -> Grid:
    header = (
        "Pattern",
        "Purpose",
        "Parameters",
        "Operation",
        "Index",
        "Key condition",
        "Entities",
        "Page",
        "Per second",
    )
    rows = tuple(_pattern(pattern, described.table.name) for pattern in described.patterns)
    return Grid("pattern-table", "Access patterns", header, rows)


def _pattern(pattern: PatternChart, table: str) -> tuple[Cell, ...]:
    lines: list[Line] = [Code(pattern.condition)] if pattern.condition else []
    lines += [Code(f"filter: {pattern.filter}")] if pattern.filter else []
    lines += [pattern.order] if pattern.order else []
    lines += [f"cannot be run: {pattern.fault}"] if pattern.fault else []
    return (
        (Code(pattern.name),),
        (pattern.purpose,),
        tuple(Code(f"{name}: {kind}") for name, kind in pattern.parameters),
        (pattern.operation, pattern.spread) if pattern.spread else (pattern.operation,),
        (pattern.index or table,),
        tuple(lines),
        tuple(pattern.entities),
        ("" if pattern.page is None else str(pattern.page),),
        ("" if pattern.rate_per_s is None else f"{pattern.rate_per_s:g}",),
    )


def _collections(layout: Layout) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    for collection in layout.collections:
        for number, row in enumerate(collection.rows):
            pk: Cell = () if number else (Code(collection.pk),)
            attributes = tuple(Code(f"{name}: {text}") for name, text in row.attributes)
            sk: Cell = (Code(row.sk),) if row.sk else ()
            rows.append((pk, sk, (row.entity,), attributes))
    header = (layout.pk, layout.sk or "no sort key", "Entity", "Attributes")
    return Grid(f"items-{layout.title}", layout.title, header, tuple(rows))
