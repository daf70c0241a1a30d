"""The table that a design makes, as every backend describes it."""

from __future__ import annotations

from typing import Any

from singletable.store.creation import attribute_types

from .design import Shops, table
from .ways import Way


def _described(shops: Shops, do: Way) -> dict[str, Any]:
    request = {"TableName": shops.offers("s1").request()["TableName"]}
    answer: dict[str, Any] = do(shops.backend.call, "DescribeTable", request)["Table"]
    return answer


def _keys(description: dict[str, Any]) -> dict[str, list[str]]:
    schema = description["KeySchema"]
    return {
        kind: [one["AttributeName"] for one in schema if one["KeyType"] == kind]
        for kind in ("HASH", "RANGE")
    }


def test_a_table_has_the_keys_of_its_design(shops: Shops, do: Way) -> None:
    described = _described(shops, do)
    assert described["TableStatus"] == "ACTIVE"
    assert _keys(described) == {"HASH": ["PK"], "RANGE": ["SK"]}
    types = {
        one["AttributeName"]: one["AttributeType"] for one in described["AttributeDefinitions"]
    }
    assert types == attribute_types(table)
    assert {name for name, kind in types.items() if kind == "N"} == {"year", "cents"}


def test_a_table_has_the_indexes_of_its_design(shops: Shops, do: Way) -> None:
    described = _described(shops, do)
    found = {
        one["IndexName"]: (_keys(one), one["Projection"]["ProjectionType"])
        for one in described["GlobalSecondaryIndexes"]
    }
    assert found == {
        "GSI1": ({"HASH": ["GSI1PK"], "RANGE": ["GSI1SK"]}, "ALL"),
        "Sparse": ({"HASH": ["SparsePK"], "RANGE": ["SparseSK"]}, "KEYS_ONLY"),
        "ByMaker": ({"HASH": ["maker", "country"], "RANGE": ["year", "name"]}, "ALL"),
        "ByDay": ({"HASH": ["ByDayPK"], "RANGE": ["ByDaySK"]}, "INCLUDE"),
    }
    [local] = described["LocalSecondaryIndexes"]
    assert (local["IndexName"], _keys(local)) == ("Cheapest", {"HASH": ["PK"], "RANGE": ["cents"]})
    assert local["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["name"]}


def test_a_table_has_the_stream_and_the_expiry_of_its_design(shops: Shops, do: Way) -> None:
    described = _described(shops, do)
    wanted = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert described["StreamSpecification"] == wanted
    name = {"TableName": described["TableName"]}
    ttl = do(shops.backend.call, "DescribeTimeToLive", name)["TimeToLiveDescription"]
    assert (ttl["TimeToLiveStatus"], ttl["AttributeName"]) == ("ENABLED", "goneAt")


def test_a_table_that_is_there_is_left_as_it_is(shops: Shops, do: Way) -> None:
    before = _described(shops, do)
    do(shops.create_table)
    assert _described(shops, do)["CreationDateTime"] == before["CreationDateTime"]
