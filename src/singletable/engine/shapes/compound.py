"""Shapes made of other shapes: lists, maps, structures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .base import (
    FAULTS_MAX,
    NO_FAULTS,
    NOT_NULL,
    Fault,
    Shape,
    Source,
    length_faults,
    mismatch,
)
from .scalars import String

UNREAD_FACTOR = 10
"""At so many times its greatest length the rest of a list is not looked at any more."""


@dataclass(frozen=True, kw_only=True)
class List(Shape):
    """Is a list whose elements have one shape."""

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
    """Is a map from texts to values of one shape."""

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


@dataclass(frozen=True)
class Structure(Shape):
    """Is a set of named members; null stands for an absent one."""

    members: Mapping[str, Shape]

    def read(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take a structure."""
        if not isinstance(value, dict):
            raise mismatch(value, "Structure")
        members = self.members
        answer = {}
        for name, each in value.items():
            shape = members.get(name)
            if shape is None:
                source.unknown(name, members)
            elif each is not None:
                answer[name] = shape.read(each, source)
        return answer

    def faults(self, value: dict[str, Any], /) -> Sequence[Fault]:
        """List the constraints that the members break, in the order of the declaration."""
        constrained = self._constrained
        found: dict[str, Sequence[Fault]] = {}
        for name, each in value.items():
            if name in constrained and (faults := constrained[name](each)):
                found[name] = faults
        if not found and self._required <= value.keys():
            return NO_FAULTS
        for name in self._required - value.keys():
            found[name] = [Fault("", None, NOT_NULL)]
        ordered = [(name, found[name]) for name in self.members if name in found]
        return [fault.under(_camel(name)) for name, faults in ordered for fault in faults]

    @cached_property
    def _constrained(self) -> dict[str, Callable[[Any], Sequence[Fault]]]:
        """Map the members that can be at fault to what finds it."""
        return {name: shape.faults for name, shape in self.members.items() if shape.constrained}

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(name for name, shape in self.members.items() if shape.is_required)


def _camel(name: str) -> str:
    """Spell a member as the service's paths do; a leading acronym is lowered whole."""
    upper = len(name) - len(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    cut = upper - 1 if 1 < upper < len(name) else 1
    return name[:cut].lower() + name[cut:]
