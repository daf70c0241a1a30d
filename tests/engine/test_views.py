"""Views of an engine change its operations, one around the other, and leave the engine as it is."""

from __future__ import annotations

from dataclasses import replace

from singletable.engine import Engine
from singletable.engine.operations import Answer, Operation
from singletable.engine.views import Change, View


def _noting(name: str, seen: list[str]) -> Change:
    def change(operation: Operation) -> Operation:
        def run(*given: object) -> Answer:
            seen.append(name)
            answer: Answer = operation.run(*given)  # type: ignore[arg-type] # as they come
            return answer

        return replace(operation, run=run)

    return change


def test_the_last_change_is_the_outermost(engine: Engine) -> None:
    seen: list[str] = []
    inner = View.over(engine, _noting("inner", seen))
    outer = View.over(inner, _noting("outer", seen))
    outer.call("ListTables", {})
    assert seen == ["outer", "inner"]
    inner.call("ListTables", {})
    engine.call("ListTables", {})
    assert seen == ["outer", "inner", "inner"]


def test_a_role_keeps_the_changes(engine: Engine) -> None:
    seen: list[str] = []
    policy = {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}
    View.over(engine, _noting("view", seen)).as_role(policy).call("ListTables", {})
    View.over(engine.as_role(policy), _noting("over", seen)).call("ListTables", {})
    assert seen == ["view", "over"]


def test_closing_a_view_leaves_the_engine_open(engine: Engine) -> None:
    with View.over(engine, lambda operation: operation):
        pass
    assert engine.call("ListTables", {}) == {"TableNames": []}
