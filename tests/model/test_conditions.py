"""Conditions from fields: what they compile to, of which items they hold, what is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import Engine
from singletable.errors import UsageError
from singletable.expressions import bind, encode
from singletable.model.conditions import Condition, F
from singletable.values import Item
from tests.engine.support import create
from tests.model.resolving import RESOLVER, item_of

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def request(condition: Condition) -> dict[str, Any]:
    """Give the members of a request that has the condition."""
    return encode({"ConditionExpression": condition.resolve(RESOLVER)})


def text(condition: Condition) -> str:
    """Give the condition's expression with its names and values put in."""
    members = request(condition)
    expression: str = members["ConditionExpression"]
    for alias, name in members.get("ExpressionAttributeNames", {}).items():
        expression = expression.replace(alias, name)
    for alias, value in members.get("ExpressionAttributeValues", {}).items():
        [content] = value.values()
        expression = expression.replace(alias, repr(content))
    return expression


def holds(condition: Condition, item: Item) -> bool:
    """Tell whether the condition holds, by its tree and by its text, which must agree."""
    bound = bind(request(condition), "ConditionExpression").condition
    assert bound is not None
    assert bound.evaluate(item) == condition.resolve(RESOLVER).evaluate(item, {})
    return bound.evaluate(item)


WRITTEN: list[tuple[Condition, str]] = [
    (F("status") == "DONE", "status = 'DONE'"),
    (F("status") != "DONE", "status <> 'DONE'"),
    (F("reads") < 5, "reads < '5'"),
    (F("reads") <= 5, "reads <= '5'"),
    (F("reads") > 5, "reads > '5'"),
    (F("reads") >= 5, "reads >= '5'"),
    (5 > F("reads"), "reads < '5'"),  # noqa: SIM300  # written this way round on purpose
    (F("reads").between(1, 9), "reads BETWEEN '1' AND '9'"),
    (F("reads").between(1, F("read_limit")), "reads BETWEEN '1' AND readLimit"),
    (F("status").is_in(["DONE", "FAILED"]), "status IN ('DONE', 'FAILED')"),
    (F("name").begins_with("Dra"), "begins_with(name, 'Dra')"),
    (F("name").begins_with(F("status")), "begins_with(name, status)"),
    (F("cover").begins_with(b"\xff"), r"begins_with(cover, b'\xff')"),
    (F("tags").contains("x"), "contains(tags, 'x')"),
    (F("tags").contains(F("name")), "contains(tags, name)"),
    (F("name").exists(), "attribute_exists(name)"),
    (F("name").missing(), "attribute_not_exists(name)"),
    (F("name").has_type("S"), "attribute_type(name, 'S')"),
    (F("tags").size() > 3, "size(tags) > '3'"),
    (F("tags").size().between(1, 3), "size(tags) BETWEEN '1' AND '3'"),
    (F("read_limit") > F("tags").size(), "readLimit > size(tags)"),
    (F("reads") == F("read_limit"), "reads = readLimit"),
    (F("stats.reads") > 10, "stats.reads > '10'"),
    (F("photos[0]") == "x", "photos[0] = 'x'"),
    (F("photos", 0, "a.b") == "x", "photos[0].a.b = 'x'"),
    (F("created_at") < NOON, "createdAt < '2026-05-01T12:00:00+00:00'"),
    (F("expires_at") < NOON, "TTL < '1777636800'"),
    (F("created_at").begins_with("2026-05"), "begins_with(createdAt, '2026-05')"),
    (~F("name").exists(), "NOT attribute_exists(name)"),
    (
        (F("reads") > 1) & ((F("name") == "a") | (F("name") == "b")),
        "reads > '1' AND (name = 'a' OR name = 'b')",
    ),
    (
        ~((F("reads") > 1) & (F("name") == "a")),
        "NOT (reads > '1' AND name = 'a')",
    ),
]


@pytest.mark.parametrize(("condition", "expression"), WRITTEN, ids=lambda each: str(each)[:40])
def test_a_condition_becomes_an_expression(condition: Condition, expression: str) -> None:
    assert text(condition) == expression


def test_a_name_with_a_dot_is_one_name() -> None:
    names = request(F("stats", "a.b") == 1)["ExpressionAttributeNames"]
    assert set(names.values()) == {"stats", "a.b"}
    assert F("stats", "a.b").path == F(r"stats.a\.b").path


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """An engine with a table of one item."""
    with Engine() as engine:
        create(engine)
        item = item_of(status="DONE", name="Dragon", reads=3, tags={"x"}, stats={"reads": 11})
        engine.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": "1"}, **item}})
        yield engine


@pytest.mark.parametrize("condition", [each for each, _ in WRITTEN], ids=text)
def test_the_engine_accepts_a_condition_and_says_what_the_tree_says(
    engine: Engine, condition: Condition
) -> None:
    tree = condition.resolve(RESOLVER)
    every = engine.call("Scan", {"TableName": "things"})["Items"]
    filtered = {"TableName": "things", **encode({"FilterExpression": tree})}
    assert engine.call("Scan", filtered)["Items"] == [it for it in every if tree.evaluate(it, {})]


def test_a_condition_names_its_fields() -> None:
    condition = (F("stats.reads") > F("read_limit")) & ~(F("photos[0]") == "x") | F("name").exists()
    assert condition.fields == {"stats", "read_limit", "photos", "name"}


def test_an_unknown_field_is_refused_by_the_entity() -> None:
    with pytest.raises(UsageError, match="no field 'stauts'; there are: status, name"):
        (F("stauts") == "DONE").resolve(RESOLVER)


def test_conditions_are_values() -> None:
    first, second = ((F("reads") > 1) & F("name").exists() for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != ((F("reads") > 2) & F("name").exists())
    assert ((F("reads") > 1) | F("name").exists()) != first


def test_hundreds_of_conditions_do_not_nest() -> None:
    condition = reduce(operator.or_, (F("reads") == number for number in range(150)))
    assert holds(condition, item_of(reads=149))
    assert not holds(condition, item_of(reads=150))


def test_a_condition_has_no_truth() -> None:
    reads: Any = F("reads")  # pyright refuses these mistakes by their types
    name: Any = F("name")
    with pytest.raises(UsageError, match="Combine conditions with &"):
        assert reads == 1 and name == "a"  # noqa: PT018  # the mistake itself
    with pytest.raises(UsageError, match=r"\.between\(low, high\)"):
        assert 1 < reads < 3
    with pytest.raises(UsageError, match="neither true nor false"):
        assert reads in [name, F("status")]


def test_a_field_is_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable type: 'F'"):
        hash(F("reads"))


def test_a_condition_joins_conditions_only() -> None:
    both: Any = operator.and_
    either: Any = operator.or_
    with pytest.raises(TypeError, match="unsupported operand"):
        both(F("reads") == 1, True)
    with pytest.raises(TypeError, match="unsupported operand"):
        either(F("reads") == 1, F("name"))


def test_is_in_takes_as_many_options_as_the_service() -> None:
    assert holds(F("reads").is_in(range(100)), item_of(reads=99))
    with pytest.raises(UsageError, match=r"F\('reads'\)\.is_in\(\) takes 1 to 100 values, not 101"):
        F("reads").is_in(range(101))
    with pytest.raises(UsageError, match="not 0"):
        F("reads").is_in([])


def test_the_characters_of_a_text_are_not_options() -> None:
    with pytest.raises(UsageError, match=r"list of values: \['DONE'\]"):
        F("status").is_in("DONE")


@pytest.mark.parametrize(
    "build",
    [
        lambda field: field == None,  # noqa: E711  # the mistake itself
        lambda field: field > None,
        lambda field: field.is_in(["a", None]),
        lambda field: field.between(None, "a"),
        lambda field: field.size() == None,  # noqa: E711  # the mistake itself
    ],
)
def test_none_is_refused_with_what_to_write(build: Callable[[F], Condition]) -> None:
    with pytest.raises(UsageError, match=r"None.*F\('name'\)\.missing\(\)"):
        build(F("name"))


def test_operands_of_a_wrong_kind_are_refused() -> None:
    untyped: Any = F("name")
    with pytest.raises(UsageError, match=r"F\('name'\)\.size\(\) is a whole number"):
        assert untyped.size() > "3"
    with pytest.raises(UsageError, match="text or bytes, not with 3"):
        untyped.begins_with(3)
    with pytest.raises(UsageError, match="'STR' is no type of DynamoDB: B, BOOL"):
        untyped.has_type("STR")


# What plain Python says of an item, for comparison: a condition, and the same as a function.
Fields = dict[str, Any]
Twins = tuple[Condition, Callable[[Fields], bool]]

TEXTS = st.text("ab", max_size=3)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "reads": st.integers(-3, 3),
        "name": TEXTS,
        "tags": st.sets(TEXTS, min_size=1, max_size=3),
        "photos": st.lists(TEXTS, max_size=3),
        "stats": st.fixed_dictionaries({}, optional={"reads": st.integers(-3, 3)}),
    },
)
READERS: dict[str, Callable[[Fields], Any]] = {
    "reads": lambda item: item.get("reads"),
    "name": lambda item: item.get("name"),
    "stats.reads": lambda item: item.get("stats", {}).get("reads"),
    "photos[1]": lambda item: [*item.get("photos", []), None, None][1],
}
"""The scalars of an item by their paths."""
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def _compared(path: str, compare: Callable[[Any, Any], Any], value: Any) -> Twins:
    def python(item: Fields) -> bool:
        found = READERS[path](item)
        if found is None or type(found) is not type(value):
            return compare is operator.ne
        return bool(compare(found, value))

    return compare(F(path), value), python


def _one_of(path: str, options: list[Any]) -> Twins:
    return F(path).is_in(options), lambda item: READERS[path](item) in options


def _between(path: str, first: int, second: int) -> Twins:
    low, high = sorted((first, second))

    def python(item: Fields) -> bool:
        found = READERS[path](item)
        return isinstance(found, int) and low <= found <= high

    return F(path).between(low, high), python


def _exists(path: str) -> Twins:
    return F(path).exists(), lambda item: READERS[path](item) is not None


def _missing(path: str) -> Twins:
    return F(path).missing(), lambda item: READERS[path](item) is None


def _begins(path: str, prefix: str) -> Twins:
    def python(item: Fields) -> bool:
        found = READERS[path](item)
        return isinstance(found, str) and found.startswith(prefix)

    return F(path).begins_with(prefix), python


def _contains(field: str, part: str) -> Twins:
    return F(field).contains(part), lambda item: part in item.get(field, ())


def _sized(field: str, size: int) -> Twins:
    return F(field).size() > size, lambda item: field in item and len(item[field]) > size


def _both(left: Twins, right: Twins) -> Twins:
    return left[0] & right[0], lambda item: left[1](item) and right[1](item)


def _either(left: Twins, right: Twins) -> Twins:
    return left[0] | right[0], lambda item: left[1](item) or right[1](item)


def _not(twins: Twins) -> Twins:
    return ~twins[0], lambda item: not twins[1](item)


PATHS = st.sampled_from(sorted(READERS))
SCALARS = st.integers(-3, 3) | TEXTS
CHECKS = st.one_of(
    st.builds(_compared, PATHS, st.sampled_from(COMPARISONS), SCALARS),
    st.builds(_one_of, PATHS, st.lists(SCALARS, min_size=1, max_size=3)),
    st.builds(_between, PATHS, st.integers(-3, 3), st.integers(-3, 3)),
    st.builds(_exists, PATHS),
    st.builds(_missing, PATHS),
    st.builds(_begins, PATHS, TEXTS),
    st.builds(_contains, st.sampled_from(["name", "tags", "photos"]), TEXTS),
    st.builds(_sized, st.sampled_from(["name", "tags", "photos", "stats"]), st.integers(-1, 3)),
)
CONDITIONS = st.recursive(
    CHECKS,
    lambda inner: (
        st.builds(_both, inner, inner) | st.builds(_either, inner, inner) | inner.map(_not)
    ),
    max_leaves=8,
)


@given(CONDITIONS, ITEMS)
def test_a_condition_holds_where_plain_python_says_so(twins: Twins, item: Fields) -> None:
    condition, python = twins
    assert holds(condition, item_of(**item)) == python(item)
