"""The request shapes say what AWS's model of the API says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.operations import OPERATIONS
from singletable.engine.operations.unsupported import NAMES as UNSUPPORTED
from singletable.engine.shapes import Integer, List, Map, Shape, String, Structure, Unsupported
from tests.engine.api_model import operations

KNOWN = {
    # Optional in the model for the sake of replicas of global tables, which are not here.
    "CreateTable.AttributeDefinitions: required is True",
    "CreateTable.KeySchema: required is True",
    # There are never any imports, and so no tokens.
    "ListImports.NextToken: bounds are (0, None)",
    "ListImports.NextToken: pattern is None",
}


NEWER = {
    "CancelBulkOperation",
    "DescribeBulkOperation",
    "ListBulkOperations",
    "StartBulkPutItems",
}
"""Operations that the service has and the SDK that tests run with has not."""


def test_every_operation_is_known() -> None:
    assert sorted(set(OPERATIONS) - NEWER) == sorted(operations())


@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - set(UNSUPPORTED)))
def test_members_and_constraints_are_those_of_the_model(name: str) -> None:
    model = operations()[name]
    theirs: Any = model.input_shape
    if theirs is None:
        assert not OPERATIONS[name].shape.members
        return
    assert set(_differences(OPERATIONS[name].shape, theirs, name)) <= KNOWN


def _differences(ours: Shape, theirs: Any, path: str) -> Iterator[str]:
    if isinstance(ours, Structure):
        yield from _member_differences(ours, theirs, path)
    elif isinstance(ours, List):
        yield from _differences(ours.member, theirs.member, f"{path}[]")
    elif isinstance(ours, Map):
        yield from _differences(ours.key, theirs.key, f"{path}.key")
        yield from _differences(ours.value, theirs.value, f"{path}.value")
    if isinstance(ours, String):
        if set(ours.enum) != set(theirs.enum):
            yield f"{path}: enum is {ours.enum}"
        if ours.pattern != theirs.metadata.get("pattern"):
            yield f"{path}: pattern is {ours.pattern}"
    if isinstance(ours, String | Integer | List | Map):
        least = None if isinstance(ours, Integer) else 0
        bounds = theirs.metadata.get("min", least), theirs.metadata.get("max")
        if (ours.min, ours.max) != bounds:
            yield f"{path}: bounds are {(ours.min, ours.max)}"


def _member_differences(ours: Structure, theirs: Any, path: str) -> Iterator[str]:
    yield from (f"{path}.{name}: in one only" for name in ours.members.keys() ^ theirs.members)
    for name, shape in ours.members.items():
        if shape.is_required != (name in theirs.required_members):
            yield f"{path}.{name}: required is {shape.is_required}"
        if not isinstance(shape, Unsupported):
            yield from _differences(shape, theirs.members[name], f"{path}.{name}")
