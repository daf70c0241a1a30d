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
    """Names a table, or an index of it."""

    table: str
    index: str | None = None


class Order(NamedTuple):
    """Is one term of ORDER BY."""

    name: str
    descending: bool


class Returning(NamedTuple):
    """Says what a write answers: all attributes or the modified ones, as they were or are now."""

    modified: bool
    old: bool

    def __str__(self) -> str:
        return f"{'MODIFIED' if self.modified else 'ALL'} {'OLD' if self.old else 'NEW'}"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Is what all statements have: where they work, and what is asked of whoever runs them."""

    source: Source
    where: c.Condition | None = None
    parameters: int = 0
    """How many ``?`` there are."""
    refusal: str | None = None
    """Why DynamoDB does not run the statement, though it is well formed."""


@dataclass(frozen=True, kw_only=True)
class Select(Statement):
    """Reads items; no columns are all of them."""

    columns: tuple[Path, ...] = ()
    order: tuple[Order, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Insert(Statement):
    """Makes one item that is not there yet."""

    item: Mapping[str, Operand]


@dataclass(frozen=True, kw_only=True)
class Update(Statement):
    """Is an UPDATE: changes one item that is there."""

    update: u.Update
    returning: Returning | None = None


@dataclass(frozen=True, kw_only=True)
class Delete(Statement):
    """Removes one item, if it is there."""

    returning: Returning | None = None


@dataclass(frozen=True, kw_only=True)
class Exists(Statement):
    """Checks, in a transaction that writes, that one item is there and is as it should be."""


def parameter(position: int) -> str:
    """Name the placeholder of a ``?``, counted from 0."""
    return f"?{position}"
