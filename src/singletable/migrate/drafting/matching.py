"""Which table an entity comes from, and which column each of its fields.

By names first; then by what columns refer to; last, a field that is confined to some values by the
one column that has no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from singletable.migrate.items import left_to_chance
from singletable.model.schema import Schema

from .names import Words, likeness, mean_the_same, without, words
from .tables import Column, OldTable
from .values import literals


@dataclass(slots=True)
class Match:
    """An entity with the table that it comes from, and the columns of its fields."""

    schema: Schema
    table: OldTable
    columns: dict[str, Column] = field(default_factory=dict)
    by_values: set[str] = field(default_factory=set)
    """Fields whose column has another name."""

    @property
    def missing(self) -> list[str]:
        """Name the fields without a column that need one."""
        return [name for name in required(self.schema) if name not in self.columns]

    @property
    def unread(self) -> list[str]:
        """Name the columns that no field comes from."""
        read = {column.name for column in self.columns.values()}
        return [name for name in self.table.columns if name not in read]


def required(schema: Schema) -> Iterator[str]:
    """Name the fields that a row has to give."""
    chance = left_to_chance(schema)
    for name in fillable(schema):
        if schema.fields[name].is_required() or name in chance:
            yield name


def fillable(schema: Schema) -> list[str]:
    """Name the fields that are not filled by the store alone."""
    own = {schema.version_field, *schema.aggregates}
    return [name for name in schema.fields if name not in own]


def matched(schemas: Iterable[Schema], tables: Mapping[str, OldTable]) -> list[Match]:
    """Find the table of each entity that has one, and the columns of its fields."""
    pairs = _pairs([one for one in schemas if one.is_whole], tables.values())
    entity_of = {table.name: words(schema.name) for schema, table in pairs}
    matches = [Match(schema, table) for schema, table in pairs]
    for match in matches:
        for name in fillable(match.schema):
            column = find(match.table, name, entity_of)
            if column is not None:
                match.columns[name] = column
        _by_values(match)
    return matches


def _pairs(schemas: list[Schema], tables: Iterable[OldTable]) -> list[tuple[Schema, OldTable]]:
    """Pair entities with tables, those first whose names are most alike; none of them twice."""
    alike = [
        (_alike(schema, table), -place, schema, table)
        for place, table in enumerate(tables)
        for schema in schemas
    ]
    pairs: dict[str, tuple[Schema, OldTable]] = {}
    taken: set[str] = set()
    for score, _, schema, table in sorted(alike, key=lambda one: one[:2], reverse=True):
        if score and schema.name not in taken and table.name not in pairs:
            pairs[table.name] = (schema, table)
            taken.add(schema.name)
    return [pairs[table.name] for table in tables if table.name in pairs]


def _alike(schema: Schema, table: OldTable) -> int:
    name = words(table.name)
    return max(likeness(name, words(schema.name)), likeness(name, words(schema.type)))


def find(table: OldTable, name: str, entity_of: Mapping[str, Words]) -> Column | None:
    """Find the column of a table that a field comes from, by what both are called."""
    wanted, owner = words(name), entity_of.get(table.name, words(table.name))
    for found in (
        _named(table, wanted),  # user_id is user_id
        _named(table, without(wanted, owner)),  # of a session, session_id is id
        _named(table, (*owner, *wanted)),  # of a user, email is user_email
        _referring(table, wanted, entity_of),  # user_id is owner, which refers to users
    ):
        if found is not None:
            return found
    return None


def _named(table: OldTable, wanted: Words | None) -> Column | None:
    if wanted is None:
        return None
    same = (one for one in table.columns.values() if mean_the_same(words(one.name), wanted))
    return next(same, None)


def _referring(table: OldTable, wanted: Words, entity_of: Mapping[str, Words]) -> Column | None:
    found = [
        table.columns[column]
        for column, target in table.refers.items()
        if wanted == (*entity_of.get(target, words(target)), "id")
    ]
    return found[0] if len(found) == 1 else None


def _by_values(match: Match) -> None:
    for name in fillable(match.schema):
        allowed = literals(match.schema.fields[name])
        if name in match.columns or not allowed:
            continue
        columns = [match.table.columns[one] for one in match.unread]
        fitting = [one for one in columns if one.values and one.values <= allowed]
        if len(fitting) == 1:
            match.columns[name] = fitting[0]
            match.by_values.add(name)
