"""A value of the wrong type is found in its request, and what it must be is told."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.operations import OPERATIONS
from singletable.engine.shapes import IN_PROCESS, WIRE
from singletable.engine.shapes.places import misplaced
from singletable.errors import SerializationException
from tests.engine.support import create

VALUE = "an attribute value, such as {'S': 'text'} or {'N': '1.5'}"


def item(**attributes: Any) -> dict[str, Any]:
    """Make a PutItem of these attributes."""
    return {"TableName": "things", "Item": {"pk": {"S": "a"}, **attributes}}


@pytest.mark.parametrize(
    ("operation", "request_", "place"),
    [
        ("PutItem", ["things"], "The request must be a dict, and is ['things'] (list)"),
        ("PutItem", item(n=1.5), f"Item.n must be {VALUE}, and is 1.5 (float)"),
        ("PutItem", item(n={"N": 1.5}), "Item.n.N must be text, and is 1.5 (float)"),
        ("PutItem", item(s={"SS": {"a"}}), "Item.s.SS must be a list, and is {'a'} (set)"),
        ("PutItem", item(s={"NS": ["1", 2]}), "Item.s.NS[1] must be text, and is 2 (int)"),
        ("PutItem", item(b={"B": 1}), "Item.b.B must be bytes, and is 1 (int)"),
        ("PutItem", item(b={"BS": [b"", 1]}), "Item.b.BS[1] must be bytes, and is 1 (int)"),
        ("PutItem", item(t={"BOOL": 1}), "Item.t.BOOL must be True or False, and is 1 (int)"),
        (
            "PutItem",
            item(m={"M": {"l": {"L": [{"NULL": True}, "x"]}}}),
            f"Item.m.M.l.L[1] must be {VALUE}, and is 'x' (str)",
        ),
        ("PutItem", item() | {"Item": []}, "Item must be a dict, and is [] (list)"),
        ("PutItem", item() | {"Item": {1: {"S": "a"}}}, "Item's key must be text, and is 1 (int)"),
        ("PutItem", item() | {"TableName": 1}, "TableName must be text, and is 1 (int)"),
        (
            "Scan",
            {"TableName": "things", "Limit": "5"},
            "Limit must be a whole number of 32 bits, and is '5' (str)",
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": item()}, {"Put": item(n=2)}]},
            f"TransactItems[1].Put.Item.n must be {VALUE}, and is 2 (int)",
        ),
        (
            "BatchWriteItem",
            {"RequestItems": {"things": [{"PutRequest": {"Item": {"pk": "a"}}}]}},
            f"RequestItems.things[0].PutRequest.Item.pk must be {VALUE}, and is 'a' (str)",
        ),
        (
            "PutItem",
            item(address={"street": "x"}),
            f"Item.address must be {VALUE}, and is {{'street': 'x'}} (dict)",
        ),
        (
            "BatchWriteItem",
            {"RequestItems": {"things": [{"pk": "a"}]}},
            (
                "RequestItems.things[0] must be a dict with no other keys than PutRequest, "
                "DeleteRequest, and is {'pk': 'a'} (dict)"
            ),
        ),
        (
            "RestoreTableToPointInTime",
            {"TargetTableName": "others", "RestoreDateTime": "today"},
            "RestoreDateTime must be a datetime or seconds, and is 'today' (str)",
        ),
    ],
)
def test_the_place_is_named(operation: str, request_: Any, place: str) -> None:
    assert misplaced(OPERATIONS[operation].shape, request_, IN_PROCESS) == place


def test_a_long_value_is_shortened() -> None:
    told = misplaced(OPERATIONS["PutItem"].shape, item(n="x" * 10_000), IN_PROCESS)
    assert len(told) < 200
    told = misplaced(OPERATIONS["PutItem"].shape, item(n={"N": 10**10_000}), IN_PROCESS)
    assert told.startswith("Item.n.N must be text, and is ")
    assert len(told) < 200


def test_an_engine_notes_it_beside_the_words_of_the_service(engine: Engine) -> None:
    create(engine)
    with pytest.raises(SerializationException) as caught:
        engine.put_item(**item(n={"N": 1}))
    assert caught.value.message == "NUMBER_VALUE cannot be converted to String"
    assert caught.value.__notes__ == ["Item.n.N must be text, and is 1 (int)"]


def test_on_the_wire_the_service_has_the_last_word(engine: Engine) -> None:
    with pytest.raises(SerializationException) as caught:
        engine.perform(OPERATIONS["PutItem"], item(n=1), WIRE)
    assert not hasattr(caught.value, "__notes__")


def test_an_engine_notes_where_an_unknown_parameter_stands(engine: Engine) -> None:
    with pytest.raises(TypeError, match="unknown parameter 'street', must be one") as caught:
        engine.put_item(**item(address={"street": "x"}))
    assert caught.value.__notes__ == [
        f"Item.address must be {VALUE}, and is {{'street': 'x'}} (dict)"
    ]


def test_a_parameter_of_the_request_itself_needs_no_note(engine: Engine) -> None:
    with pytest.raises(TypeError, match="unknown parameter 'Itme', must be one of") as caught:
        engine.put_item(TableName="things", Itme={})
    assert not hasattr(caught.value, "__notes__")


def test_items_that_are_prepared_are_noted_too(engine: Engine) -> None:
    create(engine)
    with pytest.raises(SerializationException) as caught:
        engine.prepare("things", [{"pk": "a"}])  # type: ignore[dict-item] # what is refused
    assert caught.value.__notes__ == [f"Item.pk must be {VALUE}, and is 'a' (str)"]
