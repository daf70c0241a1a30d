"""Cut an expression's text into tokens, and say where it cannot be read.

The service answers a syntax error with the offending token and its neighbours, white space
included; so a token knows where it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable.errors import ValidationException

EXPRESSION_SIZE_MAX = 4096
KEYWORDS = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"})

# The kinds of token that are not their own text: everything else is a keyword or punctuation.
NAME, ALIAS, VALUE, NUMBER, END = "name", "#name", ":value", "number", "<EOF>"

_TOKEN = re.compile(
    r"[ \t\r\n]+"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<alias>\#[A-Za-z0-9_]+)"
    r"|(?P<value>:[A-Za-z0-9_]+)"
    r"|(?P<number>0|[1-9][0-9]*)"
    r"|(?P<other><>|<=|>=|.)",
    re.DOTALL,
)
_KINDS = {"alias": ALIAS, "value": VALUE, "number": NUMBER}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of an expression: its kind, its text, and where it stands."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Give the tokens of an expression, the last of kind END."""
    tokens = [
        Token(_kind(match.lastgroup, match[0]), match[0], match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match.lastgroup
    ]
    return [*tokens, Token(END, END, len(text), len(text))]


def _kind(group: str, text: str) -> str:
    if group == "name":
        word = text.upper()
        return word if word in KEYWORDS else NAME
    return _KINDS.get(group, text)


def syntax_error(text: str, tokens: list[Token], at: int) -> ValidationException:
    """Describe the token that does not fit, between its neighbours."""
    start = tokens[at - 1].start if at else 0
    following = tokens[at + 1 : at + 2]
    end = following[0].end if following else len(text)
    return ValidationException(
        f'Syntax error; token: "{tokens[at].text}", near: "{text[start:end]}"'
    )
