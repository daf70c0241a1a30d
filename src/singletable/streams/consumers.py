"""The seam between those who read streams and those who act on them.

A worker and the Lambda adapter read records and make batches of changes; consumers are given them:
handlers that a user writes, aggregates, duplicated attributes, search indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from singletable.errors import SingletableError, TableMissing, Throttled, Unreachable

from .changes import Change

PASSING = (TableMissing, Throttled, Unreachable)
"""What is no change's fault: the delivery waits until it is over."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one read of a stream gave, in order."""

    changes: Sequence[Change[Any]]
    end: str
    """The position of the last record that was read, be it a change of the design or not."""
    shard: str | None = None
    """Where it was read, ``label/shardId``; None where that is not known, as in Lambda."""


class DeliveryFailed(SingletableError):
    """A consumer could not be given a change; those before it, it was given."""

    def __init__(self, message: str, change: Change[Any]) -> None:
        super().__init__(message)
        self.change = change


class Failures(Protocol):
    """Decides what becomes of what fails: tried again, put aside, or reported to who delivers."""

    def attempt(self, work: Callable[[], None], change: Change[Any], label: str) -> None:
        """Do the work for a change, perhaps repeatedly; return once it is done or put aside.

        Raises ``DeliveryFailed`` where the delivery must not go beyond this change.
        """
        ...

    def put_aside(self, change: Change[Any], label: str, error: Exception) -> None:
        """Keep a change that can never be worked on, such as a broken item, for a person to see.

        Raises ``DeliveryFailed`` where the delivery must not go beyond this change.
        """
        ...


class Consumer(Protocol):
    """Acts on changes."""

    @property
    def name(self) -> str:
        """Tell this consumer from others of the table: what it has done is kept under its name."""
        ...

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Act on a batch, which may come again, whole or in part.

        What fails as a whole, because something is out of reach, raises whatever it raises: the
        batch is delivered again, later, and nothing after it before that.
        """
        ...
