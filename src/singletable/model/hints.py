"""Annotations taken apart: the types that a value may have, whatever is wrapped around them."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo


def options(annotation: Any) -> Iterator[Any]:
    """Give the types that an annotated value may have, one by one; None is one of them.

    ``Annotated``, unions, ``NewType`` and aliases are seen through.
    """
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from options(get_args(annotation)[0])
    elif origin in {Union, UnionType}:
        for option in get_args(annotation):
            yield from options(option)
    elif hasattr(annotation, "__supertype__"):  # of a NewType
        yield from options(annotation.__supertype__)
    elif hasattr(annotation, "__value__"):  # of an alias
        yield from options(annotation.__value__)
    else:
        yield annotation


def allows(field: FieldInfo, *kinds: type) -> bool:
    """Tell whether a field may hold a value of one of these types."""
    return any((get_origin(option) or option) in kinds for option in options(field.annotation))
