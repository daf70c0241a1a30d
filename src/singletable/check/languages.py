"""Which texts a key can have: small automata, and whether two of them can make the same text.

A template, a key condition and a range are each a set of texts. What a rule proves (these two keys
can be one key, this prefix holds those items too) is that two sets have a text in common, and the
text itself is the proof. The sets are as large as the formats of the fields allow; that two slots
of one field hold the same value is not taken into account.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from singletable.model.templates.formats import Choice, Flag, Format, Integer, Number, Uuid
from singletable.model.templates.slots import Slot
from singletable.model.templates.specs import Digits, Lower, Shard
from singletable.model.templates.times import Bucket, Day, Moment

Chars = tuple[tuple[int, int], ...]
"""Characters, as ranges of code points."""

ALL: Chars = ((0, 0x10FFFF),)
DIGITS: Chars = ((0x30, 0x39),)
HEX: Chars = (*DIGITS, (0x61, 0x66))
NUMBER: Chars = (*DIGITS, (0x2D, 0x2E))
# Control characters, space, ! and " are left out: they sort before "#", and nobody has them in ids.
_TEXT = (0x23, 0x10FFFF)
_UPPER = (0x41, 0x5A)
_PREFERRED = [ord(char) for char in "1axZ"]


@dataclass(frozen=True, slots=True)
class Some:
    """One or more of some characters."""

    chars: Chars


@dataclass(frozen=True, slots=True)
class Rest:
    """Whatever may follow, nothing included."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """One character after another, each of some."""

    chars: tuple[Chars, ...]


Piece = str | Some | Rest | OneOf | Each


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A set of texts: from each state, which characters lead where; 0 is the first state."""

    opening: str
    """How all of the texts begin."""
    edges: tuple[tuple[tuple[Chars, int], ...], ...]
    final: frozenset[int]

    def meets(self, other: Language) -> str | None:
        """Give a text that both have; None if there is none."""
        mine, theirs = self.opening, other.opening
        if not (mine.startswith(theirs) or theirs.startswith(mine)):
            return None
        return _search(self, other)


def _search(one: Language, other: Language) -> str | None:
    came: dict[tuple[int, int], tuple[tuple[int, int], str] | None] = {(0, 0): None}
    queue = deque(came)
    while queue:
        at = queue.popleft()
        if at[0] in one.final and at[1] in other.final:
            return _told(came, at)
        for chars, here in one.edges[at[0]]:
            for others, there in other.edges[at[1]]:
                if (here, there) not in came and (char := _common(chars, others)):
                    came[here, there] = (at, char)
                    queue.append((here, there))
    return None


def _told(
    came: Mapping[tuple[int, int], tuple[tuple[int, int], str] | None], at: tuple[int, int]
) -> str:
    chars: list[str] = []
    while (step := came[at]) is not None:
        at, char = step
        chars.append(char)
    return "".join(reversed(chars))


@lru_cache(maxsize=4096)
def _common(one: Chars, other: Chars) -> str | None:
    """Give a character that both have, one that reads well if possible."""
    both = [(max(a, c), min(b, d)) for a, b in one for c, d in other if max(a, c) <= min(b, d)]
    for code in _PREFERRED:
        if any(low <= code <= high for low, high in both):
            return chr(code)
    return chr(both[0][0]) if both else None


# Making them


def language(pieces: Iterable[Piece]) -> Language:
    """Give the texts that are made of these pieces, one after the other."""
    pieces = tuple(pieces)
    edges: list[list[tuple[Chars, int]]] = [[]]
    ends = {0}
    for piece in pieces:
        ends = _add(edges, ends, piece)
    opening = "".join(piece for piece in _leading(pieces))
    return Language(opening, tuple(map(tuple, edges)), frozenset(ends))


def _leading(pieces: tuple[Piece, ...]) -> Iterator[str]:
    for piece in pieces:
        if not isinstance(piece, str):
            return
        yield piece


def _add(edges: list[list[tuple[Chars, int]]], ends: set[int], piece: Piece) -> set[int]:
    match piece:
        case str():
            return _path(edges, ends, [_one(char) for char in piece])
        case Each(chars):
            return _path(edges, ends, chars)
        case OneOf(texts):
            paths = (_path(edges, ends, [_one(char) for char in text]) for text in texts)
            return set(chain.from_iterable(paths))
        case Some(chars):
            return _loop(edges, ends, chars)
        case Rest():
            return ends | _loop(edges, ends, ALL)


def _path(edges: list[list[tuple[Chars, int]]], ends: set[int], chars: Iterable[Chars]) -> set[int]:
    for one in chars:
        edges.append([])
        for end in ends:
            edges[end].append((one, len(edges) - 1))
        ends = {len(edges) - 1}
    return ends


def _loop(edges: list[list[tuple[Chars, int]]], ends: set[int], chars: Chars) -> set[int]:
    ends = _path(edges, ends, [chars])
    [state] = ends
    edges[state].append((chars, state))
    return ends


def _one(char: str) -> Chars:
    return ((ord(char), ord(char)),)


def interval(low: str | None, high: str | None) -> Language:
    """Give the texts from ``low`` to ``high``, both included; None is an open end."""
    # A state is how much of low and of high has been read; None, where the text is free of it.
    states: dict[tuple[int | None, int | None], int] = {_settled(low, high, 0, 0): 0}
    edges: list[tuple[tuple[Chars, int], ...]] = []
    queue = deque(states)
    while queue:
        made = []
        for chars, to in _onwards(low, high, *queue.popleft()):
            reached = _settled(low, high, *to)
            if reached not in states:
                states[reached] = len(states)
                queue.append(reached)
            made.append((chars, states[reached]))
        edges.append(tuple(made))
    final = frozenset(state for (at_low, _), state in states.items() if at_low is None)
    return Language("", tuple(edges), final)


def _settled(
    low: str | None, high: str | None, at_low: int | None, at_high: int | None
) -> tuple[int | None, int | None]:
    over = low is None or at_low == len(low)
    return None if over else at_low, None if high is None else at_high


def _onwards(
    low: str | None, high: str | None, at_low: int | None, at_high: int | None
) -> Iterator[tuple[Chars, tuple[int | None, int | None]]]:
    least = ord(low[at_low]) if low is not None and at_low is not None else None
    if high is not None and at_high == len(high):
        return
    most = ord(high[at_high]) if high is not None and at_high is not None else None
    further = (None if at_low is None else at_low + 1), (None if at_high is None else at_high + 1)
    if least is not None and least == most:
        yield ((least, least),), further
        return
    if least is not None and (most is None or least < most):
        yield ((least, least),), (further[0], None)
    if most is not None and (least is None or least < most):
        yield ((most, most),), (None, further[1])
    first = 0 if least is None else least + 1
    last = ALL[0][1] if most is None else most - 1
    if first <= last:
        yield ((first, last),), (None, None)


# What a slot can hold


@lru_cache(maxsize=4096)
def slot_piece(format_: Format, stops: tuple[str, ...]) -> Piece:
    """Give the texts that a slot can hold."""
    match format_:
        case Choice() | Flag() | Shard():
            return OneOf(finite(format_) or ())
        case Digits(width=width):
            return Each((DIGITS,) * width)
        case Integer() | Number():
            return Some(NUMBER)
        case Moment() | Day() | Bucket() | Uuid():
            chars = HEX if isinstance(format_, Uuid) else DIGITS
            sample = next(format_.samples())
            return Each(tuple(chars if char.isdigit() else _one(char) for char in sample))
    excluded = [_one(stop)[0] for stop in stops if len(stop) == 1]
    if isinstance(format_, Lower):
        excluded.append(_UPPER)
    return Some(_without((_TEXT,), excluded))


def piece_of(slot: Slot) -> Piece:
    """Give the texts that a slot can hold."""
    return slot_piece(slot.format, slot.stops)


def finite(format_: Format) -> tuple[str, ...] | None:
    """Give all texts that a format can write, where they are few; None where they are many."""
    match format_:
        case Shard():
            return format_.texts()
        case Flag():
            return ("true", "false")
        case Choice():
            return tuple(format_.samples())
        case Lower(inner=inner):
            texts = finite(inner)
            return None if texts is None else tuple(dict.fromkeys(map(str.lower, texts)))
    return None


def _without(chars: Chars, excluded: Iterable[tuple[int, int]]) -> Chars:
    for low, high in excluded:
        parts = [part for a, b in chars for part in ((a, min(b, low - 1)), (max(a, high + 1), b))]
        chars = tuple((a, b) for a, b in parts if a <= b)
    return chars
