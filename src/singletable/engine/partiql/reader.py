"""Go through the tokens of a statement, left to right.

Two kinds of faults are told apart, as the service does. What breaks the grammar ends the reading
at once. What PartiQL has but DynamoDB does not is noted, for the statement is well formed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from .lexer import END, Token, malformed, place, tokenize

DEPTH_MAX = 100
"""How deep parentheses, lists, NOTs and signs may nest: far beyond use, within Python's stack."""


class Reader:
    """Reads one statement."""

    def __init__(self, statement: str) -> None:
        self.statement = statement
        self.tokens = tokenize(statement)
        self.at = 0
        self.parameters = 0
        self._depth = 0
        self.refusal: str | None = None
        """Why the statement, though well formed, is refused."""

    @property
    def token(self) -> Token:
        """Give the token at hand."""
        return self.tokens[self.at]

    @property
    def following(self) -> Token:
        """Give the token after the one at hand."""
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def next_is(self, *kinds: str) -> bool:
        """Tell whether the token at hand is of one of the kinds."""
        return self.tokens[self.at].kind in kinds

    def take(self) -> Token:
        """Take the token at hand, whatever it is but the end."""
        token = self.token
        if token.kind == END:
            self.fail()
        self.at += 1
        return token

    def accept(self, *kinds: str) -> Token | None:
        """Take the token at hand if it is of one of the kinds."""
        return self.take() if self.next_is(*kinds) else None

    def expect(self, *kinds: str) -> Token:
        """Take the token at hand, which must be of one of the kinds."""
        return self.accept(*kinds) or self.fail()

    def fail(self, reason: str | None = None) -> NoReturn:
        """Refuse the statement as none; where the service's reason is not known, repeat it."""
        raise malformed(reason or self.statement)

    def skip(self) -> None:
        """Pass over the rest of a statement that is refused already."""
        self.at = len(self.tokens) - 1

    def refuse(self, message: str, token: Token | None = None) -> None:
        """Note what DynamoDB does not do, unless there was something before, and go on reading."""
        if self.refusal is None:
            self.refusal = message + (place(self.statement, token) if token else "")

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Read something nested in something else."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            self.fail()
        yield
        self._depth -= 1

    def finish(self) -> None:
        """See that the statement ends here."""
        self.accept(";")
        if not self.next_is(END):
            self.fail()
