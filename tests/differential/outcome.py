"""What is asked and what comes of it, and when two values are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Request = dict[str, Any]

SETS = ("SS", "NS", "BS")


@dataclass(frozen=True)
class Step:
    """A request, made alike on both sides."""

    operation: str
    request: Request


@dataclass(frozen=True)
class Outcome:
    """An answer, or a refusal with its code, its message and what else it tells."""

    answer: dict[str, Any]
    code: str = ""
    message: str = ""
    last: Any = None
    """Where a page ended, in the form in which the side takes it back."""

    @property
    def failed(self) -> bool:
        """Tell whether the request was refused."""
        return bool(self.code)


def canonical(value: Any) -> Any:
    """Give a value with its sets in one order."""
    if isinstance(value, dict):
        return {
            name: sorted(content) if name in SETS else canonical(content)
            for name, content in value.items()
        }
    if isinstance(value, list):
        return [canonical(each) for each in value]
    return value
