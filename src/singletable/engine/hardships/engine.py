"""An engine under hardships: the same methods on the same data, seldom the same luck."""

from __future__ import annotations

from typing import Any

from singletable.engine.engine import Engine
from singletable.engine.operations import Answer, Operation
from singletable.engine.shapes import IN_PROCESS, Source

from .declared import Hardships
from .ordeal import Ordeal


class HardEngine(Engine):
    """An engine as ``Engine.under`` gives it: a view, which leaves the engine as it is."""

    _ordeal: Ordeal

    @classmethod
    def over(cls, engine: Engine, hardships: Hardships) -> HardEngine:
        """Put hardships between an engine and those who use what this gives."""
        view = object.__new__(cls)
        view.__dict__.update(engine.__dict__, _ordeal=Ordeal(hardships))
        return view

    def perform(
        self, operation: Operation, request: dict[str, Any], source: Source = IN_PROCESS
    ) -> Answer:
        """Carry out an operation, as far as the hardships let it."""
        return super().perform(self._ordeal.hardened(operation), request, source)

    def close(self) -> None:
        """Leave the engine open: whoever opened it closes it."""
