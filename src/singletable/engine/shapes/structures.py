"""Structures, and the memory of those that passed.

A program sends the same texts again and again, with other keys and values: the name of a table,
expressions, what shall be returned. Texts that passed once, in a structure with the same members,
are not judged again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from singletable.expressions.recent import Recent

from .base import NO_FAULTS, NOT_NULL, Fault, Shape, Source, mismatch
from .compound import Map
from .scalars import String


class _Passed(NamedTuple):
    """What all structures of one form have in common."""

    texts: dict[str, Any]
    """The texts, and maps of texts as the first of these structures had them."""
    others: list[tuple[str, Shape]]
    """The members that may differ: all but the texts."""


@dataclass(frozen=True)
class Structure(Shape):
    """A set of named members; null stands for an absent one."""

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

    def accept(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take a structure without a fault; of one like an earlier one, judge what may differ."""
        if not isinstance(value, dict):
            raise mismatch(value, "Structure")
        form = (*value, *[e if type(e) is str else type(e) for e in value.values()])
        known = self.passed.get(form)
        if known is None:
            answer = self.judged(value, source)
            self._remember(form, value, answer)
            return answer
        answer = known.texts.copy()
        for name, shape in known.others:
            each = value[name]
            if name not in answer or answer[name] != each:
                answer[name] = shape.accept(each, source)
        return answer

    def judged(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take a structure of which nothing is known."""
        answer: dict[str, Any] = super().accept(value, source)
        return answer

    def _remember(
        self, form: tuple[Any, ...], value: dict[str, Any], answer: dict[str, Any]
    ) -> None:
        if answer.keys() != value.keys():
            return  # there are members that were passed over
        shapes = {name: self.members[name] for name in value}
        if any(type(value[name]) is not str for name, shape in shapes.items() if _is_text(shape)):
            return  # there are texts of another kind, which may hash as they like
        texts = {name: answer[name] for name, shape in shapes.items() if _has_texts(shape)}
        others = [(name, shape) for name, shape in shapes.items() if not _is_text(shape)]
        self.passed.keep(form, _Passed(texts, others), len(repr(texts)))

    @cached_property
    def passed(self) -> Recent[_Passed]:
        """Keep what is known of structures, by their members and texts."""
        return Recent()

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


def _is_text(shape: Shape) -> bool:
    return isinstance(shape, String)


def _has_texts(shape: Shape) -> bool:
    return _is_text(shape.value if isinstance(shape, Map) else shape)


def _camel(name: str) -> str:
    """Spell a member as the service's paths do; a leading acronym is lowered whole."""
    upper = len(name) - len(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    cut = upper - 1 if 1 < upper < len(name) else 1
    return name[:cut].lower() + name[cut:]
