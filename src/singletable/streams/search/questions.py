"""What a search asks, as plain values: the words of a user are data, never a query language.

A user may write plain words, which must all be found, "phrases in quotes", and a star after the
beginning of a word. Whatever else is in the text separates words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .facets import Test

TERMS_MAX = 32
"""How many words and phrases of a text count; what follows them is left out."""
TERM_LENGTH_MAX = 200

_TERM = re.compile(r'"([^"]*)"?(\*?)|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a phrase to be found; of its last word, perhaps only the beginning is given."""

    words: str
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A search, as an index is asked."""

    terms: tuple[Term, ...]
    realms: tuple[str, ...]
    """Whose documents may be found: no other is, whatever else is asked."""
    weights: Mapping[str, float]
    """The columns to search, with the weight of each."""
    tests: tuple[Test, ...]
    now: float
    """Documents that were over by then are not found."""
    limit: int
    after: tuple[float, str] | None = None
    """The score and the id of the last document of the page before."""


@dataclass(frozen=True, slots=True)
class Match:
    """A document that was found."""

    id: str
    key: str
    score: float
    marked: Mapping[str, str]
    """Parts of its texts by column, with marks around the words that were found."""


def terms_of(text: str) -> tuple[Term, ...]:
    """Read what a user wrote; nothing in it is an error."""
    found: list[Term] = []
    for phrase, star, word in _TERM.findall(_plain(text)):
        words = (phrase or word).strip()
        prefix = bool(star) or (not phrase and words.endswith("*"))
        words = words.strip("*").strip()[:TERM_LENGTH_MAX]
        term = Term(words, prefix)
        if any(letter.isalnum() for letter in words) and term not in found:
            found.append(term)
    return tuple(found[:TERMS_MAX])


def _plain(text: str) -> str:
    """Leave out what no text has: characters that control, and halves of characters."""
    whole = text.encode("utf-8", "ignore").decode()
    return "".join(letter if letter.isprintable() else " " for letter in whole)
