r"""Field paths as users write them, and what an entity has to say of them.

``stats.reads`` is a member of a map, ``photos[0]`` of a list. A backslash takes the next character
as it is: ``pages.a\.b`` is the member ``a.b`` of ``pages``. One text for a path, and not a tuple,
lets conditions, the keywords of an update and error messages all say it alike.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Protocol

from singletable.errors import UsageError
from singletable.expressions import Path
from singletable.values import AttributeValue

Elements = tuple[str | int, ...]
"""Names and list indexes; the first is the name of a field."""

_STEP = re.compile(
    r"(?:^|(?!^)\.)(?P<name>(?:[^.\[\]\\]|\\.)+)|(?!^)\[(?P<index>[0-9]+)\]", re.DOTALL
)
_SPECIAL = re.compile(r"[.\[\]\\]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class Resolver(Protocol):
    """Knows the fields of an entity: their attributes, and how their values are encoded.

    Values are operands and need not be allowed in the field: what is added to a number may be
    smaller than the number may ever be.
    """

    def path(self, path: str) -> Path:
        """Give the attributes that a path leads through, or raise where there is no such field."""
        ...

    def value(self, path: str, value: Any) -> AttributeValue:
        """Encode a value as the field at the path does."""
        ...

    def compared(self, path: str, value: Any) -> AttributeValue:
        """Encode a value that the field is compared with, or raise where it has no such value."""
        ...

    def element(self, path: str, value: Any) -> AttributeValue:
        """Encode what the field may contain, a member or a part of its text, in the same way."""
        ...


def format_path(elements: Elements) -> str:
    """Write elements as a path."""
    first, *rest = elements
    if not isinstance(first, str):
        raise UsageError(f"A path begins with the name of a field, not with {first!r}.")
    return _escaped(first) + "".join(map(_step, rest))


@lru_cache(maxsize=1024)
def parse_path(path: str) -> Elements:
    """Read a path into its elements."""
    elements: list[str | int] = []
    at = 0
    while at < len(path) or not elements:
        step = _STEP.match(path, at)
        if step is None:
            raise UsageError(
                f"{path!r} is no path: {path[at:]!r} is neither a name nor an index. Write "
                r"'stats.reads' or 'photos[0]', and a backslash before a dot in a name: 'a\.b'."
            )
        name, index = step["name"], step["index"]
        elements.append(int(index) if index else _ESCAPED.sub(r"\1", name))
        at = step.end()
    return tuple(elements)


def field_of(path: str) -> str:
    """Name the field that a path begins in."""
    return str(parse_path(path)[0])


def _step(element: str | int) -> str:
    if isinstance(element, str):
        return f".{_escaped(element)}"
    if element < 0:
        raise UsageError(f"DynamoDB counts the members of a list from 0: {element} is no index.")
    return f"[{element}]"


def _escaped(name: str) -> str:
    if not name:
        raise UsageError("A name in a path cannot be empty.")
    return _SPECIAL.sub(r"\\\g<0>", name)
