"""Plans: the exact requests that descriptions of reads come to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from singletable.errors import UsageError
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.fields import expires
from singletable.model.indexes import Index
from singletable.model.reads import between
from singletable.model.table import GlobalIndex, Table
from singletable.model.views import collect
from singletable.store.reading.plans import (
    plan_collection,
    plan_count,
    plan_get,
    plan_query,
    plan_scan,
)

table = Table("plans", indexes=["GSI1", GlobalIndex("by_kind", pk=["Type", "ttl"], sk=())])
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Doc(Entity, table=table, pk="LIST#{list_id}", sk="DOC#{name}"):
    """Something to read."""

    everywhere = Index("GSI1", pk="DOCS#{name:shard 2}", sk="{name}")

    list_id: str
    name: str
    size: int = 0
    ends: datetime | None = expires()


class Piece(Entity, table=table, pk="LIST#{list_id}", sk="DOC#{name}#PART#{part}"):
    """Stands behind its document."""

    list_id: str
    name: str
    part: str


class Far(Entity, table=table, pk="FAR#{list_id}", sk="FAR#{name}"):
    """Lies in another partition."""

    list_id: str
    name: str


@dataclass
class Size:
    """A smaller shape."""

    size: int


@dataclass
class Whole:
    """A document with its parts."""

    doc: Doc
    parts: list[Piece]


@dataclass
class Torn:
    """Cannot be read by one query."""

    doc: Doc
    far: list[Far]


def test_a_query_is_one_request() -> None:
    query = Doc.query(list_id="l").newest_first().limit(5).strong().filter(F("size") > 1)
    plan = plan_query(query, "t")
    assert plan.is_single
    request = plan.request(plan.groups[0][0])
    filtered = request.pop("FilterExpression")
    names, values = request.pop("ExpressionAttributeNames"), request["ExpressionAttributeValues"]
    assert request.pop("ExpressionAttributeValues")[":k0"] == {"S": "LIST#l"}
    assert {"PK", "SK", "size"} == set(names.values())
    assert len(values) == 3
    assert ">" in filtered
    assert request == {
        "TableName": "t",
        "KeyConditionExpression": "#k0 = :k0 AND begins_with(#k1, :k1)",
        "ScanIndexForward": False,
        "ConsistentRead": True,
        "Limit": 5,
    }


def test_a_scattered_query_is_a_request_for_each_shard() -> None:
    plan = plan_query(Doc.everywhere.query().limit(3), "t")
    [group] = plan.groups
    texts = [plan.request(one)["ExpressionAttributeValues"][":k0"]["S"] for one in group]
    assert texts == ["DOCS#0", "DOCS#1"]
    assert plan.identity()["Partitions"] == plan.groups


def test_a_count_asks_for_its_type_and_what_has_not_expired() -> None:
    plan = plan_count(Doc.query(list_id="l").only(Size).limit(3), "t", NOW)
    request = plan.request(plan.groups[0][0])
    assert request["Select"] == "COUNT"
    assert not {"Limit", "ProjectionExpression"} & request.keys()
    assert set(request["ExpressionAttributeNames"].values()) == {"PK", "SK", "Type", "ttl"}
    assert request["ExpressionAttributeValues"][":e"] == {"N": str(int(NOW.timestamp()))}


def test_a_collection_reads_the_smallest_span_that_holds_its_entities() -> None:
    plan = plan_collection(collect(Whole, list_id="l", name="n"), "t")
    assert [(one.operator, one.values) for one in plan.tests] == [
        ("BETWEEN", ({"S": "DOC#n"}, {"S": "DOC#n#PART$"}))
    ]
    every = plan_collection(collect(Whole, list_id="l"), "t")
    assert [one.operator for one in every.tests] == ["begins_with"]


@pytest.mark.parametrize(
    ("shape", "known", "message"),
    [
        (Torn, {"list_id": "l"}, "lie in different partitions"),
        (Whole, {"list_id": "l", "size": 1}, "size is in no key"),
        (Whole, {"list_id": "l", "name": between("a", "b")}, "takes one value, no span"),
        (Whole, {"name": "n"}, "has to know list_id"),
    ],
)
def test_a_collection_that_is_no_one_query_is_refused(
    shape: type, known: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        plan_collection(collect(shape, **known), "t")


def test_a_get_asks_for_what_it_takes_to_read_a_shape() -> None:
    request = plan_get(Doc.get(list_id="l", name="n").only(Size).strong(), "t")
    names = request["ExpressionAttributeNames"]
    assert set(names.values()) == {"size", "Type", "ttl", "PK", "SK"}
    assert request["ProjectionExpression"] == ", ".join(names)
    assert request["ConsistentRead"]


def test_a_scan_filters_by_type() -> None:
    request = plan_scan(Doc.scan().filter(F("size") > 1), "t")
    assert request["FilterExpression"].endswith(" AND (attribute_not_exists(#t) OR #t IN (:t0))")
    assert request["ExpressionAttributeValues"][":t0"] == {"S": "Doc"}
