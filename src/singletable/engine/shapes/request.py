"""The shape of a whole request, which words what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from singletable.errors import ValidationException

from .base import Fault, FaultyError, Source
from .scalars import String
from .structures import Structure


@dataclass(frozen=True)
class Request(Structure):
    """The whole input of an operation."""

    def accept(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Read a request and judge it: what comes back keeps every constraint."""
        try:
            return super().accept(value, source)
        except FaultyError:
            return self.judged(value, source)

    def judged(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take a request of which nothing is known, or say all that is wrong with it."""
        request = self.read(value, source)
        faults = self.faults(request)
        if faults:
            raise ValidationException(_summary(faults))
        for name, rule in self._ruled:
            if name in request:
                rule(request[name])
        return request

    @cached_property
    def _ruled(self) -> list[tuple[str, Any]]:
        return [
            (name, shape.rule)
            for name, shape in self.members.items()
            if isinstance(shape, String) and shape.rule
        ]


def _summary(faults: Sequence[Fault]) -> str:
    count = len(faults)
    listed = "; ".join(str(fault) for fault in faults)
    return f"{count} validation error{'s' * (count > 1)} detected: {listed}"
