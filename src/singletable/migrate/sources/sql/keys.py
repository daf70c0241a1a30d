"""Conditions on keys: after one, up to another, among some.

All comparing is left to the database, by the collation that the column has there: so every read
agrees with the order of the index that serves it, whatever that order is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from operator import eq, ge, gt, le, lt
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Column,
    ColumnElement,
    LargeBinary,
    Text,
    and_,
    any_,
    cast,
    false,
    func,
    literal,
    literal_column,
    or_,
    true,
    tuple_,
)

from singletable.errors import UsageError
from singletable.migrate.sources.source import Id, Span

from . import ids
from .types import Native, Undecoded

Key = Sequence[Column[Any]]
Compare = Callable[[Any, Any], ColumnElement[bool]]

_ROW_VALUES = {"postgresql", "sqlite"}
"""Dialects that compare rows of values, and use an index for it."""


def values_of(key: Key, id_: Id) -> Id:
    """Give the values of a key in their types; a UUID may come as its text."""
    if len(id_) != len(key):
        names = " and ".join(column.name for column in key)
        raise UsageError(f"{tuple(id_)!r} is no id of a row: its key is {names}")
    return tuple(map(_value_of, key, ids.read(id_)))


def _value_of(column: Column[Any], value: Any) -> Any:
    if not isinstance(value, str) or getattr(column.type, "base", "") != "uuid":
        return value
    try:
        return UUID(value)
    except ValueError:
        raise UsageError(
            f"{value!r} is no uuid, as the column {column.name!r} of a key wants"
        ) from None


def within(key: Key, span: Span, dialect: str) -> ColumnElement[bool]:
    """Say that a key lies in a span."""
    conditions = [
        _compared(key, values_of(key, bound), compare, dialect)
        for bound, compare in ((span.after, gt), (span.upto, le))
        if bound is not None
    ]
    return and_(true(), *conditions)


def among(key: Key, values: Sequence[Id], dialect: str) -> ColumnElement[bool]:
    """Say that a key is one of some."""
    if Undecoded in map(type, chain.from_iterable(values)):
        return or_(*(equal(key, one) for one in values))
    if len(key) == 1:
        return _any(key[0], [one for (one,) in values])
    if dialect in _ROW_VALUES:
        return tuple_(*key).in_(values)
    return or_(false(), *(equal(key, one) for one in values))


def equal(key: Key, values: Id) -> ColumnElement[bool]:
    """Say that a key is this one."""
    return and_(*map(eq, key, map(_bound, key, values)))


def _any(column: Column[Any], values: list[Any]) -> ColumnElement[bool]:
    if not isinstance(column.type, Native):
        return column.in_(values)
    # One parameter, however many values: quicker to send, and planned once.
    name, base = column.type.name, column.type.base
    return column == any_(literal(values, Native(f"{name}[]", f"{base}[]")))


def _compared(key: Key, values: Id, compare: Compare, dialect: str) -> ColumnElement[bool]:
    bound = [*map(_bound, key, values)]
    if len(key) > 1 and dialect in _ROW_VALUES:
        return compare(tuple_(*key), tuple_(*bound))
    return _by_parts(key, bound, compare)


def _bound(column: Column[Any], value: Any) -> ColumnElement[Any]:
    """Give a value to compare with; of a text that is not UTF-8, the database makes it of bytes."""
    if not isinstance(value, Undecoded):
        return literal(value, column.type)
    if not isinstance(column.type, Native):
        return cast(literal(value, LargeBinary), Text)
    raw = literal(bytes(value), Native("bytea", "bytea"))
    return cast(func.convert_from(raw, literal_column("'SQL_ASCII'")), column.type)


def _by_parts(
    key: Key, bound: Sequence[ColumnElement[Any]], compare: Compare
) -> ColumnElement[bool]:
    first, value = key[0], bound[0]
    if len(key) == 1:
        return compare(first, value)
    strictly, loosely = (gt, ge) if compare is gt else (lt, le)
    # The first part stands by itself, too, so that an index can be used for it.
    rest = _by_parts(key[1:], bound[1:], compare)
    return and_(loosely(first, value), or_(strictly(first, value), rest))
