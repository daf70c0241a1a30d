"""What makes a method a handler, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from singletable.errors import DesignError

from .changes import Change
from .events.event import Sink
from .signatures import Signature

M = TypeVar("M", bound=Callable[..., Any])

MARK = "__handler__"
"""The attribute by which handlers are found."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A method of handlers: what it is called for, and where its results go."""

    name: str
    method: Callable[..., Any]
    signature: Signature
    sink: Sink | None

    def takes(self, change: Change[Any]) -> bool:
        """Tell whether it is called for a change."""
        return self.signature.takes(type(change), change.schema.entity)


@overload
def handler(method: M, /) -> M: ...
@overload
def handler(*, to: Sink | None = None) -> Callable[[M], M]: ...
def handler(method: Callable[..., Any] | None = None, /, *, to: Sink | None = None) -> Any:
    """Have a method called for the changes that the annotation of its parameter names.

    ``to`` says where the events go that it returns.
    """
    if to is not None and not hasattr(to, "send"):
        raise DesignError(f"@handler(to={to!r}): events go to a sink, EventBridge(…) or Webhook(…)")

    def declare(method: Callable[..., Any]) -> Callable[..., Any]:
        setattr(method, MARK, to or MARK)
        return method

    return declare if method is None else declare(method)


def declared(cls: type) -> Iterator[Handler]:
    """Give the handlers of a class and its bases, in the order they were written."""
    found: dict[str, tuple[Any, Any]] = {}
    for base in reversed(cls.__mro__):
        for name, member in vars(base).items():
            mark = getattr(member, MARK, None)
            if mark is not None:
                found[name] = (member, None if mark is MARK else mark)
    for name, (method, sink) in found.items():
        signature = Signature.of(method, f"{cls.__name__}.{name}")
        yield Handler(name, method, signature, sink)
