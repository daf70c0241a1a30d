"""Access patterns: methods of a store that return a description of a read.

The decorator keeps the signature as it is, so a type checker sees the method that was written; it
binds the description to the store. A class that knows its patterns can be traced without a store.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import currentframe
from math import inf
from typing import Any, ParamSpec, TypeVar, overload

from singletable.errors import DesignError

from .paging import Paged
from .running import Read

P = ParamSpec("P")
R = TypeVar("R", bound=Read[Any])

MARK = "__pattern__"
"""The attribute by which a store finds its patterns."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One access pattern: its name, what it is for, and how often it is used."""

    name: str
    purpose: str
    method: Callable[..., Any]
    page: int | None
    rate_per_s: float | None


@overload
def pattern(method: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def pattern(
    *, page: int | None = None, rate_per_s: float | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def pattern(
    method: Callable[..., Any] | None = None,
    /,
    *,
    page: int | None = None,
    rate_per_s: float | None = None,
) -> Any:
    """Make a method of a store an access pattern.

    ``page`` is how many items a page has, ``rate_per_s`` how often the pattern is expected to run.
    """
    frame = currentframe()
    body = frame.f_back.f_locals if frame and frame.f_back else {}

    def declare(method: Callable[..., Any]) -> Callable[..., Any]:
        name = method.__name__
        _check(name, page, rate_per_s)
        if hasattr(body.get(name), MARK):
            raise DesignError(
                f"The access pattern {name} is written twice, and the second would take the place "
                "of the first: give one of them another name"
            )

        @wraps(method)
        def bound(*args: Any, **kwargs: Any) -> Any:
            read = method(*args, **kwargs)
            if not isinstance(read, Read):
                raise _no_read(name, read)
            if page is not None and isinstance(read, Paged) and read.page_size is None:
                return read.but(runner=args[0], pattern=name, page_size=page)
            return read.but(runner=args[0], pattern=name)

        purpose = (method.__doc__ or "").strip()
        setattr(bound, MARK, Pattern(name, purpose, method, page, rate_per_s))
        return bound

    return declare if method is None else declare(method)


def _check(name: str, page: Any, rate_per_s: Any) -> None:
    """Refuse a page or a rate that there cannot be."""
    if page is not None and (type(page) is not int or page < 1):
        raise DesignError(f"The access pattern {name}: page={page!r} is no number of items")
    if rate_per_s is not None and not (type(rate_per_s) in {int, float} and 0 <= rate_per_s < inf):
        raise DesignError(
            f"The access pattern {name}: rate_per_s={rate_per_s!r} is no number of calls a second"
        )


def _no_read(name: str, given: object) -> DesignError:
    return DesignError(
        f"The access pattern {name} returns {type(given).__name__}: it describes a read, with "
        "get, query, collect, get_many or scan, and returns that"
    )


def patterns_of(store: type) -> dict[str, Pattern]:
    """Give the access patterns of a store and its bases, in the order they were written."""
    found: dict[str, Pattern] = {}
    for base in reversed(store.__mro__):
        for name, member in vars(base).items():
            declared = getattr(member, MARK, None)
            if isinstance(declared, Pattern):
                found[name] = declared
    return found
