"""The values of a PartiQL statement: parameters, or literals that both sides write alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .dice import Dice
from .placeholders import Placeholders
from .tables import REFERABLE, USUAL, Table
from .values import Value

_NUMBER = re.compile(r"(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?")
_TEXT = re.compile(r"[^\x00']{0,40}")


class Parameters(Placeholders):
    """Collects the parameters of a statement, which has some of its values written out."""

    def __init__(self, dice: Dice, table: Table) -> None:
        super().__init__(dice, table)
        self.given: list[Value] = []

    def value(self, content: Value) -> str:
        """Give a literal or a ``?``."""
        written = _literal(content) if self.dice.chance(50) else None
        if written is None:
            self.given.append(content)
            return "?"
        return written

    def name(self, name: str) -> str:
        """Give a name as it is, or in quotes."""
        is_word = name not in USUAL or name in REFERABLE
        return name if is_word and not self.dice.chance(20) else f'"{name}"'

    def attribute(self) -> str:
        """Choose a top-level attribute that is no key."""
        return self.dice.pick(tuple(USUAL))

    def chosen(self, of: dict[str, Value]) -> str:
        """Make the condition that chooses an item by its key."""
        return " AND ".join(f"{self.name(name)} = {self.value(of[name])}" for name in of)

    def parameters(self) -> dict[str, Any]:
        """Give the request's members."""
        return {"Parameters": self.given} if self.given else {}


def _literal(content: Value) -> str | None:
    """Write a value out, unless one side would write it otherwise."""
    [(kind, inner)] = content.items()
    match kind:
        case "S":
            return f"'{inner}'" if _TEXT.fullmatch(inner) else None
        case "N":
            return inner if _NUMBER.fullmatch(inner) else None
        case "BOOL":
            return "true" if inner else "false"
        case "NULL":
            return "null"
        case "SS" | "NS":
            return _joined("<<", [_literal({kind[0]: each}) for each in inner], ">>")
        case "L":
            return _joined("[", [_literal(each) for each in inner], "]")
        case "M":
            members = {name: _literal(each) for name, each in inner.items()}
            return _joined(
                "{", [each and f"'{name}': {each}" for name, each in members.items()], "}"
            )
    return None


def _joined(begin: str, members: Sequence[str | None], end: str) -> str | None:
    known = [each for each in members if each is not None]
    return begin + ", ".join(known) + end if len(known) == len(members) else None
