"""Annotations are taken apart into the types that a value may have."""

from types import NoneType
from typing import Annotated, Any, NewType, Optional

import pytest
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType

from singletable.model.hints import allows, options

Email = NewType("Email", str)
Maybe = TypeAliasType("Maybe", int | None)

CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (str, (str,)),
    (list[str], (list[str],)),
    (str | None, (str, NoneType)),
    (Optional[Annotated[str, "mark"]], (str, NoneType)),  # noqa: UP045 - as it may be written
    (Annotated[int | Annotated[str, "inner"], "outer"], (int, str)),
    (Email | None, (str, NoneType)),
    (Annotated[Maybe, "mark"], (int, NoneType)),
]


@pytest.mark.parametrize(("annotation", "found"), CASES)
def test_whatever_is_wrapped_around_types_is_seen_through(
    annotation: Any, found: tuple[Any, ...]
) -> None:
    assert tuple(options(annotation)) == found


def test_a_field_allows_what_one_of_its_types_is() -> None:
    assert allows(FieldInfo(annotation=set[str] | None), set)
    assert allows(FieldInfo(annotation=Maybe), NoneType)
    assert not allows(FieldInfo(annotation=list[str]), set, NoneType)
