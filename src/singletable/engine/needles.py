"""What a filter tells of the bytes of an item, so that most that it drops need not be decoded.

Texts and numbers are stored in one form alone. So where a filter demands that an attribute equal
one of them, that form is in the bytes of every item that passes; others are dropped at a glance.
"""

from __future__ import annotations

from singletable.expressions import BoundCondition
from singletable.expressions.conditions import And, Comparison, Condition, In
from singletable.expressions.operands import Placeholder, Value
from singletable.expressions.paths import Path
from singletable.expressions.tree import Operand, Values
from singletable.values import AttributeValue, dumps

Needles = tuple[bytes, ...]

NEEDLES_MAX = 8
"""To look for more would take about as long as to decode the item."""


def needles_of(condition: BoundCondition) -> Needles:
    """Give pieces of which every item that passes has one; none, where nothing can be said."""
    tree = condition.tree
    parts = tree.conditions if isinstance(tree, And) else (tree,)
    return next(filter(None, (_needles(part, condition.values) for part in parts)), ())


def _needles(part: Condition, values: Values) -> Needles:
    match part:
        case Comparison(operator="=", left=Path(elements=(str(name),)), right=right):
            options: tuple[Operand, ...] = (right,)
        case In(operand=Path(elements=(str(name),)), options=options):
            pass
        case _:
            return ()
    contents = [_content(option, values) for option in options]
    if len(contents) > NEEDLES_MAX or any(not _has_one_form(content) for content in contents):
        return ()
    return tuple(dumps({name: content})[1:-1] for content in contents if content)


def _content(operand: Operand, values: Values) -> AttributeValue | None:
    return operand.read({}, values) if isinstance(operand, Placeholder | Value) else None


def _has_one_form(content: AttributeValue | None) -> bool:
    return content is not None and ("S" in content or "N" in content)
