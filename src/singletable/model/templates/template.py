"""Key templates: ``"USER#{user_id}#STATUS#{status}"``, from which keys are built and read back.

A template is compiled once against the types of its entity's fields. All that can be known then is
refused then; what is left to a request is to write the values and to refuse those that would make
the key ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from singletable.errors import DesignError, KeyValueError

from .annotations import format_of
from .formats import Format
from .slots import Slot
from .specs import Escaped, specified
from .starts import Start

BYTES_MAX = 2048
_CHARS_SAFE = BYTES_MAX // 4
"""So many characters are never too many bytes."""


@dataclass(frozen=True, slots=True)
class Template:
    """A key with slots for fields; ``parts`` are its literals and slots, in order."""

    text: str
    parts: tuple[str | Slot, ...]
    where: str
    fields: tuple[str, ...] = field(init=False)
    slots: tuple[Slot, ...] = field(init=False, repr=False, compare=False)
    _head: str = field(init=False, repr=False, compare=False)
    """The literal before the first slot."""
    _writers: tuple[tuple[str, Callable[[Any], str], str], ...] = field(
        init=False, repr=False, compare=False
    )
    """The field of each slot, what writes it, and the literal behind it."""
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        slots = tuple(part for part in self.parts if isinstance(part, Slot))
        head = self.parts[0] if isinstance(self.parts[0], str) else ""
        writers = tuple((slot.field, slot.write, slot.follow or "") for slot in slots)
        pattern = (
            part.pattern if isinstance(part, Slot) else re.escape(part) for part in self.parts
        )
        object.__setattr__(self, "fields", tuple(dict.fromkeys(slot.field for slot in slots)))
        object.__setattr__(self, "slots", slots)
        object.__setattr__(self, "_head", head)
        object.__setattr__(self, "_writers", writers)
        object.__setattr__(self, "_pattern", re.compile("".join(pattern), re.DOTALL))

    @classmethod
    def compile(
        cls, text: str, types: Mapping[str, Any], *, delimiter: str = "#", owner: str = ""
    ) -> Template:
        """Make a template from its text and the annotations of the fields that it may name."""
        where = f"{owner} {text!r}".lstrip()
        try:
            text.encode()
            return cls(text, _parts(text, types, delimiter, where), where)
        except (DesignError, ValueError) as fault:
            raise DesignError(f"{where}: {fault}") from None

    def __str__(self) -> str:
        return self.text

    def build(self, values: Mapping[str, Any]) -> str:
        """Write the key of these values; other values are ignored."""
        key = self._head
        try:
            for name, write, follow in self._writers:
                key += write(values[name]) + follow
        except KeyError as missing:
            raise KeyValueError(f"{self.where}: the field {missing} is needed, not given") from None
        if len(key) > _CHARS_SAFE and len(key.encode()) > BYTES_MAX:
            raise KeyValueError(
                f"{self.where}: the key is longer than {BYTES_MAX} bytes: {key[:80]!r}..."
            )
        return key

    def parse(self, key: str) -> dict[str, Any] | None:
        """Read the values that a key tells; None if it was not made from this template."""
        found = self._pattern.fullmatch(key)
        if found is None:
            return None
        try:
            return self._values(found.groups())
        except (ValueError, ArithmeticError):
            return None

    def start(self, values: Mapping[str, Any]) -> Start:
        """Write as much of the key as these values allow."""
        return Start.of(self.parts, values)

    def _values(self, texts: tuple[str, ...]) -> dict[str, Any] | None:
        found = tuple(zip(self.slots, texts, strict=True))
        values = {
            slot.field: slot.format.read(text) for slot, text in found if not slot.format.lossy
        }
        # Written again, the values give the same texts: each was in its one form, and slots of one
        # field agree.
        same = all(
            slot.format.render(values[slot.field]) == text
            if slot.field in values
            else slot.format.matches(text)
            for slot, text in found
        )
        return values if same else None


def _parts(
    text: str, types: Mapping[str, Any], delimiter: str, where: str
) -> tuple[str | Slot, ...]:
    if not delimiter or any(char.isalnum() or char in "{}" for char in delimiter):
        raise DesignError(f"{delimiter!r} is no delimiter: choose a mark such as # or |")
    pieces = _pieces(text)
    parts: list[str | Slot] = []
    for piece, following in zip(pieces, [*pieces[1:], None], strict=True):
        if isinstance(piece, str):
            parts.append(piece)
        else:
            follow = following if following is None or isinstance(following, str) else ""
            parts.append(_slot(*piece, types, delimiter, follow, where))
    return tuple(parts)


def _pieces(text: str) -> list[str | tuple[str, str]]:
    """Take a template apart into literals and (field, specification)."""
    pieces: list[str | tuple[str, str]] = []
    for literal, name, spec, conversion in Formatter().parse(text):
        if conversion:
            raise DesignError(f"a conversion such as !{conversion} has no place in a key")
        if literal and pieces and isinstance(pieces[-1], str):
            pieces[-1] += literal
        elif literal:
            pieces.append(literal)
        if name is not None:
            pieces.append((name, spec or ""))
    if not pieces:
        raise DesignError("a key cannot be empty")
    return pieces


def _slot(
    name: str, spec: str, types: Mapping[str, Any], delimiter: str, follow: str | None, where: str
) -> Slot:
    if name not in types:
        raise DesignError(f"there is no field {name!r}, only {', '.join(types) or 'none at all'}")
    try:
        format_ = specified(format_of(types[name]), spec, "%" + delimiter + (follow or "")[:1])
    except DesignError as fault:
        raise DesignError(f"the field {name!r}: {fault}") from None
    slot = Slot(name, format_, follow, _stops(format_, delimiter, follow), where)
    _check(slot, delimiter)
    return slot


def _stops(format_: Format, delimiter: str, follow: str | None) -> tuple[str, ...]:
    if format_.width:
        return ()
    # What begins with the delimiter is found wherever the delimiter is.
    return (delimiter, follow) if follow and not follow.startswith(delimiter) else (delimiter,)


def _check(slot: Slot, delimiter: str) -> None:
    """Refuse a slot that no value, or not every value, could fill."""
    if slot.follow == "" and not slot.format.width:
        raise DesignError(f"nothing tells where {{{slot.field}}} ends: put {delimiter!r} behind it")
    if isinstance(slot.format, Escaped) and set(slot.format.special[1:]) & set("%0123456789ABCDEF"):
        raise DesignError(f"{slot.field!r} cannot be escaped before {slot.follow or delimiter!r}")
    for sample in slot.format.samples():
        fault = slot.fault(sample) or (f"it holds {delimiter!r}" if delimiter in sample else None)
        if fault:
            raise DesignError(f"the field {slot.field!r} can be {sample!r}, but {fault}")
