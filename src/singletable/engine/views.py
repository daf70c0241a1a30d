"""Views of an engine: the same methods on the same data, by operations that are changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .engine import Engine
from .operations import Answer, Operation
from .shapes import IN_PROCESS, Source

Change = Callable[[Operation], Operation]
"""Puts something around an operation, or gives it back as it is."""


class View(Engine):
    """An engine whose operations are changed: a view, which leaves the engine as it is."""

    changes: tuple[Change, ...] = ()

    @classmethod
    def over(cls, engine: Engine, change: Change, **settings: Any) -> View:
        """Put one more change between an engine, or a view of one, and those who use this."""
        view = object.__new__(cls)
        changes = (*engine.changes, change) if isinstance(engine, View) else (change,)
        view.__dict__.update(engine.__dict__, changes=changes, **settings)
        return view

    def perform(
        self, operation: Operation, request: dict[str, Any], source: Source = IN_PROCESS
    ) -> Answer:
        """Carry out an operation as it is here."""
        for change in self.changes:
            operation = change(operation)
        return super().perform(operation, request, source)

    def close(self) -> None:
        """Leave the engine open: whoever opened it closes it."""
