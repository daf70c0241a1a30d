"""The statements of PartiQL as trees: what a text asks for, before any table is looked at.

Conditions and updates are nodes of ``singletable.expressions``; the n-th ``?`` of a statement is a
``Placeholder`` of the name ``parameter(n)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from singletable.expressions import conditions as c
from singletable.expressions import update as u
from singletable.expressions.paths import Path
from singletable.expressions.tree import Operand


@dataclass(frozen=True, slots=True)
class Source:
    """The name of a table, and of an index of it if that is read."""

    table: str
    index: str | None = None


class Order(NamedTuple):
    """One term of ORDER BY."""

    name: str
    descending: bool


class Returning(NamedTuple):
    """What a write answers: all attributes or the modified ones, as they were or are now."""

    modified: bool
    old: bool

    def __str__(self) -> str:
        return f"{'MODIFIED' if self.modified else 'ALL'} {'OLD' if self.old else 'NEW'}"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What all statements have: a table, a condition, and what whoever runs them must know."""

    source: Source
    where: c.Condition | None = None
    parameters: int = 0
    """How many ``?`` there are."""
    refusal: str | None = None
    """Why DynamoDB does not run the statement, though it is well formed."""


@dataclass(frozen=True, kw_only=True)
class Select(Statement):
    """A SELECT: reads items; with no columns, all of their attributes."""

    columns: tuple[Path, ...] = ()
    order: tuple[Order, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Insert(Statement):
    """An INSERT: makes one item that is not there yet."""

    item: Mapping[str, Operand]


@dataclass(frozen=True, kw_only=True)
class Update(Statement):
    """An UPDATE: changes one item that is there."""

    update: u.Update
    returning: Returning | None = None


@dataclass(frozen=True, kw_only=True)
class Delete(Statement):
    """A DELETE: removes one item, if it is there."""

    returning: Returning | None = None


@dataclass(frozen=True, kw_only=True)
class Exists(Statement):
    """An EXISTS: checks, among writes, that one item is there and is as it should be."""


def parameter(position: int) -> str:
    """Name the placeholder of a ``?``, counted from 0."""
    return f"?{position}"
