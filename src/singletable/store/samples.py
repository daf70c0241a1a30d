"""Sample values of types: what an access pattern is called with when it is traced.

A text is its parameter's name in angle quotes, so that it can be seen in the keys that it ends up
in. Other samples are ordinary values; no two parameters of a pattern have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from inspect import Parameter as Declared
from inspect import signature
from itertools import count
from typing import Any, Literal, get_args, get_origin, get_type_hints
from uuid import UUID

from singletable.errors import DesignError
from singletable.model.hints import options

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


def sample_arguments(method: Callable[..., Any]) -> dict[str, Any]:
    """Give a sample for each parameter of a pattern's method that has to be given."""
    hints = get_type_hints(method, include_extras=True)
    numbers = count(1)
    given = list(signature(method).parameters.values())[1:]
    return {
        one.name: sample(one.name, hints.get(one.name, str), next(numbers))
        for one in given
        if one.kind not in {Declared.VAR_POSITIONAL, Declared.VAR_KEYWORD}
    }


def sample(name: str, annotation: Any, number: int = 1) -> Any:
    """Give a value of a type; the same name and number give the same one."""
    for option in options(annotation):
        if option in PLAIN:
            return PLAIN[option](name, number)
        if isinstance(option, type) and issubclass(option, Enum):
            return next(iter(option))
        if isinstance(option, type):
            for kind, make in PLAIN.items():
                if issubclass(option, kind):
                    return option(make(name, number))
        origin, arguments = get_origin(option) or option, get_args(option)
        if origin is Literal:
            return arguments[0]
        if origin in COLLECTIONS:
            inner = arguments[0] if arguments else str
            return COLLECTIONS[origin]([sample(name, inner, number)])
    raise DesignError(f"{name}: {annotation} has no sample value; use a plain type or a Literal")


def choices(annotation: Any) -> tuple[str, ...]:
    """Give the texts that a value may be where its type lists them: a Literal, or an enum."""
    for option in options(annotation):
        if isinstance(option, type) and issubclass(option, Enum):
            return tuple(one.value for one in option if isinstance(one.value, str))
        if get_origin(option) is Literal:
            return tuple(one for one in get_args(option) if isinstance(one, str))
    return ()


def kinds(annotation: Any) -> set[Any]:
    """Give the plain types that a value, or one of several values, may have."""
    found: set[Any] = set()
    for option in options(annotation):
        origin, arguments = get_origin(option) or option, get_args(option)
        if origin in COLLECTIONS:
            found |= kinds(arguments[0] if arguments else str)
        elif origin is Literal:
            found |= {_plain(type(one)) for one in arguments}
        elif isinstance(option, type) and issubclass(option, Enum):
            found |= {_plain(type(one.value)) for one in option}
        else:
            found.add(_plain(option) if isinstance(option, type) else option)
    return found


def _plain(kind: type) -> type:
    return next((plain for plain in PLAIN if issubclass(kind, plain)), kind)


PLAIN: dict[Any, Callable[[str, int], Any]] = {
    str: lambda name, _: f"‹{name}›",
    bool: lambda _, __: True,
    int: lambda _, number: number,
    float: lambda _, number: float(number),
    Decimal: lambda _, number: Decimal(number),
    datetime: lambda _, number: BEGINNING + timedelta(days=30 * (number - 1)),
    date: lambda _, number: (BEGINNING + timedelta(days=30 * (number - 1))).date(),
    bytes: lambda name, _: name.encode(),
    UUID: lambda _, number: UUID(int=number),
}
COLLECTIONS: dict[Any, Callable[[list[Any]], Any]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    Sequence: list,
    Iterable: list,
    Collection: list,
}
