"""One tree both ways: what is built in Python and encoded is read as the same tree."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.expressions import (
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Condition,
    Delete,
    Encoder,
    In,
    Node,
    Not,
    Operand,
    Or,
    Path,
    Projection,
    Remove,
    Set,
    Update,
    Value,
    encode,
    parse,
)
from singletable.expressions.operands import Placeholder
from singletable.expressions.paths import Alias
from singletable.expressions.tree import fold

NAMES = st.text(min_size=1, max_size=5) | st.sampled_from(["status", "a.b", "#n0", ":v0", "size"])
PATHS = st.builds(
    lambda first, rest: Path((first, *rest)),
    NAMES,
    st.lists(NAMES | st.integers(0, 99), max_size=3),
)
VALUES = st.one_of(
    st.text(max_size=3).map(lambda text: {"S": text}),
    st.integers(-9, 9).map(lambda number: {"N": str(number)}),
    st.booleans().map(lambda truth: {"BOOL": truth}),
).map(Value)
OPERANDS: st.SearchStrategy[Operand] = st.one_of(
    PATHS, VALUES, PATHS.map(lambda path: Call("size", (path,)))
)
PREDICATES: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Comparison, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), OPERANDS, OPERANDS),
    st.builds(Between, OPERANDS, OPERANDS, OPERANDS),
    st.builds(In, OPERANDS, st.lists(OPERANDS, min_size=1, max_size=3).map(tuple)),
    PATHS.map(lambda path: Call("attribute_exists", (path,))),
    st.tuples(OPERANDS, OPERANDS).map(lambda pair: Call("contains", pair)),
)


def _larger(conditions: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(conditions, min_size=2, max_size=3).map(tuple)
    return st.one_of(several.map(And), several.map(Or), conditions.map(Not))


CONDITIONS = st.recursive(PREDICATES, _larger, max_leaves=12)
ASSIGNED: st.SearchStrategy[Operand] = st.one_of(
    OPERANDS.filter(lambda operand: not isinstance(operand, Call)),
    st.builds(Arithmetic, st.sampled_from("+-"), PATHS, VALUES),
    st.tuples(PATHS, VALUES).map(lambda pair: Call("if_not_exists", pair)),
    st.tuples(VALUES, PATHS).map(lambda pair: Call("list_append", pair)),
)
ACTIONS = st.tuples(
    st.lists(st.builds(Set, PATHS, ASSIGNED), max_size=3),
    st.lists(st.builds(Remove, PATHS), max_size=3),
    st.lists(st.builds(Add, PATHS, VALUES), max_size=2),
    st.lists(st.builds(Delete, PATHS, VALUES), max_size=2),
).map(lambda sections: tuple(action for section in sections for action in section))


def reread(parameter: str, tree: Node) -> Node:
    """Encode a tree, parse the text, and put the names and values in again."""
    request = encode({parameter: tree})
    return fold(parse(parameter, request[parameter]), lambda *node: _resolved(request, *node))


def _resolved(request: dict[str, Any], node: Node, children: tuple[Node, ...]) -> Node:
    if isinstance(node, Placeholder):
        return Value(request["ExpressionAttributeValues"][node.name])
    if isinstance(node, Path):
        names = request["ExpressionAttributeNames"]
        return Path(tuple(names[e.name] if isinstance(e, Alias) else e for e in node.elements))
    return node.rebuild(children)


@given(CONDITIONS)
def test_a_condition_is_read_as_it_was_written(tree: Condition) -> None:
    assert reread("ConditionExpression", tree) == tree


@given(ACTIONS.filter(bool))
def test_an_update_is_read_as_it_was_written(actions: tuple[Any, ...]) -> None:
    assert reread("UpdateExpression", Update(actions)) == Update(actions)


@given(st.lists(PATHS, min_size=1, max_size=5).map(tuple))
def test_a_projection_is_read_as_it_was_written(paths: tuple[Path, ...]) -> None:
    assert reread("ProjectionExpression", Projection(paths)) == Projection(paths)


def test_names_and_values_are_shared_between_expressions() -> None:
    done, status = Value({"S": "DONE"}), Path(("status",))
    request = encode(
        {
            "UpdateExpression": Update((Set(status, done),)),
            "ConditionExpression": Comparison("<>", status, done),
        }
    )
    assert request == {
        "UpdateExpression": "SET #n0 = :v0",
        "ConditionExpression": "#n0 <> :v0",
        "ExpressionAttributeNames": {"#n0": "status"},
        "ExpressionAttributeValues": {":v0": {"S": "DONE"}},
    }


def written_anew(tree: Node) -> dict[str, Any]:
    """Give what a condition is encoded as where none like it was encoded before."""
    encoder = Encoder()
    request: dict[str, Any] = {"ConditionExpression": tree.encode(encoder)}
    names = {alias: name for name, alias in encoder.names.items()}
    values = {f":v{at}": value for at, value in enumerate(encoder.values)}
    members = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    return request | {member: content for member, content in members.items() if content}


@given(CONDITIONS)
def test_a_text_that_was_kept_is_the_one_that_would_be_written_now(tree: Condition) -> None:
    assert encode({"ConditionExpression": tree}) == written_anew(tree)


def within(low: int, high: int) -> dict[str, Any]:
    bounds = (Value({"N": str(low)}), Value({"N": str(high)}))
    return encode({"FilterExpression": Between(Path(("size",)), *bounds)})


def test_other_values_come_with_the_same_text_itself() -> None:
    one, other = within(1, 2), within(3, 4)
    assert one["FilterExpression"] is other["FilterExpression"]
    assert other["ExpressionAttributeValues"] == {":v0": {"N": "3"}, ":v1": {"N": "4"}}


def test_values_that_have_become_equal_share_a_placeholder() -> None:
    assert within(1, 2)["FilterExpression"] == "#n0 BETWEEN :v0 AND :v1"
    assert within(5, 5)["FilterExpression"] == "#n0 BETWEEN :v0 AND :v0"


def test_a_request_is_its_callers_to_change() -> None:
    within(1, 2)["ExpressionAttributeNames"].clear()
    assert within(1, 2)["ExpressionAttributeNames"] == {"#n0": "size"}
