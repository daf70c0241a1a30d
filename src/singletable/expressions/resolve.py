"""Put a request's names into its expressions, and check their operands against its values.

The service checks operands from the inside out and from left to right, the clauses of updates and
projections from the last to the first. What depends on the contents of values, and not only on
their types, is kept apart: a tree once resolved serves every request with values of such types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from singletable.errors import ValidationException
from singletable.values import AttributeValue

from .conditions import COMPARE, ORDERED, And, Between, Comparison, In, Not, Or, Truth
from .functions import FUNCTIONS, UNSIZED, Call
from .operands import Arithmetic, Placeholder, Value
from .paths import Path, resolve_distinct
from .projection import Projection
from .tree import Node, Operand, Values, fold
from .update import SETS, Action, Add, Delete, Remove, Update

OPERATORS_MAX = 300
OPTIONS_MAX = 100

TYPES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}
ALL_TYPES = frozenset(TYPES)

_ALLOWED = {
    "begins_with": frozenset({"S", "B"}),
    "size": ALL_TYPES - UNSIZED,
    "list_append": frozenset({"L"}),
}
_PATH_FIRST = frozenset({"attribute_exists", "attribute_not_exists", "if_not_exists"})
_DISTINCT = frozenset({"attribute_type", "begins_with", "contains", "if_not_exists"})


class Resolver:
    """Resolves the expressions of one request."""

    def __init__(self, names: Mapping[str, str], values: Values, given: Values) -> None:
        self.names = names
        self.values = values
        self.given = given
        """The values as the request writes them, to show in messages."""
        self.contents: list[Between | Call] = []
        """The nodes whose values' contents every request must check."""

    def resolve(self, tree: Node) -> Node:
        """Resolve a condition, a projection or an update."""
        if isinstance(tree, Projection):
            return Projection(resolve_distinct(tree.paths, self.names))
        resolved = self._update(tree) if isinstance(tree, Update) else fold(tree, self._visit)
        _check_operators(tree)
        return resolved

    def _update(self, tree: Update) -> Update:
        """Resolve first all paths, then all operands, each from the last."""
        paths = resolve_distinct(tree.paths, self.names)
        pairs = reversed(list(zip(tree.actions, paths, strict=True)))
        resolved = [self._action(action, path) for action, path in pairs]
        return Update(tuple(reversed(resolved)))

    def _action(self, action: Action, path: Path) -> Action:
        if isinstance(action, Remove):
            return action.rebuild((path,))
        operand = fold(action.children[1], self._visit)
        if isinstance(action, (Add, Delete)):
            self._check_addend(action, cast(Operand, operand))
        return action.rebuild((path, operand))

    def _visit(self, node: Node, children: tuple[Node, ...]) -> Node:
        if isinstance(node, Path):
            return node.resolve(self.names)
        if isinstance(node, Placeholder) and node.name not in self.values:
            raise ValidationException(
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {node.name}"
            )
        resolved = node.rebuild(children)
        if isinstance(resolved, Call):
            self._check_call(resolved)
        elif isinstance(resolved, Comparison):
            self._check_comparison(resolved)
        elif isinstance(resolved, Between):
            self._check_between(resolved)
        elif isinstance(resolved, In):
            _check_distinct("IN", resolved.children)
            _check_options(resolved)
        elif isinstance(resolved, Arithmetic):
            self._check_types(resolved.operator, resolved.children, frozenset({"N"}))
        return resolved

    def _check_call(self, call: Call) -> None:
        name, operands = call.function, call.operands
        if len(operands) != FUNCTIONS[name].arity:
            raise ValidationException(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(operands)}"
            )
        if name in _PATH_FIRST and not isinstance(operands[0], Path):
            raise ValidationException(
                f"Operator or function requires a document path; operator or function: {name}"
            )
        self._check_types(name, operands, _ALLOWED.get(name, ALL_TYPES))
        if name in _DISTINCT:
            _check_distinct(name, operands)
        if name == "attribute_type":
            self._check_attribute_type(call)

    def _check_attribute_type(self, call: Call) -> None:
        kind = self._type(call.operands[1])
        if kind != "S":
            raise _incorrect_type(call.function, kind or "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
        self._check_contents(call)

    def _check_comparison(self, comparison: Comparison) -> None:
        if comparison.operator not in ("=", "<>"):
            self._check_types(comparison.operator, comparison.children, ORDERED)
        _check_distinct(comparison.operator, comparison.children)

    def _check_between(self, between: Between) -> None:
        self._check_types("BETWEEN", between.children, ORDERED)
        _check_distinct("BETWEEN", between.children)
        if isinstance(between.low, (Placeholder, Value)) and isinstance(
            between.high, (Placeholder, Value)
        ):
            self._check_contents(between)

    def _check_contents(self, node: Between | Call) -> None:
        if not contents_fit(node, self.values):
            raise _misfit(node, self.given)
        self.contents.append(node)

    def _check_types(
        self, operator: str, operands: tuple[Operand, ...], allowed: frozenset[str]
    ) -> None:
        for operand in operands:
            kind = self._type(operand)
            if kind and kind not in allowed:
                raise _incorrect_type(operator, kind)

    def _check_addend(self, action: Add | Delete, operand: Operand) -> None:
        kind = self._type(operand)
        if kind in SETS or (kind == "N" and isinstance(action, Add)):
            return
        raise ValidationException(
            "Incorrect operand type for operator or function; "
            f"operator: {action.section}, operand type: {TYPES[kind or 'NULL']}, "
            f"typeSet: ALLOWED_FOR_{action.section}_OPERAND"
        )

    def _type(self, operand: Operand) -> str | None:
        """Give the type of an operand, or None where only an item could tell."""
        if isinstance(operand, (Placeholder, Value)):
            return next(iter(_content(operand, self.values)))
        if isinstance(operand, Call) and operand.function == "size":
            return "N"
        return "BOOL" if isinstance(operand, Truth) else None


def contents_fit(node: Between | Call, values: Values) -> bool:
    """Check what depends on the contents of values: type names, the order of bounds."""
    if isinstance(node, Between):
        return COMPARE["<="](node.low.read({}, values), node.high.read({}, values))
    return _content(node.operands[1], values)["S"] in ALL_TYPES


def _misfit(node: Between | Call, given: Values) -> ValidationException:
    if isinstance(node, Call):
        return ValidationException(
            f"Invalid attribute type name found; type: {_content(node.operands[1], given)['S']}, "
            "valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"
        )
    low, high = _content(node.low, given), _content(node.high, given)
    if low.keys() != high.keys():
        need = "same data type for lower and upper bounds"
    else:
        need = "upper bound to be greater than or equal to lower bound"
    return ValidationException(
        f"The BETWEEN operator requires {need}; "
        f"lower bound operand: {_shown(low)}, upper bound operand: {_shown(high)}"
    )


def _content(operand: Operand, values: Values) -> AttributeValue:
    return cast(AttributeValue, operand.read({}, values))


def _shown(value: AttributeValue) -> str:
    [(kind, content)] = value.items()
    if kind == "B":
        size = len(content)
        content = f"java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]"
    return f"AttributeValue: {{{kind}:{content}}}"


def _check_operators(tree: Node) -> None:
    count = fold(tree, lambda node, counts: sum(counts) + _operators(node))
    if count > OPERATORS_MAX:
        raise ValidationException(
            f"The expression contains too many operators; operator count: {OPERATORS_MAX + 1}"
        )


def _operators(node: Node) -> int:
    if isinstance(node, (And, Or)):
        return len(node.conditions) - 1
    return int(isinstance(node, (Not, Comparison, Between, In, Call, Arithmetic)))


def _check_distinct(operator: str, operands: tuple[Operand, ...]) -> None:
    first, *rest = operands
    if isinstance(first, Path) and first in rest:
        raise ValidationException(
            "The first operand must be distinct from the remaining operands for this operator "
            f"or function; operator: {operator}, first operand: {first}"
        )


def _check_options(condition: In) -> None:
    if len(condition.options) > OPTIONS_MAX:
        raise ValidationException(
            "The IN operator is provided with too many operands; "
            f"number of operands: {len(condition.options)}"
        )


def _incorrect_type(operator: str, kind: str) -> ValidationException:
    return ValidationException(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )
