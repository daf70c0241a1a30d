"""Partition keys as a policy can say them: literals, variables of IAM, and ``*`` for the rest.

A condition of IAM compares texts and knows no templates. So what a pattern lets through is proved
from the templates of the index: a key that matches and was made of another's value is a leak.
Values never hold the delimiter, which makes every template a fixed number of segments to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from singletable.model.keys import FieldKey, KeyAttribute
from singletable.model.templates.formats import Text, Uuid
from singletable.model.templates.slots import Slot
from singletable.model.templates.specs import Escaped

AS_GIVEN = (Text, Uuid, Escaped)
"""The formats that write a value of IAM's as it is, or else so that nothing is allowed."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Stands for the value that a principal brings for a name of the scope."""

    name: str


@dataclass(frozen=True, slots=True)
class Anything:
    """Stands for any text."""


@dataclass(frozen=True, slots=True)
class Field:
    """Stands for the value of a field, in a key of the design."""

    name: str


Piece = str | Variable | Anything | Field
Pieces = tuple[Piece, ...]
Segment = tuple[Piece, ...]
ANYTHING = Anything()


def key_pieces(part: KeyAttribute, value: Callable[[str], Piece] = Field) -> Pieces:
    """Give a key attribute with what stands for the value of each field."""
    if isinstance(part, FieldKey):
        return (value(part.field),)
    pieces = part.template.parts
    return joined(_slot(one, value(one.field)) if isinstance(one, Slot) else one for one in pieces)


def _slot(slot: Slot, value: Piece) -> Piece:
    """Give what stands in a slot; what IAM cannot write as its format does may be anything."""
    if isinstance(value, Variable):
        return value if isinstance(slot.format, AS_GIVEN) else ANYTHING
    return value


def joined(pieces: Iterable[Piece]) -> Pieces:
    """Put literals that follow each other together."""
    made: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and made and isinstance(made[-1], str):
            made[-1] += piece
        else:
            made.append(piece)
    return tuple(made)


def variables(pieces: Pieces) -> set[str]:
    """Name the variables in a key."""
    return {piece.name for piece in pieces if isinstance(piece, Variable)}


def is_exact(pieces: Pieces) -> bool:
    """Tell whether the key is one for each principal."""
    return ANYTHING not in pieces


def rendered(pieces: Pieces, scope: Mapping[str, str], *, like: bool) -> str:
    """Write a key for a condition of IAM, with or without wildcards."""
    return "".join(_rendered(piece, scope, like=like) for piece in pieces)


def _rendered(piece: Piece, scope: Mapping[str, str], *, like: bool) -> str:
    if isinstance(piece, str):
        special = "$*?" if like else "$"
        return "".join(f"${{{char}}}" if char in special else char for char in piece)
    return scope[piece.name] if isinstance(piece, Variable) else "*"


def shown(pieces: Pieces) -> str:
    """Write a key for people."""
    names = {piece: getattr(piece, "name", "…") for piece in pieces}
    return "".join(one if isinstance(one, str) else f"{{{names[one]}}}" for one in pieces)


def leaks(wanted: Pieces, made: Pieces, owners: Mapping[str, set[str]], delimiter: str) -> bool:
    """Tell whether a key of the design can match without holding the principal's values.

    ``owners`` are the fields that hold the value of each variable.
    """
    return _leaks(_segments(wanted, delimiter), _segments(made, delimiter), owners, safe=True)


def _leaks(
    wanted: list[Segment], made: list[Segment], owners: Mapping[str, set[str]], *, safe: bool
) -> bool:
    if not wanted or not made:
        return not wanted and not made and not safe
    first, rest = wanted[0], wanted[1:]
    if not _may_match(first, made[0], whole=ANYTHING not in first):
        return False
    held = safe and _holds(first, made[0], owners)
    # What may be anything may also be several segments.
    ends = range(1, len(made) + 1 if ANYTHING in first else 2)
    return any(_leaks(rest, made[end:], owners, safe=held) for end in ends)


def _holds(wanted: Segment, made: Segment, owners: Mapping[str, set[str]]) -> bool:
    """Tell whether the variables of a segment stand where the design has their fields."""
    if not variables(wanted):
        return True
    return len(wanted) == len(made) and all(
        mine == theirs
        or (
            isinstance(mine, Variable)
            and isinstance(theirs, Field)
            and theirs.name in owners[mine.name]
        )
        for mine, theirs in zip(wanted, made, strict=True)
    )


def _may_match(wanted: Segment, made: Segment, *, whole: bool) -> bool:
    """Tell whether texts of two segments may be equal, as far as their literals tell."""
    if len(wanted) == len(made) == 1 and isinstance(wanted[0], str) and isinstance(made[0], str):
        return wanted == made
    starts = (_literal(wanted[:1]), _literal(made[:1]))
    ends = (_literal(wanted[-1:]), _literal(made[-1:]))
    fits = starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])
    return fits and (not whole or ends[0].endswith(ends[1]) or ends[1].endswith(ends[0]))


def _literal(pieces: Segment) -> str:
    return next((piece for piece in pieces if isinstance(piece, str)), "")


def _segments(pieces: Pieces, delimiter: str) -> list[Segment]:
    segments: list[list[Piece]] = [[]]
    for piece in pieces:
        if not isinstance(piece, str):
            segments[-1].append(piece)
            continue
        first, *others = piece.split(delimiter)
        segments[-1] += [first] if first else []
        segments += [[text] if text else [] for text in others]
    return [tuple(segment) for segment in segments]
