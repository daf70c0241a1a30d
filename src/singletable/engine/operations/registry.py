"""The table of operations, and the decorator that enters a function into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from singletable.engine.shapes import Request as RequestShape
from singletable.engine.shapes import Shape

if TYPE_CHECKING:
    from singletable.engine.database import Database

Request = dict[str, Any]
Answer = dict[str, Any]
Run = Callable[["Database", Request], Answer]
Service = Literal["DynamoDB", "DynamoDBStreams"]


@dataclass(frozen=True)
class Operation:
    """An action of the API: its name, what it takes, what it does."""

    name: str
    shape: RequestShape
    run: Run
    service: Service


OPERATIONS: dict[str, Operation] = {}
"""Wire name → operation."""


def operation(
    name: str, service: Service = "DynamoDB", /, **members: Shape
) -> Callable[[Run], Run]:
    """Enter a function as an action of the API that takes these members."""

    def enter(run: Run) -> Run:
        OPERATIONS[name] = Operation(name, RequestShape(members), run, service)
        return run

    return enter
