"""A specimen is an item as the model describes it, with every field filled."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from singletable import Entity, Index, Large, Table, expires, ksuid, ulid, uuid7
from singletable.cost.assumptions import Assumptions
from singletable.cost.fillers import Filler
from singletable.cost.specimens import Sizes, specimen
from singletable.values import item_size, value_size
from tests.cost.designs import Banner, Customer, Order

Name = NewType("Name", str)


class Colour(Enum):
    """An enumeration."""

    RED = "red"
    ORANGE = "orange"


class Inner(BaseModel):
    """A nested model."""

    name: str
    sizes: list[int] = []


@dataclass
class Point:
    """A nested dataclass."""

    x: int
    label: str


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (str, 10),
        (Name, 10),
        (str | None, 10),
        (Annotated[str, Field(max_length=4)], 4),
        (bytes, 10),
        (bool, 1),
        (int, 2),
        (float, 3),
        (Decimal, 3),
        (datetime, 27),
        (date, 10),
        (UUID, 36),
        (Literal["a", "abc"], 3),
        (Colour, 6),
        (list[str], 3 + 2 * 11),
        (set[str], 20),
        (tuple[int, str], 3 + 3 + 11),
        (dict[str, int], 3 + 2 * (1 + 10 + 2)),
        (Inner, 3 + (1 + 4 + 10) + (1 + 5 + 3 + 2 * 3)),
        (Point, 3 + (1 + 1 + 2) + (1 + 5 + 10)),
        (list[Inner], 3 + 2 * (1 + 33)),
        (Any, 10),
    ],
)
def test_a_value_has_the_size_of_its_type(annotation: Any, size: int) -> None:
    from singletable.model.codec import encode

    assert value_size(encode(Filler(10, 2).value(annotation))) == size


@pytest.mark.parametrize(
    "annotation",
    [
        *(str, bytes, bool, int, float, Decimal, datetime, date, UUID, Colour, Inner, Point),
        *(Literal["a", "b"], Literal["a", "b"] | None, list[int], set[int], dict[str, int]),
    ],
)
def test_another_turn_gives_another_value(annotation: Any) -> None:
    assert Filler(10, 2, 1).value(annotation) != Filler(10, 2).value(annotation)


def test_a_specimen_has_the_attributes_and_keys_of_its_item() -> None:
    made = specimen(Order.__schema__, Assumptions(text_bytes=10))
    assert made.size == item_size(made.item)
    assert made.item["PK"] == {"S": "CUSTOMER#" + "x" * 10}
    assert made.item["SK"] == {"S": "ORDER#" + "x" * 10}
    assert made.item["SOMESK"] == {"S": "00000012#" + "x" * 10}
    assert made.item["Type"] == {"S": "Order"}


def test_ids_are_as_long_as_they_are_made() -> None:
    table = Table("ids")

    class Thing(Entity, table=table, pk="{a}", sk="{b}#{c}"):
        a: str = ulid()
        b: str = ksuid()
        c: str = uuid7()
        until: datetime = expires(days=1)

    made = specimen(Thing.__schema__, Assumptions())
    assert [len(made.item[name]["S"]) for name in "abc"] == [26, 27, 36]
    assert "N" in made.item["ttl"]


def test_an_index_holds_more_or_less_of_it() -> None:
    made = specimen(Order.__schema__, Assumptions())
    indexes = Order.__schema__.table.indexes
    sizes = {name: made.entry_size(index) for name, index in indexes.items()}
    assert sizes["GSI1"] == made.size
    keys = ("PK", "SK", "KEYSPK", "KEYSSK")
    assert sizes["KEYS"] == item_size({name: made.item[name] for name in keys})
    some = ("PK", "SK", "SOMEPK", "SOMESK", "order_id", "total")
    assert sizes["SOME"] == item_size({name: made.item[name] for name in some})
    assert specimen(Customer.__schema__, Assumptions()).entry_size(indexes["GSI1"]) is None


def test_real_sizes_take_the_place_of_the_models() -> None:
    made = specimen(Order.__schema__, Assumptions()).with_sizes(Sizes(2000))
    indexes = Order.__schema__.table.indexes
    assert (made.size, made.entry_size(indexes["GSI1"])) == (2000, 2000)
    keys_only = specimen(Order.__schema__, Assumptions()).entry_size(indexes["KEYS"])
    assert made.entry_size(indexes["KEYS"]) == keys_only
    told = made.with_sizes(Sizes(2000, {"KEYS": 90, "GSI1": 1900}))
    assert (told.entry_size(indexes["KEYS"]), told.entry_size(indexes["GSI1"])) == (90, 1900)


def test_it_is_in_the_indexes_that_take_some_items_only() -> None:
    table = Table("some", indexes=["GSI1"])

    class Post(Entity, table=table, pk="POST#{post_id}", sk="POST"):
        public = Index("GSI1", pk="PUBLIC", sk="{post_id}", when={"state": "PUBLISHED"})
        post_id: str
        state: Literal["A_LONG_TIME_A_DRAFT", "PUBLISHED"] = "PUBLISHED"

    assert "GSI1PK" in specimen(Post.__schema__, Assumptions()).item


def test_a_large_content_is_a_pointer() -> None:
    table = Table("large")

    class Scan(Entity, table=table, pk="SCAN#{scan_id}", sk="SCAN"):
        scan_id: str
        text: Large[str]
        image: Large[bytes] | None = None

    made = specimen(Scan.__schema__, Assumptions())
    assert len(made.item["text"]["M"]["preview"]["S"]) == 200
    assert made.size < 1500


def test_a_key_that_cannot_be_filled_is_as_long_as_its_template() -> None:
    table = Table("narrow")

    class Seat(Entity, table=table, pk="ROW#{row:01d}", sk="SEAT"):
        row: int

    assert specimen(Seat.__schema__, Assumptions()).item["PK"]["S"].startswith("ROW#")


def test_copies_have_a_number_in_their_key() -> None:
    assert specimen(Banner.__schema__, Assumptions()).item["PK"]["S"].startswith("BANNER#0#")
