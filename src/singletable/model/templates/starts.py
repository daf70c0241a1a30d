"""The start of a key: as much of a template as its known fields fill, and ranges over what follows.

Ranges are over keys. For fields of fixed width that is the order of their values; text is compared
together with the literal that follows it, so a character that sorts before that literal's first
(for "#": controls, space, ! and ") sorts before the end of the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from singletable.errors import UsageError

from .slots import Slot
from .spans import Span, below, end

_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_OPERATORS = {*_TURNED, "between", "begins_with"}


class Start(NamedTuple):
    """The known beginning of a key; ``slot`` is the next unknown slot, None if it is whole."""

    text: str
    slot: Slot | None
    used: frozenset[str]
    rest: tuple[str | Slot, ...]
    values: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        parts: tuple[str | Slot, ...],
        values: Mapping[str, Any],
        text: str = "",
        used: frozenset[str] = frozenset(),
    ) -> Start:
        """Write the leading ``parts`` whose fields are among the ``values``, behind ``text``."""
        for place, part in enumerate(parts):
            if isinstance(part, str):
                text += part
            elif part.field in values:
                text += part.write(values[part.field])
                used |= {part.field}
            else:
                return cls(text, part, used, parts[place + 1 :], values)
        return cls(text, None, used, (), values)

    def fill(self, text: str) -> Start:
        """Go on as if the next slot held ``text``, e.g. one of its shards or buckets."""
        return self.of(self.rest, self.values, self.text + text, self.used)

    def span(self) -> Span:
        """Give the span of all keys that begin so; of the one key, if it is whole."""
        return Span.one(self.text) if self.slot is None else Span.starting(self.text)

    def compare(self, operator: str, *operands: Any) -> Span:
        """Give the span of the keys whose next field compares so: lt, le, gt, ge, between, ..."""
        slot = self._compared(operator)
        if operator == "begins_with":
            return Span.starting(self.text + slot.opening(*operands))
        if operator == "between":
            low, high = operands
            return self._between(slot, slot.first(low), slot.last(high))
        [operand] = operands
        text = slot.first(operand) if operator in {"ge", "lt"} else slot.last(operand)
        return self._open(_TURNED[operator] if slot.format.descends else operator, slot, text)

    def _compared(self, operator: str) -> Slot:
        if operator not in _OPERATORS:
            raise UsageError(f"there is no comparison {operator!r}")
        slot = self.slot
        if slot is None:
            raise UsageError(f"{self.text!r} is a whole key: nothing is left to compare")
        if not (slot.format.ordered or operator == "begins_with"):
            cure = slot.format.cure(slot.field)
            raise UsageError(
                f"{slot.where}: {slot.field} has no {operator}, since {slot.format.name} does not "
                f"sort as its values do{cure and f': {cure}'}"
            )
        return slot

    def _between(self, slot: Slot, low: str, high: str) -> Span:
        if slot.format.descends:
            low, high = high, low
        if low > high:
            raise UsageError(f"{slot.where}: between has its ends the wrong way round")
        return Span(self.text + low, self._through(slot, high))

    def _open(self, operator: str, slot: Slot, text: str) -> Span:
        """Give the span of all texts of the slot that are lt, le, gt or ge ``text``."""
        low, high = self.text or None, end(self.text)
        match operator:
            case "ge":
                low = self.text + text
            case "gt":
                low = self._past(slot, text)
            case "le":
                high = self._through(slot, text)
            case "lt":
                previous = slot.format.previous(text)
                high = self._through(slot, previous) if previous else below(self.text + text)
        return Span(low, high)

    def _through(self, slot: Slot, text: str) -> str | None:
        """Give the end of the keys whose next field is written so."""
        text = self.text + text
        return text if slot.follow is None else end(text + slot.follow)

    def _past(self, slot: Slot, text: str) -> str | None:
        """Give the first key that can follow those whose next field is written so."""
        text = self.text + text
        return text + "\0" if slot.follow is None else end(text + slot.follow)
