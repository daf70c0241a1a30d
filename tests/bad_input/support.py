"""What the attacks share: strange values, ways to put them anywhere, and a look at the damage."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ServiceError

Path = tuple[Any, ...]
Ask = Callable[[str, Any], Any]


def nested(depth: int, kind: str = "L", **beside: Any) -> dict[str, Any]:
    """Say a value below so many lists or maps."""
    value: dict[str, Any] = {"S": "x"}
    for _ in range(depth):
        value = {kind: [value] if kind == "L" else {"k": value}, **beside}
    return value


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    """List every place in a request, the request itself first."""
    yield at
    if isinstance(value, dict):
        for name, each in value.items():
            yield from paths(each, (*at, name))
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from paths(each, (*at, position))


def found(value: Any, at: Path) -> Any:
    """Give what is at a place."""
    for step in at:
        value = value[step]
    return value


def replaced(value: Any, at: Path, new: Any) -> Any:
    """Give the request with something else at a place."""
    if not at:
        return new
    copy = value.copy()
    copy[at[0]] = replaced(value[at[0]], at[1:], new)
    return copy


def as_json(request: Any) -> bytes:
    """Write a request as SDKs do, or as no SDK would."""
    return json.dumps(request, default=lambda blob: b64encode(blob).decode()).encode()


def over_the_wire(engine: Engine) -> Ask:
    """Ask an engine as its server does."""
    return lambda operation, request: json.loads(engine.call_json(operation, as_json(request)))


def ways(engine: Engine) -> list[Ask]:
    """List the ways to ask an engine: with Python's values, and with JSON."""
    return [engine.call, over_the_wire(engine)]


def refusal(ask: Ask, operation: str, request: Any) -> ServiceError:
    """Give the error that a request gets."""
    with pytest.raises(ServiceError) as caught:
        ask(operation, request)
    assert caught.value.status < 500
    return caught.value


def survives(ask: Ask, operation: str, request: Any) -> None:
    """Ask, and fail unless there is an answer or an error that blames the caller."""
    error = _outcome(ask, operation, request)
    if isinstance(error, ServiceError):
        assert error.status < 500, repr(error)
    elif error is not None:
        assert str(error).startswith("unknown parameter "), repr(error)


def _outcome(ask: Ask, operation: str, request: Any) -> ServiceError | TypeError | None:
    try:
        ask(operation, request)
    except (ServiceError, TypeError) as error:
        return error
    return None


def contents(engine: Engine) -> dict[str, list[Any]]:
    """Read every row of every table of the database below an engine."""
    with engine._db.storage.read() as tx:
        names = [name for (name,) in tx.execute("SELECT tbl_name FROM sqlite_master")]
        return {name: tx.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
