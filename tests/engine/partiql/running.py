"""Short ways to run statements in tests."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ServiceError

Answer = dict[str, Any]


def run(engine: Engine, statement: str, *parameters: Any, **members: Any) -> Answer:
    """Run a statement."""
    request = {"Statement": statement, **members}
    if parameters:
        request["Parameters"] = list(parameters)
    return engine.call("ExecuteStatement", request)


def items(engine: Engine, statement: str, *parameters: Any, **members: Any) -> list[Answer]:
    """Run a statement and give the items of its answer, each attribute without its type."""
    found = run(engine, statement, *parameters, **members)["Items"]
    return [{name: plain(value) for name, value in item.items()} for item in found]


def numbers(engine: Engine, condition: str, *parameters: Any, **members: Any) -> list[int]:
    """Give the numbers of the notes that a condition holds of, in the order they come in."""
    found = items(engine, f'SELECT "number" FROM notes WHERE {condition}', *parameters, **members)
    return [item["number"] for item in found]


def refused(engine: Engine, statement: str, *parameters: Any, **members: Any) -> str:
    """Give the name and message of the error that a statement ends in."""
    with pytest.raises(ServiceError) as caught:
        run(engine, statement, *parameters, **members)
    return f"{caught.value.code}: {caught.value.message}"


def plain(value: dict[str, Any]) -> Any:
    """Give the content of an attribute value in Python's own types."""
    [(kind, content)] = value.items()
    if kind == "N":
        return int(content)
    if kind == "L":
        return [plain(each) for each in content]
    if kind == "M":
        return {name: plain(each) for name, each in content.items()}
    if kind == "SS":
        return set(content)
    if kind == "NS":
        return {int(each) for each in content}
    return None if kind == "NULL" else content
