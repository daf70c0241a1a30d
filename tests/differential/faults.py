"""Requests with one fault put in: a value, a key, an expression or a placeholder is not right."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from .dice import Dice
from .outcome import Step
from .steps import Make
from .tables import Table
from .values import BROKEN, any_value

NAMES, VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"
TOKENS = re.compile(r"[#:]?\w+|<>|<=|>=|\S")
JUNK = (",", "AND", ")", "(", ":zz", "#zz", "=", "[1]", "SET", "year", "nope(", "..", "@", "1")

Fault = Callable[[Dice, Step], None]


def faulty(make: Make) -> Make:
    """Make steps like others, with a fault."""

    def broken(dice: Dice, tables: tuple[Table, ...]) -> Step:
        made = make(dice, tables)
        step = Step(made.operation, deepcopy(made.request))
        dice.pick(FAULTS)(dice, step)
        return step

    return broken


def _break_text(dice: Dice, step: Step) -> None:
    """Leave out, double or replace a token of an expression."""
    request = step.request
    parameters = [name for name in request if name.endswith("Expression")]
    if not parameters:
        return _break_key(dice, step)
    parameter = dice.pick(parameters)
    tokens = TOKENS.findall(request[parameter])
    at = dice.below(len(tokens))
    match dice.below(4):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, dice.pick(JUNK))
        case 2:
            tokens[at] = dice.pick(JUNK)
        case 3:
            tokens.insert(at, tokens[at])
    request[parameter] = " ".join(tokens)
    return None


def _break_placeholders(dice: Dice, step: Step) -> None:
    """Leave out a name or value, or have one too many."""
    parameter = NAMES if step.operation == "GetItem" else dice.pick((VALUES, NAMES))
    given = step.request.setdefault(parameter, {})
    sign = ":" if parameter == VALUES else "#"
    more: Any = any_value(dice, 0) if parameter == VALUES else "s"
    match dice.below(4):
        case 0 if given:
            del given[dice.pick(sorted(given))]
        case 1:
            given[f"{sign}more"] = more
        case 2:
            given[dice.pick((sign, "more", f"{sign}a-b", ""))] = more
        case _:
            given.clear()


def _break_value(dice: Dice, step: Step) -> None:
    """Put a value that is none into an item, a key or the values of an expression."""
    for parameter in ("Item", VALUES, "Key"):
        if step.request.get(parameter):
            name = dice.pick(sorted(step.request[parameter]))
            step.request[parameter][name] = deepcopy(dice.pick(BROKEN))
            return


def _break_key(dice: Dice, step: Step) -> None:
    """Take a key attribute away, add one, or give it another type or no content."""
    for parameter in ("Key", "Item"):
        given = step.request.get(parameter)
        if not given:
            continue
        name = dice.pick([each for each in ("pk", "sk") if each in given])
        match dice.below(4):
            case 0:
                del given[name]
            case 1:
                given["other"] = {"S": "a"}
            case 2:
                given[name] = any_value(dice, 0)
            case 3:
                given[name] = {"S": ""} if dice.chance(50) else {"B": b""}


FAULTS: tuple[Fault, ...] = (
    _break_text,
    _break_text,
    _break_placeholders,
    _break_value,
    _break_key,
)
