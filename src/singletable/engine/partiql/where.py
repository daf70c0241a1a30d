"""Take the WHERE of a statement apart: what it says of keys, and what is left to be a filter.

Only a test of an attribute against constants says something of a key. A partition key is pinned
where the whole condition can hold for a few of its values only: ``pk = 1``, ``pk IN [1, 2]``,
``pk = 1 OR pk = 2``, each with further conditions. A sort key is narrowed by the tests that must
hold whatever else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from typing import NamedTuple, cast

from singletable.engine.key_schemas import KeyAttribute, KeySchema
from singletable.engine.keys import KeyMismatch, empty_value
from singletable.engine.ranges import Range, restricted
from singletable.errors import ValidationException
from singletable.expressions import (
    And,
    Between,
    Call,
    Comparison,
    Condition,
    In,
    Or,
    Path,
    Placeholder,
    Value,
)
from singletable.expressions.conditions import conjuncts
from singletable.expressions.key_conditions import MIRRORED, RANGE_OPERATORS
from singletable.expressions.tree import Values
from singletable.values import AttributeValue, Item, key_bytes

PINNED_MAX = 50
"""How many values of a partition key one IN may list; of other attributes it may list 100."""
PARTITIONS_MAX = PINNED_MAX**2
"""Above so many all rows are read: four attributes with 50 values each would make millions."""
_SCALARS = frozenset({"S", "N", "B"})


class Test(NamedTuple):
    """A condition that compares one attribute with constants."""

    name: str
    operator: str
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True)
class Where:
    """A condition taken apart into conjuncts, with the test that each of them is, if it is one."""

    tree: Condition | None
    conjuncts: tuple[tuple[Condition, Test | None], ...]
    values: Values

    @classmethod
    def read(cls, tree: Condition | None, values: Values) -> Where:
        """Take a condition apart."""
        conditions = () if tree is None else conjuncts(tree)
        return cls(tree, tuple((each, test_of(each, values)) for each in conditions), values)

    def tests(self, name: str, *operators: str) -> list[Test]:
        """Give the tests of an attribute by these operators that must hold."""
        tests = (test for _, test in self.conjuncts)
        return [test for test in tests if test and test.name == name and test.operator in operators]

    def without(self, used: Sequence[Test]) -> Condition | None:
        """Give what is left of the condition when these tests are known to hold."""
        left = [each for each, test in self.conjuncts if test is None or test not in used]
        return reduce(lambda first, second: first & second, left) if left else None


class Key(NamedTuple):
    """The whole primary key that a condition names, and what else it demands."""

    key: Item
    rest: Condition | None


def whole_key(schema: KeySchema, where: Where) -> Key | None:
    """Give the one key that the condition holds for, or None where it leaves a choice, or none."""
    used = _equalities(schema, where)
    key = {test.name: test.values[0] for test in used}
    if len(key) < len(schema.names) or any(test.values[0] != key[test.name] for test in used):
        return None
    if not all(map(_is_scalar, used)):
        return None
    for attribute in schema.attributes:
        check_key(attribute, key[attribute.name])
    return Key(key, where.without(used))


def check_single(schema: KeySchema, where: Where) -> None:
    """Refuse to write by key attributes that have several values, or such as no key has."""
    first: dict[str, Test] = {}
    for test in _equalities(schema, where):
        if first.setdefault(test.name, test) != test:
            raise ValidationException(
                f"Multiple conditions on same key {test.name}. "
                "Only single item Update/Insert/Delete are supported"
            )
        if not _is_scalar(test):
            (kind,) = test.values[0]
            raise ValidationException(
                f"Key value must be of type S, N, or B. Key name: {test.name}, Key type: {kind}"
            )


def _equalities(schema: KeySchema, where: Where) -> list[Test]:
    return [test for name in schema.names for test in where.tests(name, "=")]


def _is_scalar(test: Test) -> bool:
    return not _SCALARS.isdisjoint(test.values[0])


class Search(NamedTuple):
    """Where to look: ranges of rows in order, and the condition on what is found there."""

    ranges: tuple[Range, ...]
    rest: Condition | None


def search(schema: KeySchema, where: Where, *, last_first: bool = False) -> Search | None:
    """Give the item collections that the condition holds in, or None where a scan is needed."""
    pinned = partitions(schema, where, last_first=last_first)
    if pinned is None:
        return None
    used, suffix, tests = _narrowing(schema, where)
    ranges = [_narrowed(schema.partition(each) + suffix, tests) for each in pinned]
    hashed = [test for name in schema.hash_names for test in where.tests(name, "=", "IN")]
    return Search(tuple(ranges), where.without([*hashed, *used]))


def partitions(schema: KeySchema, where: Where, *, last_first: bool = False) -> list[Item] | None:
    """Give the partition keys that the condition can hold for; None for any, or too many."""
    pinned = [_pinned(where.tree, attribute, where.values) for attribute in schema.hash]
    known = [sorted(each.items(), reverse=last_first) for each in pinned if each is not None]
    if len(known) < len(pinned) or prod(map(len, known)) > PARTITIONS_MAX:
        return None
    return [
        dict(zip(schema.hash_names, (value for _, value in values), strict=True))
        for values in product(*known)
    ]


def _pinned(
    tree: Condition | None, attribute: KeyAttribute, values: Values
) -> dict[bytes, AttributeValue] | None:
    """Give all values of an attribute with which the condition can hold, if they are listed."""
    if isinstance(tree, (And, Or)):
        parts = [_pinned(each, attribute, values) for each in tree.conditions]
        known = [each for each in parts if each is not None]
        if isinstance(tree, Or):
            merged = {key: value for each in known for key, value in each.items()}
            return merged if len(known) == len(parts) else None
        if not known:
            return None
        first, *others = known
        return {key: first[key] for key in first if all(key in other for other in others)}
    test = test_of(tree, values) if tree else None
    if test is None or test.name != attribute.name or test.operator not in ("=", "IN"):
        return None
    if len(test.values) > PINNED_MAX:
        raise ValidationException(
            "The IN operator is provided with too many operands; "
            f"number of operands: {len(test.values)}"
        )
    for value in test.values:
        check_key(attribute, value)
    return {key_bytes(value): value for value in test.values}


def _narrowing(schema: KeySchema, where: Where) -> tuple[list[Test], bytes, list[Test]]:
    """Give the tests used of the sort key: those on equality as bytes, then those of a range."""
    used: list[Test] = []
    suffix = b""
    for attribute in schema.range:
        tests = where.tests(attribute.name, *RANGE_OPERATORS)
        for value in (value for test in tests for value in test.values):
            check_key(attribute, value)
        equal = next((test for test in tests if test.operator == "="), None)
        if equal is None:
            return [*used, *tests], suffix, tests
        used.append(equal)
        suffix += key_bytes(equal.values[0])
    return used, suffix, []


def _narrowed(prefix: bytes, tests: Sequence[Test]) -> Range:
    wanted = Range.beginning(prefix)
    for test in tests:
        each = restricted(prefix, test.operator, test.values)
        wanted = Range(max(wanted.lower, each.lower), min(wanted.upper, each.upper))
    return wanted


def check_key(attribute: KeyAttribute, value: AttributeValue) -> None:
    """Refuse a value that the key attribute cannot have."""
    name, kind = attribute
    if kind not in value:
        raise KeyMismatch(
            f"Key attribute's data type should match its data type in table's schema: Key {name}"
        )
    if not value[kind]:
        raise KeyMismatch(empty_value(name, kind).message)


def test_of(condition: Condition, values: Values) -> Test | None:
    """Read a condition as the test of an attribute, if it is one."""
    if isinstance(condition, Call) and condition.function != "begins_with":
        return None
    if not isinstance(condition, (Comparison, Between, In, Call)):
        return None
    operator = _operator(condition)
    first, *rest = condition.children
    if isinstance(condition, Comparison) and isinstance(condition.right, Path):
        operator, first, rest = MIRRORED.get(operator, operator), condition.right, [first]
    if not isinstance(first, Path) or len(first.elements) > 1:
        return None
    if not all(isinstance(each, (Value, Placeholder)) for each in rest):
        return None
    constants = (cast(AttributeValue, each.read({}, values)) for each in rest)
    return Test(first.name, operator, tuple(constants))


def _operator(condition: Comparison | Between | In | Call) -> str:
    if isinstance(condition, Comparison):
        return condition.operator
    if isinstance(condition, Call):
        return condition.function
    return "BETWEEN" if isinstance(condition, Between) else "IN"
