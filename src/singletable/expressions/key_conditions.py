"""Key conditions: which items of a table or index a query reads.

A key condition is a conjunction of tests, one for each key attribute. ``KeyCondition.match`` checks
it against a key of any number of HASH and RANGE attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

from singletable.errors import ValidationException, invalid
from singletable.values import AttributeValue

from .conditions import Between, Comparison, Condition, In, Not, conjuncts
from .functions import Call
from .paths import Path
from .tree import Node, Operand, Values

MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""What a comparison is with its sides exchanged."""
RANGE_OPERATORS = frozenset({*MIRRORED, "BETWEEN", "begins_with"})
"""The tests of a RANGE attribute that a range of keys satisfies."""
SIMPLE_KEY_SIZE = 2
"""How many attributes a key has that is not made of several HASH or RANGE attributes."""

_NOT_SUPPORTED = "Query key condition not supported"


@dataclass(frozen=True, slots=True)
class KeyTest:
    """What a key attribute must be: ``=``, ``<``, ``<=``, ``>``, ``>=``, BETWEEN, begins_with."""

    name: str
    operator: str
    operands: tuple[Operand, ...]


class KeyRange(NamedTuple):
    """The part of a key that a query asks for.

    The values of all HASH attributes, those of the leading RANGE attributes that must be equal, and
    what the next RANGE attribute must be, if anything: an operator and its operands.
    """

    hash: tuple[AttributeValue, ...]
    equal: tuple[AttributeValue, ...] = ()
    operator: str | None = None
    operands: tuple[AttributeValue, ...] = ()


@dataclass(frozen=True)
class KeyTests:
    """A resolved key condition, taken apart when it is first matched: its faults come late."""

    tree: Condition

    @cached_property
    def by_name(self) -> Mapping[str, KeyTest]:
        """Give the one test of each attribute, or raise where there is no such."""
        return key_tests(self.tree)


@dataclass(frozen=True, slots=True)
class LegacyKeyTests:
    """The tests of KeyConditions."""

    by_name: Mapping[str, KeyTest]


class KeyCondition(NamedTuple):
    """The tests of a query by attribute, with the values of its request."""

    source: KeyTests | LegacyKeyTests
    values: Values

    @property
    def tests(self) -> Mapping[str, KeyTest]:
        """Give the one test of each attribute, or raise where there is no such."""
        return self.source.by_name

    def check_form(self) -> None:
        """Refuse what no key can be searched by."""
        _ = self.tests

    def match(
        self,
        hash_names: Sequence[str],
        range_names: Sequence[str],
        types: Mapping[str, str],
        index: str | None = None,
    ) -> KeyRange:
        """Check the tests against a key schema and its attributes' types; give what they ask for.

        Raises in the service's words where the key cannot be searched so; an index has its own.
        """
        tests = self.tests
        _check_shape(tests, hash_names, range_names)
        hashed: list[AttributeValue] = []
        for name in hash_names:
            if tests[name].operator != "=":
                raise self._hash_fault(tests[name], types[name])
            hashed += self._operands(tests[name], types[name], index)
        if len(range_names) > 1:
            _check_ranges(tests, range_names)
        tested = [tests[name] for name in range_names if name in tests]
        if len(hash_names) + len(tested) < len(tests):
            raise _missed(range_names[len(tested)])
        ranged = [self._operands(test, types[test.name], index) for test in tested]
        return _key_range(tuple(hashed), tested, ranged)

    def _operands(self, test: KeyTest, kind: str, index: str | None) -> tuple[AttributeValue, ...]:
        """Read what an attribute is tested with, which must be of its type."""
        operands = []
        for operand in test.operands:
            value = operand.read({}, self.values)
            if value is None or kind not in value:
                raise _mismatch()
            if not value[kind]:
                raise _empty_value(test.name, kind, index)
            operands.append(value)
        return tuple(operands)

    def _hash_fault(self, test: KeyTest, kind: str) -> ValidationException:
        """Say why a HASH attribute cannot be tested so: types come before the operator."""
        if not test.operands:
            return _not_scalar("Hash")
        values = [operand.read({}, self.values) for operand in test.operands]
        if any(value is None or kind not in value for value in values):
            return _mismatch()
        return ValidationException(_NOT_SUPPORTED)


def _key_range(
    hashed: tuple[AttributeValue, ...],
    tests: Sequence[KeyTest],
    operands: Sequence[tuple[AttributeValue, ...]],
) -> KeyRange:
    if not tests:
        return KeyRange(hashed)
    equal = tuple(each[0] for each in operands[:-1])
    last = tests[-1].operator
    if last == "=":
        return KeyRange(hashed, (*equal, *operands[-1]))
    if not tests[-1].operands:
        raise _not_scalar("Range")
    if last not in RANGE_OPERATORS:
        raise ValidationException("Attempted conditional constraint is not an indexable operation")
    return KeyRange(hashed, equal, last, operands[-1])


def _check_shape(
    tests: Mapping[str, KeyTest], hash_names: Sequence[str], range_names: Sequence[str]
) -> None:
    """Check which attributes are tested, before how they are."""
    is_simple = len(hash_names) == 1 and len(range_names) <= 1
    if is_simple and len(tests) > SIMPLE_KEY_SIZE:
        raise ValidationException("Conditions can be of length 1 or 2 only")
    if is_simple and hash_names[0] not in tests:
        raise _missed(hash_names[0])
    if len(tests) > len(hash_names) + len(range_names):
        raise ValidationException(_NOT_SUPPORTED)
    if not is_simple:
        _check_hashes(tests, hash_names)


def _check_hashes(tests: Mapping[str, KeyTest], names: Sequence[str]) -> None:
    """See that all HASH attributes of a key of several are tested for equality."""
    if free := _not_equal(tests, names):
        raise ValidationException(
            f"HASH key attributes {', '.join(free)} "
            "must have equality conditions specified in the query"
        )


def _check_ranges(tests: Mapping[str, KeyTest], names: Sequence[str]) -> None:
    """See that of several RANGE attributes all before the last tested are tested for equality."""
    last = max((at for at, name in enumerate(names) if name in tests), default=0)
    if free := _not_equal(tests, names[:last]):
        raise ValidationException(
            f"RANGE key attributes {', '.join(free)} must have equality conditions specified "
            f"in the query because a condition is present on key attribute {names[last]}"
        )


def _not_equal(tests: Mapping[str, KeyTest], names: Sequence[str]) -> list[str]:
    return [name for name in names if name not in tests or tests[name].operator != "="]


def key_tests(tree: Condition) -> dict[str, KeyTest]:
    """Take a resolved key condition apart into one test for each attribute."""
    tests: dict[str, KeyTest] = {}
    for condition in conjuncts(tree):
        test = _test(condition)
        if test.name in tests:
            raise ValidationException(
                "KeyConditionExpressions must only contain one condition per key"
            )
        tests[test.name] = test
    return tests


def _test(condition: Condition) -> KeyTest:
    operator = _operator(condition)
    operands = cast("tuple[Operand, ...]", condition.children)
    if any(isinstance(operand, Call) for operand in operands):
        raise ValidationException("KeyConditionExpressions cannot contain nested operations")
    if isinstance(condition, Comparison) and not isinstance(condition.left, Path):
        operator, operands = MIRRORED[operator], operands[::-1]
    path, *rest = operands
    if not isinstance(path, Path):
        raise _unfit(
            "No key attribute specified"
            if isinstance(condition, Comparison)
            else f"{operator} operator must have the key attribute as its first operand"
        )
    if len(path.elements) > 1:
        raise ValidationException(
            "KeyConditionExpressions cannot have conditions on nested attributes"
        )
    if any(isinstance(operand, Path) for operand in rest):
        raise _unfit("Multiple attribute names used in one condition")
    return KeyTest(path.name, operator, tuple(rest))


def _operator(condition: Condition) -> str:
    if isinstance(condition, Comparison):
        name, allowed = condition.operator, condition.operator in MIRRORED
    elif isinstance(condition, Call):
        name, allowed = condition.function, condition.function == "begins_with"
    else:
        names: dict[type[Node], str] = {Between: "BETWEEN", In: "IN", Not: "NOT"}
        name, allowed = names.get(type(condition), "OR"), isinstance(condition, Between)
    if not allowed:
        raise ValidationException(f"Invalid operator used in KeyConditionExpression: {name}")
    return name


def _unfit(fault: str) -> ValidationException:
    return ValidationException(f"Invalid condition in KeyConditionExpression: {fault}")


def _mismatch() -> ValidationException:
    return invalid("Condition parameter type does not match schema type")


def _not_scalar(key: str) -> ValidationException:
    return ValidationException(f"Only scalar types can be used as {key} Key values")


def _missed(name: str) -> ValidationException:
    return ValidationException(f"Query condition missed key schema element: {name}")


def _empty_value(name: str, kind: str, index: str | None) -> ValidationException:
    shown = "string" if kind == "S" else "binary"
    fault = f"The AttributeValue for a key attribute cannot contain an empty {shown} value."
    told = f"{fault} Key: {name}"
    if index is not None:
        told = (
            "A value specified for a secondary index key is not supported. "
            f"{fault} IndexName: {index}, IndexKey: {name}"
        )
    return ValidationException(f"One or more parameter values are not valid. {told}")
