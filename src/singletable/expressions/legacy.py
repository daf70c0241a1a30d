"""The parameters that expressions replaced, read into the same trees.

Expected, QueryFilter and ScanFilter become conditions, KeyConditions the tests of a key condition,
AttributeUpdates an update, AttributesToGet a projection. Real SDKs still send them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from singletable.errors import ValidationException, invalid
from singletable.values import (
    NAME_BYTES_MAX,
    NAME_TOO_LARGE,
    AttributeValue,
    Item,
    normalize,
    text_size,
)

from .bound import Plan
from .conditions import COMPARE, ORDERED, And, Between, Comparison, Condition, In, Or
from .functions import Call
from .key_conditions import KeyTest, LegacyKeyTests
from .operands import INCORRECT_TYPE, Value
from .paths import Path
from .projection import Projection
from .resolve import ALL_TYPES, TYPES
from .tree import Values
from .update import SETS, Action, Add, Delete, Remove, Set, Update

PARAMETERS = (
    "AttributesToGet",
    "AttributeUpdates",
    "Expected",
    "QueryFilter",
    "ScanFilter",
    "ConditionalOperator",
    "KeyConditions",
)

Test = Mapping[str, Any]
"""What the request says of one attribute: ComparisonOperator, AttributeValueList, …"""

_COMPARISONS = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_KEY_OPERATORS = {**_COMPARISONS, "BEGINS_WITH": "begins_with"}
_NO_VALUES = frozenset({"NULL", "NOT_NULL"})
_SCALARS = frozenset({"S", "N", "B", "BOOL", "NULL"})
_ALLOWED = {
    "EQ": ALL_TYPES,
    "NE": ALL_TYPES,
    "BEGINS_WITH": frozenset({"S", "B"}),
    "CONTAINS": _SCALARS,
    "NOT_CONTAINS": _SCALARS,
}


def read(request: Mapping[str, Any]) -> Plan:
    """Read the legacy parameters of a request, in the service's order; empty ones are none."""
    keys = request.get("KeyConditions")
    if not keys and request.get("KeyConditionExpression"):
        keys = None  # where nothing else says what to query, an empty one is refused
    key_tests = None if keys is None else _key_tests(keys)
    expected = [_expectation(*each) for each in (request.get("Expected") or {}).items()]
    tests = request.get("QueryFilter") or request.get("ScanFilter") or {}
    filtered = [_condition(name, *_arguments(name, test)) for name, test in tests.items()]
    joined_by = request.get("ConditionalOperator")
    if joined_by:
        _check_joined(len(expected) + len(filtered))
    updates, names = request.get("AttributeUpdates"), request.get("AttributesToGet")
    return Plan.of(
        update=_update(updates) if updates else None,
        condition=_join(expected, joined_by),
        filter=_join(filtered, joined_by),
        projection=_projection(names) if names else None,
        key_tests=key_tests,
    )


def _projection(names: Sequence[str]) -> Projection:
    seen: set[str] = set()
    for name in names:
        _check_name(name)
        if name in seen:
            raise invalid(f"Duplicate value in attribute name: {name}")
        seen.add(name)
    return Projection(tuple(Path((name,)) for name in names))


def _key_tests(tests: Mapping[str, Test]) -> LegacyKeyTests:
    if not tests:
        raise ValidationException("Conditions must be at least length 1")
    return LegacyKeyTests({name: _key_test(name, test) for name, test in tests.items()})


def _key_test(name: str, test: Test) -> KeyTest:
    operator, values = _arguments(name, test)
    return KeyTest(name, _KEY_OPERATORS.get(operator, operator), tuple(map(Value, values)))


def _join(conditions: list[Condition], joined_by: str | None) -> Condition | None:
    if not conditions:
        return None
    first, *rest = conditions
    if not rest:
        return first
    return Or((first, *rest)) if joined_by == "OR" else And((first, *rest))


def _check_joined(count: int) -> None:
    if count <= 1:
        raise ValidationException(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
            if count
            else "ConditionalOperator cannot be used without Filter or Expected"
        )


def _expectation(name: str, test: Test) -> Condition:
    fault = _fault(test)
    if fault:
        raise invalid(f"{fault} for Attribute: {name}")
    if "ComparisonOperator" in test:
        value = test.get("Value")
        listed = {"AttributeValueList": [value]} if value is not None else {}
        return _condition(name, *_arguments(name, {**test, **listed}))
    if test.get("Exists") is False:
        _check_name(name)
        return Call("attribute_not_exists", (Path((name,)),))
    expected = Value(normalize(test["Value"]))
    _check_name(name)
    return Comparison("=", Path((name,)), expected)


def _fault(test: Test) -> str | None:
    """Say what is wrong with the members of an expectation, taken together."""
    operator, exists = test.get("ComparisonOperator"), test.get("Exists")
    valued, listed = test.get("Value") is not None, test.get("AttributeValueList") is not None
    if operator is not None and exists is not None:
        return "Exists and ComparisonOperator cannot be used together"
    if valued and listed:
        return "Value and AttributeValueList cannot be used together"
    if operator is None and listed:
        return "AttributeValueList can only be used with a ComparisonOperator"
    if operator is None and exists is False:
        return "Value cannot be used when Exists is false" if valued else None
    if operator is None:
        known = "null" if exists is None else "true"
        return None if valued else f"Value must be provided when Exists is {known}"
    if valued or listed or operator in _NO_VALUES:
        return None
    return f"Value or AttributeValueList must be used with ComparisonOperator: {operator}"


def _arguments(name: str, test: Test) -> tuple[str, list[AttributeValue]]:
    """Give the operator and the values of a test, checked against each other."""
    operator = test.get("ComparisonOperator")
    if operator not in _COMPARISONS and operator not in _CONDITIONS:
        raise ValidationException("Comparison type does not exist in DynamoDB")
    values = [normalize(value) for value in test.get("AttributeValueList") or ()]
    _check_name(name)
    if not _count_fits(operator, len(values)):
        raise invalid(f"Invalid number of argument(s) for the {operator} ComparisonOperator")
    kinds = [next(iter(value)) for value in values]
    for kind in kinds:
        if kind not in _ALLOWED.get(operator, ORDERED):
            raise invalid(
                f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
            )
    if len(set(kinds)) > 1:
        raise invalid("AttributeValues inside AttributeValueList must be of same type")
    if operator == "BETWEEN" and not COMPARE["<="](*values):
        raise ValidationException(
            "The BETWEEN condition was provided a range where the lower bound is greater than "
            "the upper bound"
        )
    return operator, values


def _count_fits(operator: str, count: int) -> bool:
    if operator == "IN":
        return count > 0
    return count == (0 if operator in _NO_VALUES else 2 if operator == "BETWEEN" else 1)


def _condition(name: str, operator: str, values: list[AttributeValue]) -> Condition:
    path, operands = Path((name,)), tuple(map(Value, values))
    if operator in _COMPARISONS:
        return Comparison(_COMPARISONS[operator], path, operands[0])
    return _CONDITIONS[operator](path, operands)


def _not_contains(path: Path, operands: tuple[Value, ...]) -> Condition:
    # Observed: not so of an attribute that is missing, unlike NOT contains(…).
    return Call("attribute_exists", (path,)) & ~Call("contains", (path, *operands))


_CONDITIONS: dict[str, Callable[[Path, tuple[Value, ...]], Condition]] = {
    "NULL": lambda path, _: Call("attribute_not_exists", (path,)),
    "NOT_NULL": lambda path, _: Call("attribute_exists", (path,)),
    "BEGINS_WITH": lambda path, operands: Call("begins_with", (path, *operands)),
    "CONTAINS": lambda path, operands: Call("contains", (path, *operands)),
    "NOT_CONTAINS": _not_contains,
    "BETWEEN": lambda path, operands: Between(path, *operands),
    "IN": In,
}


class AttributeUpdates(Update):
    """An update that was asked for by AttributeUpdates: it has messages of its own.

    And it takes nothing out of nothing: where there is no item, DELETE alone makes none.
    """

    by_expression = False

    @property
    def makes_items(self) -> bool:
        """Tell whether it puts or adds something."""
        return not all(isinstance(action, (Remove, Delete)) for action in self.actions)

    def apply(self, item: Item, values: Values) -> Item:
        """Give the item as it becomes, or raise where it cannot be updated so."""
        try:
            return super().apply(item, values)
        except ValidationException as fault:
            if fault.message == INCORRECT_TYPE:
                raise ValidationException("Type mismatch for attribute to update") from None
            raise


def _update(updates: Mapping[str, Mapping[str, Any]]) -> Update:
    return AttributeUpdates(tuple(_action(name, update) for name, update in updates.items()))


def _action(name: str, update: Mapping[str, Any]) -> Action:
    _check_name(name)
    if text_size(name) > NAME_BYTES_MAX:
        raise ValidationException(NAME_TOO_LARGE)
    path, action = Path((name,)), update.get("Action") or "PUT"
    if update.get("Value") is None:
        if action != "DELETE":
            raise invalid("Only DELETE action is allowed when no attribute value is specified")
        return Remove(path)
    value = Value(normalize(update["Value"]))
    if action == "PUT":
        return Set(path, value)
    kind = next(iter(value.content))
    if action == "DELETE":
        _check_action("DELETE action with value", kind, SETS)
        return Delete(path, value)
    _check_action("ADD action", kind, SETS | {"N", "L"})
    return _appended(path, value) if kind == "L" else Add(path, value)


def _appended(path: Path, value: Value) -> Set:
    # Unlike an expression's, this ADD takes lists, and joins them.
    before = Call("if_not_exists", (path, Value({"L": []})))
    return Set(path, Call("list_append", (before, value)))


def _check_action(action: str, kind: str, supported: frozenset[str]) -> None:
    if kind not in supported:
        raise invalid(f"{action} is not supported for the type {TYPES[kind]}")


def _check_name(name: str) -> None:
    if not name:
        raise ValidationException("Empty attribute name")
