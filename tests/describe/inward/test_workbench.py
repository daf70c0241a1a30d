"""Models of the NoSQL Workbench are read in all their formats, or refused with the reason."""

import json
from typing import Any

import pytest

from singletable.describe.inward import read_design
from singletable.describe.inward.workbench import read_workbench
from singletable.errors import UsageError
from tests.describe.inward.models import item, key, model

ITEM = item(PK="A#1", SK="A", Type="A")


@pytest.mark.parametrize("version", ["1.0", "2.0", "3.0"])
def test_every_version_is_read(version: str) -> None:
    draft = read_design(model([ITEM], version=version))
    assert (draft.name, draft.purpose, draft.tables[0].name) == ("My shop", "A shop.", "shop")


def test_a_model_that_names_no_version_is_of_the_first() -> None:
    document = json.loads(model([ITEM])) | {"ModelMetadata": {}}
    assert read_workbench(document).tables[0].items


def test_a_later_version_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Version: Input should be '1\.0', '2\.0' or '3\.0'"):
        read_design(model([ITEM], version="4.0"))


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ("{", "It is not JSON"),
        ("[]", "no model that is known"),
        ('{"tables": []}', "no model that is known"),
        ('{"DataModel": []}', "DataModel: List should have at least 1 item"),
        ('{"DataModel": "x"}', "DataModel: Input should be a valid list"),
        ('{"DataModel": [{}]}', "DataModel.0.TableName: Field required"),
        ('{"DataModel": [{"TableName": "t"}]}', "DataModel.0.KeyAttributes: Field required"),
    ],
)
def test_what_is_no_model_is_refused_with_the_reason(document: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        read_design(document)


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        ("text", "TableData.0: Input should be a valid dict"),
        ({"PK": "x"}, "TableData.0.PK: Input should be a valid dict"),
        ({"PK": {"S": "x", "N": "1"}}, "a value has one type"),
        ({"PK": {"N": "one"}}, "'one' is no number"),
        ({"PK": {"B": "?"}}, "PK.B: "),
        ({"PK": {"B": 5}}, "5 is not base64"),
        (item(PK="x"), "A sample item has no SK"),
    ],
)
def test_a_broken_item_is_refused(broken: Any, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        read_design(model([broken]))


def test_projections_are_kept() -> None:
    document = json.loads(model([ITEM]))
    projections = [
        {"ProjectionType": "KEYS_ONLY"},
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]},
    ]
    document["DataModel"][0]["GlobalSecondaryIndexes"] = [
        {"IndexName": f"I{number}", "KeyAttributes": key("a", None), "Projection": one}
        for number, one in enumerate(projections)
    ]
    (table,) = read_workbench(document).tables
    assert [one.projection for one in table.indexes] == ["KEYS_ONLY", ("a",)]


def test_bytes_lists_and_maps_are_read() -> None:
    values = {
        "b": {"B": "AQI="},
        "bs": {"BS": ["AQ=="]},
        "l": {"L": [{"N": 1}]},
        "m": {"M": {"x": {"B": "AQ=="}}},
    }
    (table,) = read_workbench(json.loads(model([ITEM | values]))).tables
    (found,) = table.items
    assert (found["b"], found["bs"]) == ({"B": b"\x01\x02"}, {"BS": [b"\x01"]})
    assert (found["l"], found["m"]) == ({"L": [{"N": "1"}]}, {"M": {"x": {"B": b"\x01"}}})
