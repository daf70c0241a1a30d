"""Cut a PartiQL statement into tokens, each with the place that error messages name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable.errors import ValidationException

from .keywords import KEYWORDS

# The kinds of token that are not their own text: everything else is a keyword or punctuation.
NAME, STRING, NUMBER, END = "name", "string", "number", "end"

_TOKEN = re.compile(
    r"(?:\s|--[^\r\n]*|/\*.*?\*/)+"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r'|"(?P<quoted>(?:[^"]|"")*)"'
    r"|'(?P<string>(?:[^']|'')*)'"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![eE]))"
    r"|(?P<mark><<|>>|<>|!=|<=|>=|\|\||/(?!\*)|[-=<>+*%()\[\]{},.:?;@])",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a statement: its kind, what it says, and where it stands."""

    kind: str
    text: str
    start: int
    length: int


def tokenize(statement: str) -> list[Token]:
    """Give the tokens of a statement, the last of kind END."""
    tokens, at = [], 0
    while at < len(statement):
        match = _TOKEN.match(statement, at)
        if match is None:
            raise malformed(statement)
        if match.lastgroup:
            kind, text = _read(match.lastgroup, match[match.lastgroup])
            tokens.append(Token(kind, text, at, match.end() - at))
        at = match.end()
    return [*tokens, Token(END, "", at, 0)]


def _read(group: str, text: str) -> tuple[str, str]:
    if group == "word":
        word = text.upper()
        return (word if word in KEYWORDS else NAME), text
    if group == "quoted":
        return NAME, text.replace('""', '"')
    if group == "string":
        return STRING, text.replace("''", "'")
    return (NUMBER if group == "number" else text), text


def malformed(reason: str) -> ValidationException:
    """Say that a statement does not follow the grammar."""
    return ValidationException(f"Statement wasn't well formed, can't be processed: {reason}")


def place(statement: str, token: Token) -> str:
    """Write where a token stands, as messages end: line, column, length."""
    line_start = statement.rfind("\n", 0, token.start) + 1
    line = statement.count("\n", 0, token.start) + 1
    return f" at {line}:{token.start - line_start + 1}:{token.length}"
