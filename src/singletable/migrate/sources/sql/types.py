"""The types of columns: as little of SQLAlchemy's as loses nothing.

PostgreSQL's values are given by psycopg, and taken with a cast to the column's own type, of which
the server knows the name: so enums, domains, arrays and extensions need nothing of their own.
SQLite keeps any value in any column: one that is not what the column says is given as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from sqlalchemy import JSON, Dialect, Float, Integer, Numeric, String
from sqlalchemy.types import NullType, TypeEngine, UserDefinedType

from singletable.migrate.sources.errors import SourceRefused

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, InvalidOperation)


class Undecoded(bytes):
    """A text that is not UTF-8: bytes to Python, and still a text in the database."""


class Native(UserDefinedType[Any]):
    """A type of PostgreSQL, by the name that it has there, without length or scale.

    A cast to a length would cut a value that is too long, where the column refuses it.
    """

    cache_ok = True
    render_bind_cast = True

    def __init__(self, name: str, base: str, none: str = "NULL") -> None:
        self.name = name
        self.base = base
        """Below a domain; json and jsonb take any Python value."""
        self.none = none
        """What None is in a document: SQL's NULL or JSON's null."""

    def get_col_spec(self, **_: Any) -> str:
        """Name it in a cast."""
        return self.name

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Wrap documents, which psycopg would take for arrays or nothing it knows."""
        from psycopg.types.json import Json, Jsonb

        wraps = {"json": Json, "jsonb": Jsonb}
        if self.base in wraps:
            return partial(_document, wraps[self.base], self.none)
        if self.base.removesuffix("[]") in wraps:
            return partial(_documents, wraps[self.base.removesuffix("[]")])
        return _alike if self.base in {"bytea", "bytea[]"} else self._no_bytes

    def _no_bytes(self, value: Any) -> Any:
        if isinstance(value, bytes):
            raise SourceRefused(f"bytes cannot be written to a column of the type {self.name}")
        return _alike(value)


def _document(wrap: Callable[[Any], Any], none: str, value: Any) -> Any:
    return None if value is None and none == "NULL" else wrap(value)


def _documents(wrap: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, list):
        return [_document(wrap, "NULL", one) for one in value]
    return value


def _alike(value: Any) -> Any:
    """Give an array of one type: in one with a text for an infinite time, all have to be texts."""
    if isinstance(value, list) and len({type(one) for one in value if one is not None}) > 1:
        return [None if one is None else str(one) for one in value]
    return value


class Lenient(UserDefinedType[Any]):
    """A type of SQLite's whose values need not be of it."""

    cache_ok = True

    def __init__(self, usual: TypeEngine[Any]) -> None:
        self.usual = usual

    def get_col_spec(self, **_: Any) -> str:
        """Name it in a cast."""
        return str(self.usual)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        """Write a value by its type, or as it is."""
        return _zoned(_or_raw(self.usual.dialect_impl(dialect).bind_processor(dialect)))

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        """Read a value by its type, or as it is."""
        return _or_raw(self.usual.dialect_impl(dialect).result_processor(dialect, coltype))


class Exact(UserDefinedType[Any]):
    """A decimal number in SQLite, with the digits that it is shown with there."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """Name it in a cast."""
        return "NUMERIC"

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Write a number as text, of which the column's affinity makes a number."""
        return lambda value: str(value) if isinstance(value, Decimal) else value

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Read a number; a text that is none stays one."""
        return lambda value: Decimal(repr(value)) if isinstance(value, int | float) else value


def of_sqlite(usual: TypeEngine[Any], *, in_key: bool, nullable: bool) -> TypeEngine[Any]:
    """Give the type to use for a column; a key is compared as it stands in the file."""
    if in_key and not isinstance(usual, Integer | String):
        return NullType()
    if isinstance(usual, JSON):
        return Lenient(JSON(none_as_null=nullable))
    if isinstance(usual, Numeric) and not isinstance(usual, Float):
        return Exact()
    return Lenient(usual)


def _or_raw(process: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    if process is None:
        return None

    def leniently(value: Any) -> Any:
        try:
            return process(value)
        except _UNREADABLE:
            return value

    return leniently


def _zoned(process: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    """Write a time with its zone, which SQLAlchemy leaves out; as text it is read again."""
    if process is None:
        return None
    return lambda value: str(value) if getattr(value, "tzinfo", None) else process(value)
