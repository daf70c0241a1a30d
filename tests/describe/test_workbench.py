"""Models for the NoSQL Workbench, in its three formats."""

import json
from typing import Any

import pytest

from apps.stories.design import Stories
from singletable import Engine
from singletable.describe import describe
from tests.describe.designs import Shop


def _model(form: str = "workbench") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(describe(Stories, form))
    return found


def test_the_table_and_its_indexes_are_described() -> None:
    table = _model()["DataModel"][0]
    text = {"AttributeType": "S"}
    assert table["TableName"] == "story_hub"
    assert table["KeyAttributes"] == {
        "PartitionKey": {"AttributeName": "PK"} | text,
        "SortKey": {"AttributeName": "SK"} | text,
    }
    first = table["GlobalSecondaryIndexes"][0]
    assert (first["IndexName"], first["Projection"]) == ("GSI1", {"ProjectionType": "ALL"})
    assert first["KeyAttributes"]["SortKey"]["AttributeName"] == "GSI1SK"


def test_every_entity_is_a_facet_with_its_templates_and_items() -> None:
    facets = {facet["FacetName"]: facet for facet in _model()["DataModel"][0]["TableFacets"]}
    names = "User Story Chapter Bookmark Reading Vote Notification Request"
    assert list(facets) == names.split()
    chapter = facets["Chapter"]
    assert chapter["KeyAttributeAlias"] == {
        "PartitionKeyAlias": "STORY#{story_id}",
        "SortKeyAlias": "CHAPTER#{node_id}",
    }
    assert chapter["TableData"][0]["SK"] == {"S": "CHAPTER#‹node_id›"}
    assert "nodeId" in chapter["NonKeyAttributes"]


def test_every_attribute_of_every_item_is_declared() -> None:
    table = _model()["DataModel"][0]
    declared = {one["AttributeName"]: one["AttributeType"] for one in table["NonKeyAttributes"]}
    for facet in table["TableFacets"]:
        for item in facet["TableData"]:
            for name, value in item.items():
                assert name in {"PK", "SK"} or value.keys() == {declared[name]}


@pytest.mark.parametrize(
    ("form", "version", "service", "billing"),
    [
        ("workbench-1.0", "1.0", None, None),
        ("workbench-2.0", "2.0", "Amazon DynamoDB", None),
        ("workbench", "3.0", "Amazon DynamoDB", "PAY_PER_REQUEST"),
    ],
)
def test_the_formats_differ_in_what_they_say_beside_the_tables(
    form: str, version: str, service: str | None, billing: str | None
) -> None:
    model = _model(form)
    assert model["ModelMetadata"]["Version"] == version
    assert model["ModelMetadata"].get("AWSService") == service
    assert model["DataModel"][0].get("BillingMode") == billing


def test_what_the_workbench_has_no_place_for_is_named() -> None:
    model = json.loads(describe(Shop, "workbench"))
    (table,) = model["DataModel"]
    assert [one["IndexName"] for one in table["GlobalSecondaryIndexes"]] == ["ByCode"]
    text = model["ModelMetadata"]["Description"]
    assert "Left out: ByPrice, an index with keys of several attributes." in text
    assert "Left out: ByName, a local index." in text


def test_an_index_can_project_a_part_and_have_no_sort_key() -> None:
    (index,) = json.loads(describe(Shop, "workbench"))["DataModel"][0]["GlobalSecondaryIndexes"]
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["name"]}
    assert list(index["KeyAttributes"]) == ["PartitionKey"]


def test_the_sample_items_are_items_that_dynamodb_takes() -> None:
    table = _model()["DataModel"][0]
    with Engine() as engine:
        Stories.connect(engine).create_table()
        for facet in table["TableFacets"]:
            for item in facet["TableData"]:
                engine.put_item(TableName="story_hub", Item=item)
        stored = engine.scan(TableName="story_hub")["Count"]
    assert stored == sum(len(facet["TableData"]) for facet in table["TableFacets"])
