"""A draft from its beginning to its end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from singletable.errors import UsageError
from singletable.migrate.sources.address import open_source
from singletable.migrate.sources.showing import masked
from singletable.store.store import Store

from .arranging import Arranger, DraftRule, Making
from .matching import Match, fillable, matched
from .names import words
from .tables import OldTable, look
from .text import module


@dataclass(frozen=True, slots=True)
class Draft:
    """A first draft of a migration."""

    text: str
    """The module."""
    name: str
    """The class in it."""
    notes: tuple[str, ...]
    """What was not matched."""


def draft(store: type[Store], source: str) -> Draft:
    """Draft a migration from the tables of a source to a store; writes nothing."""
    with closing(open_source(source)) as opened:
        tables = look(opened)
    matches = matched(store.table.entities.values(), tables)
    if not matches:
        raise UsageError(
            f"No table of {masked(source)} is named like an entity of {store.__name__}; it has "
            f"{', '.join(tables) or 'none'}"
        )
    rules = Arranger(tables, matches).rules()
    notes = tuple(_notes(store, tables, rules))
    return Draft(module(store, rules, notes), f"To{store.__name__}", notes)


def _notes(
    store: type[Store], tables: Mapping[str, OldTable], rules: Sequence[DraftRule]
) -> Iterator[str]:
    makings = [making for rule in rules for making in rule.makings]
    for making in makings:
        yield from _of_making(making)
    used = {name for rule in rules for name in (rule.table.name, *rule.related)}
    made = {making.match.schema.name for making in makings}
    schemas = [one for one in store.table.entities.values() if one.is_whole]
    lists = {
        "tables that nobody reads": [name for name in tables if name not in used],
        "columns that nobody reads": list(_unread(tables, used, rules)),
        "entities that nobody makes": [one.name for one in schemas if one.name not in made],
    }
    yield from (f"{what}: {', '.join(names)}" for what, names in lists.items() if names)
    yield "queries: each query of the old application, with the pattern that takes its place"


def _of_making(making: Making) -> Iterator[str]:
    match, schema = making.match, making.match.schema
    holes = [value.field for value in making.values if value.reads is None]
    if holes:
        yield f"fields of {schema.name} that are not matched: {', '.join(holes)}"
    given = {value.field for value in making.values}
    left = [_guessed(match, name) for name in fillable(schema) if name not in given]
    if left:
        yield f"fields of {schema.name} that are left out: {', '.join(left)}"
    if making.along is not None and match.table.columns[making.along].nullable:
        yield f"rows of {match.table.name} whose {making.along} is null: nobody reads them"


def _guessed(match: Match, field: str) -> str:
    """Name a field, with columns that share a word with it and that nobody reads."""
    near = [one for one in match.unread if set(words(one)) & set(words(field)) - {"id"}]
    return f"{field} (from {' or '.join(near)}?)" if near else field


def _unread(
    tables: Mapping[str, OldTable], used: Collection[str], rules: Sequence[DraftRule]
) -> Iterator[str]:
    """Name the columns of tables in use that neither a field nor a relation reads."""
    read = {value.reads for rule in rules for making in rule.makings for value in making.values}
    for rule in rules:
        read |= {f"{table}.{column}" for table, column in rule.related.items()}
        read |= {f"{rule.table.name}.{name}" for name in rule.table.key if rule.related}
    for table in tables.values():
        names = (f"{table.name}.{column}" for column in table.columns if table.name in used)
        yield from (name for name in names if name not in read)
