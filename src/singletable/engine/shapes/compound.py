"""Lists and maps of other shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .base import FAULTS_MAX, Fault, FaultyError, Shape, Source, length_faults, mismatch
from .scalars import String

UNREAD_FACTOR = 10
"""At so many times its greatest length the rest of a list is not looked at any more."""


@dataclass(frozen=True, kw_only=True)
class List(Shape):
    """A list whose elements have one shape."""

    member: Shape
    min: int = 0
    max: int | None = None

    def read(self, value: Any, source: Source, /) -> list[Any]:
        """Take a list; one far too long is left half unread, since it will be refused."""
        if not isinstance(value, list | tuple):
            raise mismatch(value, "List")
        read = self.member.read
        most = None if self.max is None else UNREAD_FACTOR * self.max
        return [read(each, source) for each in value[:most]]

    def accept(self, value: Any, source: Source, /) -> list[Any]:
        """Take a list without a fault."""
        if not isinstance(value, list | tuple):
            raise mismatch(value, "List")
        if length_faults(value, self.min, self.max):
            raise FaultyError
        accept = self.member.accept
        return [accept(each, source) for each in value]

    def faults(self, value: list[Any], /) -> Sequence[Fault]:
        """List the constraints that the list or its elements break."""
        faults = list(length_faults(value, self.min, self.max))
        if isinstance(self.member, String):
            return faults + self._text_faults(value)
        for position, each in enumerate(value, 1):
            found = self.member.faults(each)
            faults += [fault.under(f"{position}.member") for fault in found]
            if len(faults) >= FAULTS_MAX:
                break
        return faults

    def _text_faults(self, value: list[str]) -> list[Fault]:
        """Blame the list for a wrong text in it, as the service does."""
        if not any(self.member.faults(each) for each in value):
            return []
        rules = ", ".join(self.member.rules)
        return [Fault("", value, f"Member must satisfy constraint: [{rules}]")]

    @property
    def rules(self) -> list[str]:
        """Spell out the constraints on the length."""
        return String(min=self.min, max=self.max).rules


@dataclass(frozen=True, kw_only=True)
class Map(Shape):
    """A map from texts to values of one shape."""

    key: String
    value: Shape
    min: int = 0
    max: int | None = None

    def read(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take a map."""
        if not isinstance(value, dict):
            raise mismatch(value, "Map")
        key, read = self.key.read, self.value.read
        return {key(name, source): read(each, source) for name, each in value.items()}

    def accept(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take a map without a fault."""
        if not isinstance(value, dict):
            raise mismatch(value, "Map")
        if length_faults(value, self.min, self.max):
            raise FaultyError
        key, accept = self.key.accept, self.value.accept
        return {key(name, source): accept(each, source) for name, each in value.items()}

    def faults(self, value: dict[str, Any], /) -> Sequence[Fault]:
        """List the constraints that the map, its keys or its values break."""
        faults = list(length_faults(value, self.min, self.max))
        if self.key.constrained and any(self.key.faults(name) for name in value):
            faults.append(self._blame(value, "Map keys", self.key))
        for name, each in value.items():
            found = self.value.faults(each)
            if not found:
                continue
            if not found[0].path:
                faults.append(self._blame(value, "Map value", self.value))
                break
            faults += [fault.under(f"{name}.member") for fault in found]
            if len(faults) >= FAULTS_MAX:
                break
        return faults

    @staticmethod
    def _blame(value: dict[str, Any], part: str, shape: Shape) -> Fault:
        return Fault("", value, f"{part} must satisfy constraint: [{', '.join(shape.rules)}]")
