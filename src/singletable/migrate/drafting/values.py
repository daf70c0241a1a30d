"""From a column to a field: the expression that a draft writes, or why there is none."""

from __future__ import annotations

from ast import literal_eval
from dataclasses import dataclass
from datetime import date, datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from singletable.model.large import Large

from .names import quoted
from .tables import Column

_DOCUMENTS = (list, dict)
_TIMES = (datetime, date)


@dataclass(frozen=True, slots=True)
class Value:
    """What a draft writes for a field."""

    field: str
    text: str
    """The expression."""
    remark: str = ""
    reads: str | None = None
    """The column, with its table; None where there is no match."""


def literals(info: FieldInfo) -> frozenset[Any]:
    """Give the values that a field is confined to; none where it is not."""
    return frozenset(value for one in _members(info.annotation) for value in _literal(one))


def conversion(info: FieldInfo, column: Column, variable: str) -> str | None:
    """Write how a field gets its value from a column; None where their types do not agree."""
    name = quoted(column.name)
    text = f"{variable}.get({name})" if column.sparse else f"{variable}[{name}]"
    wanted = {_kind(one) for one in _members(info.annotation)}
    given = column.type
    if given in (None, *wanted) or not wanted.intersection((str, *_DOCUMENTS)):
        return _without_nulls(info, column, text)
    if str in wanted and given in (int, UUID):
        return _unless_null(info, column, text, f"str({text})")
    if str in wanted and given in _TIMES:
        return _unless_null(info, column, text, f"{text}.isoformat()")
    documents = given in _DOCUMENTS and bool(wanted.intersection(_DOCUMENTS))
    return _without_nulls(info, column, text) if documents else None


def _unless_null(info: FieldInfo, column: Column, text: str, converted: str) -> str:
    """Convert what is there; a null that the field does not take stays one, and is refused."""
    if not column.nullable:
        return converted
    if NoneType in _members(info.annotation):
        return f"None if {text} is None else {converted}"
    if column.type is int:  # 0 is no null
        return f"{converted} if isinstance({text}, int) else {text}"
    return f"{text} and {converted}"


def _without_nulls(info: FieldInfo, column: Column, text: str) -> str:
    """Give the field's default in the place of null, where the field does not take that."""
    default = info.get_default(call_default_factory=False)
    takes_none = NoneType in _members(info.annotation)
    if not column.nullable or takes_none or default is None or not _is_literal(default):
        return text
    written = quoted(default) if isinstance(default, str) else repr(default)
    return f"{text} or {written}" if not default else f"{written} if {text} is None else {text}"


def _is_literal(value: Any) -> bool:
    """Tell whether a value can be written without importing anything: no enum, and no time."""
    try:
        return bool(literal_eval(repr(value)) == value)
    except (SyntaxError, ValueError):
        return False


def _members(annotation: Any) -> list[Any]:
    """Give the types of a union, each without its annotations."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _members(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [member for one in get_args(annotation) for member in _members(one)]
    return [annotation]


def _literal(member: Any) -> tuple[Any, ...]:
    return get_args(member) if get_origin(member) is Literal else ()


def _kind(member: Any) -> Any:
    origin = get_origin(member) or member
    if origin is Literal:
        return type(get_args(member)[0])
    if origin is Large:
        return get_args(member)[0] if get_args(member) else str
    if origin in (set, frozenset, tuple):
        return list
    return dict if isinstance(origin, type) and issubclass(origin, BaseModel) else origin
