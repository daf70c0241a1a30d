"""The shape of a whole request, and the memory of those that passed.

A program sends the same texts again and again, with other keys and values: the name of a table,
expressions, what shall be returned. Texts that passed once, in a request with the same members, are
not judged again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from singletable.errors import ValidationException
from singletable.expressions.recent import Recent
from singletable.values import CanonicalItem

from .base import Fault, Shape, Source, mismatch
from .compound import Map, Structure
from .scalars import String


class _Passed(NamedTuple):
    """Is what all requests of one form have in common."""

    texts: dict[str, Any]
    """The texts, and maps of texts as the first of these requests had them."""
    others: list[tuple[str, Shape]]
    """The members that may differ: all but the texts."""


@dataclass(frozen=True)
class Request(Structure):
    """Is the whole input of an operation."""

    def accept(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Read a request and judge it: what comes back keeps every constraint."""
        if not isinstance(value, dict):
            raise mismatch(value, "Structure")
        form = (*value, *[e if type(e) is str else type(e) for e in value.values()])
        known = self.passed.get(form)
        if known is None:
            request = self._judged(value, source)
            self._remember(form, value, request)
            return request
        request = known.texts.copy()
        for name, shape in known.others:
            each = value[name]
            if name in request and request[name] == each:
                continue
            request[name] = read = shape.read(each, source)
            if type(read) is not CanonicalItem and shape.faults(read):
                return self._judged(value, source)
        return request

    def _judged(self, value: dict[str, Any], source: Source) -> dict[str, Any]:
        request = self.read(value, source)
        faults = self.faults(request)
        if faults:
            raise ValidationException(_summary(faults))
        for name, rule in self._ruled:
            if name in request:
                rule(request[name])
        return request

    def _remember(
        self, form: tuple[Any, ...], value: dict[str, Any], request: dict[str, Any]
    ) -> None:
        if request.keys() != value.keys():
            return  # there are members that were passed over
        shapes = {name: self.members[name] for name in value}
        if any(type(value[name]) is not str for name, shape in shapes.items() if _is_text(shape)):
            return  # there are texts of another kind, which may hash as they like
        texts = {name: request[name] for name, shape in shapes.items() if _has_texts(shape)}
        others = [(name, shape) for name, shape in shapes.items() if not _is_text(shape)]
        self.passed.keep(form, _Passed(texts, others), len(repr(texts)))

    @cached_property
    def passed(self) -> Recent[_Passed]:
        """Keep what is known of requests, by their members and texts."""
        return Recent()

    @cached_property
    def _ruled(self) -> list[tuple[str, Any]]:
        return [
            (name, shape.rule)
            for name, shape in self.members.items()
            if isinstance(shape, String) and shape.rule
        ]


def _is_text(shape: Shape) -> bool:
    return isinstance(shape, String)


def _has_texts(shape: Shape) -> bool:
    return _is_text(shape.value if isinstance(shape, Map) else shape)


def _summary(faults: Sequence[Fault]) -> str:
    count = len(faults)
    listed = "; ".join(str(fault) for fault in faults)
    return f"{count} validation error{'s' * (count > 1)} detected: {listed}"
