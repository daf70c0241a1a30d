"""Which rule makes which entity: that of its own table, or of the one that its rows belong to.

A row that lacks what a key needs, such as the user of a summary, may belong to one that has it:
then it comes along with that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .matching import Match, fillable, find, required
from .names import Words, identifier, words
from .tables import OldTable
from .values import Value, conversion

DEPTH_MAX = 3
ROW = "row"


@dataclass(frozen=True, slots=True)
class Making:
    """An entity that a rule makes, of its row or of each that comes along by a column."""

    match: Match
    values: tuple[Value, ...]
    along: str | None = None
    """The column by which the rows belong to the rule's row."""

    @property
    def variable(self) -> str:
        """Name the row that it is made of."""
        return ROW if self.along is None else identifier(" ".join(words(self.match.table.name)))


@dataclass(frozen=True, slots=True)
class DraftRule:
    """A rule to write."""

    table: OldTable
    makings: list[Making] = field(default_factory=list)

    @property
    def related(self) -> dict[str, str]:
        """Give the tables whose rows come along, each with its column."""
        return {one.match.table.name: one.along for one in self.makings if one.along is not None}


class Arranger:
    """Finds a rule for each entity, and a value for each of its fields."""

    def __init__(self, tables: Mapping[str, OldTable], matches: Sequence[Match]) -> None:
        self._tables = tables
        self._matches = matches
        self._entity_of: dict[str, Words] = {
            one.table.name: words(one.schema.name) for one in matches
        }

    def rules(self) -> list[DraftRule]:
        """Give all rules, in the order of the tables."""
        rules = {name: DraftRule(table) for name, table in self._tables.items()}
        for match in self._matches:
            along = self._holder(match)
            holder = match.table if along is None else self._tables[match.table.refers[along]]
            rules[holder.name].makings.append(self._making(match, holder, along))
        return [rule for rule in rules.values() if rule.makings]

    def _holder(self, match: Match) -> str | None:
        """Name the column by which a row belongs to one that has most of what it lacks."""
        found = {
            column: sum(self._find(parent, name) is not None for name in match.missing)
            for column, parent in match.table.refers.items()
            if parent != match.table.name
        }
        best = max(found, key=lambda column: found[column], default=None)
        return best if best is not None and found[best] else None

    def _find(self, table: str, name: str) -> str | None:
        column = find(self._tables[table], name, self._entity_of)
        return None if column is None else column.name

    def _making(self, match: Match, holder: OldTable, along: str | None) -> Making:
        own = Making(match, (), along)
        values = (self._value(own, holder, name) for name in fillable(match.schema))
        return Making(match, tuple(one for one in values if one is not None), along)

    def _value(self, making: Making, holder: OldTable, name: str) -> Value | None:
        match = making.match
        table, column, variable = match.table, match.columns.get(name), making.variable
        needed = name in required(match.schema)
        if column is None and making.along is not None and needed:
            table, column, variable = holder, find(holder, name, self._entity_of), ROW
        if column is None:
            return self._unmatched(match, name, self._hint(match, name)) if needed else None
        reads = f"{table.name}.{column.name}"
        text = conversion(match.schema.fields[name], column, variable)
        if text is None:
            types = (column.type, match.schema.fields[name].annotation)
            given, taken = (getattr(one, "__name__", str(one)) for one in types)
            return self._unmatched(match, name, f"{reads} holds {given}, the field takes {taken}")
        return Value(name, text, "by its values" if name in match.by_values else "", reads)

    def _unmatched(self, match: Match, name: str, hint: str) -> Value:
        text = f'unmatched("{match.schema.name}.{name}")'
        return Value(name, text, f"not matched: {hint}")

    def _hint(self, match: Match, name: str) -> str:
        found = next(self._ways(match.table.name, name, ()), None)
        if found is not None:
            return found
        unread = ", ".join(match.unread) or "none"
        return f"no column of {match.table.name} is named so; not read are: {unread}"

    def _ways(self, table: str, name: str, way: tuple[str, ...]) -> Iterator[str]:
        """Say where a field is found by following references, the nearest first."""
        if len(way) >= DEPTH_MAX:
            return
        parents = self._tables[table].refers.items()
        for column, parent in parents:
            there = self._find(parent, name)
            if there is not None:
                yield f"it is in {parent}.{there}, by {', '.join((*way, f'{table}.{column}'))}"
        for column, parent in parents:
            yield from self._ways(parent, name, (*way, f"{table}.{column}"))
