"""The names and values that an expression refers to by placeholders."""

from __future__ import annotations

from typing import Any

from .dice import Dice
from .tables import REFERABLE, USUAL, Table, attribute
from .values import MEMBERS, Value, any_value


class Placeholders:
    """Collects what ExpressionAttributeNames and ExpressionAttributeValues must have."""

    def __init__(self, dice: Dice, table: Table) -> None:
        self.dice = dice
        self.table = table
        self.names: dict[str, str] = {}
        self.values: dict[str, Value] = {}

    def value(self, content: Value) -> str:
        """Give a placeholder for a value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = content
        return placeholder

    def name(self, name: str) -> str:
        """Give a name as it is, or a placeholder for it."""
        if name not in USUAL or name in REFERABLE:
            if not self.dice.chance(20):
                return name
        elif self.dice.chance(4):
            return name
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = name
        return placeholder

    def attribute(self) -> str:
        """Choose a top-level attribute, keys of the table now and then."""
        if self.dice.chance(15):
            return self.dice.pick(sorted(self.table.defined))
        return self.dice.pick(tuple(USUAL))

    def path(self) -> tuple[str, str]:
        """Make a path, into documents now and then; give its attribute, too."""
        name = self.attribute()
        text = self.name(name)
        if USUAL.get(name) in ("L", "M") or self.dice.chance(4):
            for _ in range(self.dice.below(3)):
                text += self._step(name)
        return name, text

    def _step(self, name: str) -> str:
        listed = name == "l" or self.dice.chance(30)
        if listed:
            return f"[{self.dice.below(3)}]"
        return f".{self.name(self.dice.pick(MEMBERS))}"

    def operand_for(self, name: str) -> str:
        """Make a value that may stand beside an attribute, as a rule of its type."""
        dice = self.dice
        if dice.chance(10):
            return self.path()[1]
        if name in ("l", "m") and dice.chance(70):
            return self.value(any_value(dice, 0))
        return self.value(attribute(dice, self.table, name))

    def parameters(self) -> dict[str, Any]:
        """Give the request's members."""
        found = {
            "ExpressionAttributeNames": self.names,
            "ExpressionAttributeValues": self.values,
        }
        return {parameter: content for parameter, content in found.items() if content}
