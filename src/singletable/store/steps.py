"""What the work of a store is made of: requests, pauses, and work that is done side by side.

All work is written once, as generators that give steps and are sent the answers; they touch no
network and know no clock but the one they are given. A driver carries out the steps, one for sync
and one for async, and neither knows what they are for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

R = TypeVar("R")


class Call(NamedTuple):
    """Asks for one DynamoDB request; is answered, or raises what the backend raised."""

    operation: str
    request: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ObjectCall:
    """Asks for one request to an object store, in either way; is answered, or raises."""

    perform: Callable[[], Any]
    aperform: Callable[[], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Pause:
    """Asks to wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Together:
    """Asks to run several programs side by side; is answered with their results, in order."""

    programs: tuple[Program[Any], ...]


Step = Call | ObjectCall | Pause | Together
Program = Generator[Step, Any, R]
"""Work that gives steps, is sent their answers, and returns a result."""
