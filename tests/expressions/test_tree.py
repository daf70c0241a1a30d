"""Going through trees of any depth."""

from __future__ import annotations

from singletable.expressions import Call, Comparison, Node, Not, Or, Path, Value
from singletable.expressions.tree import fold, walk

A, B = Path(("a",)), Path(("b",))
ONE = Value({"N": "1"})
LEFT = Comparison("=", A, ONE)
RIGHT = Call("attribute_exists", (B,))
TREE = Or((LEFT, RIGHT))


def test_walk_gives_parents_first_and_each_node_with_its_parent() -> None:
    assert list(walk(TREE)) == [
        (TREE, None),
        (LEFT, TREE),
        (A, LEFT),
        (ONE, LEFT),
        (RIGHT, TREE),
        (B, RIGHT),
    ]


def test_fold_gives_children_first_with_their_results() -> None:
    seen: list[Node] = []

    def count(node: Node, counts: tuple[int, ...]) -> int:
        seen.append(node)
        return 1 + sum(counts)

    assert fold(TREE, count) == 6
    assert seen == [A, ONE, LEFT, B, RIGHT, TREE]


def test_depth_costs_no_stack() -> None:
    deep: Node = RIGHT
    for _ in range(50_000):
        deep = Not(deep)  # type: ignore[arg-type]  # a condition all the way down
    assert sum(1 for _ in walk(deep)) == 50_002
    assert fold(deep, lambda _, counts: 1 + sum(counts)) == 50_002
