"""Keys: made from fields, absent where a field is, and strict with what a query asks for."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType

import pytest
from pydantic.fields import FieldInfo

from singletable.errors import DesignError, KeyValueError
from singletable.model.entity import Entity
from singletable.model.fields import expires
from singletable.model.indexes import Index
from singletable.model.keys import field_key
from singletable.model.table import LocalIndex, Table

table = Table("keys", indexes=["GSI1", LocalIndex("LSI1")])
Name = NewType("Name", str)


class Size(Enum):
    """A number."""

    SMALL = 1


class Task(Entity, table=table, pk="LIST#{list_id}", sk="TASK#{task_id}"):
    """In indexes at times."""

    by_owner = Index("GSI1", pk="OWNER#{owner}", sk="{rank:03d}", when={"open": (True, None)})
    ranked = Index("LSI1", sk="{rank:03d}", when={"open": True})

    list_id: str = "l"
    task_id: str = "t"
    owner: str | None = None
    rank: int | None = 0
    open: bool | None = True


@pytest.mark.parametrize(
    ("fields", "present"),
    [
        ({"owner": "o"}, {"GSI1PK", "GSI1SK", "LSI1SK"}),
        ({}, {"GSI1SK", "LSI1SK"}),
        ({"owner": "o", "rank": None}, {"GSI1PK"}),
        ({"owner": "o", "open": False}, {"GSI1SK"}),
        ({"owner": "o", "open": None}, {"GSI1PK", "GSI1SK"}),
    ],
)
def test_an_item_is_in_an_index_when_its_fields_say_so(
    fields: dict[str, Any], present: set[str]
) -> None:
    item = Task.__schema__.items.write(Task(**fields).__dict__)
    assert {name for name in item if name[:3] in {"GSI", "LSI"}} == present
    assert item["PK"] == {"S": "LIST#l"}


def info(annotation: Any) -> FieldInfo:
    return FieldInfo.from_annotation(annotation)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, "S"),
        (Name, "S"),
        (int | None, "N"),
        (float, "N"),
        (Decimal, "N"),
        (Size, "N"),
        (bytes, "B"),
        (datetime, "S"),
        (date | None, "S"),
        (Literal["a", "b"], "S"),
        (Literal[1, 2], "N"),
        (Annotated[int, "x"] | None, "N"),
    ],
)
def test_a_key_attribute_has_the_type_of_its_field(annotation: Any, kind: str) -> None:
    assert field_key("a", "f", info(annotation)).kind == kind


@pytest.mark.parametrize("annotation", [bool, list[str], int | str, dict[str, str], Any])
def test_a_type_that_no_key_has_is_refused(annotation: Any) -> None:
    with pytest.raises(DesignError, match="f cannot be a key attribute"):
        field_key("a", "f", info(annotation))


def test_an_expiry_is_a_number() -> None:
    key = field_key("a", "f", FieldInfo.from_annotated_attribute(datetime, expires()))
    assert key.kind == "N"
    assert key.value(datetime(1970, 1, 2, tzinfo=UTC)) == {"N": "86400"}
    with pytest.raises(KeyValueError, match="a: f='soon' is refused"):
        key.value("soon")


def test_operands_are_of_the_fields_type() -> None:
    moment = field_key("a", "f", info(datetime))
    assert moment.first(date(2026, 1, 1)) == {"S": "2026-01-01T00:00:00.000000Z"}
    assert moment.last(date(2026, 1, 1)) == {"S": "2026-01-01T23:59:59.999999Z"}
    number = field_key("a", "f", info(int))
    assert number.first(3) == {"N": "3"}
    for wrong in ("3", None, True):
        with pytest.raises(KeyValueError):
            number.value(wrong)
    assert field_key("a", "f", info(str)).opening("x") == {"S": "x"}
