"""What the service refuses in the words of an expression: reserved words, functions out of place.

These checks need only the text; they come after its syntax, from left to right.
"""

from __future__ import annotations

from singletable.errors import ValidationException

from .conditions import And, Not, Or
from .functions import FUNCTIONS, Call, Use
from .paths import Path
from .reserved import RESERVED
from .tree import Node, walk
from .update import Set, Update

INDEX_MAX = 2**31 - 1


def check_words(tree: Node) -> None:
    """Refuse the first reserved word, index out of range or function that may not stand there."""
    kind = "an update" if isinstance(tree, Update) else "a condition"
    for node, parent in walk(tree):
        if isinstance(node, Path):
            _check_path(node)
        elif isinstance(node, Call):
            _check_call(node, parent, kind)


def check_sections(sections: list[str]) -> None:
    """Refuse a section of an update that comes twice."""
    for at, section in enumerate(sections):
        if section in sections[:at]:
            raise ValidationException(
                f'The "{section}" section can only be used once in an update expression;'
            )


def _check_path(path: Path) -> None:
    for element in path.elements:
        if isinstance(element, str) and element.upper() in RESERVED:
            raise ValidationException(
                f"Attribute name is a reserved keyword; reserved keyword: {element}"
            )
        if isinstance(element, int) and element > INDEX_MAX:
            raise ValidationException(
                f"List index is not within the allowable range; index: [{element}]"
            )


def _check_call(call: Call, parent: Node | None, kind: str) -> None:
    function = FUNCTIONS.get(call.function)
    if function is None:
        raise ValidationException(f"Invalid function name; function: {call.function}")
    if (function.use in (Use.UPDATE, Use.UPDATE_WHOLE)) != (kind == "an update"):
        raise ValidationException(
            f"The function is not allowed in {kind} expression; function: {call.function}"
        )
    if not _fits(function.use, parent):
        raise ValidationException(
            "The function is not allowed to be used this way in an expression; "
            f"function: {call.function}"
        )


def _fits(use: Use, parent: Node | None) -> bool:
    if use is Use.UPDATE_WHOLE:
        return isinstance(parent, Set)
    as_condition = parent is None or isinstance(parent, (And, Or, Not))
    return as_condition == (use is Use.CONDITION)
