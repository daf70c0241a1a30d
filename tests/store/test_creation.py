"""Tables from designs: the request, the wait until a table can be used, the expiry."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import IntEnum
from typing import Any, Literal

import pytest

from singletable import Engine
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import DesignError, ResourceNotFoundException, StoreError
from singletable.model.entity import Entity
from singletable.model.fields import expires
from singletable.model.indexes import Index
from singletable.model.table import GlobalIndex, LocalIndex, Table
from singletable.store.creation import attribute_types, create_request
from singletable.store.store import Store

table = Table(
    "creations",
    pk="hash",
    sk="range",
    stream="NEW_IMAGE",
    ttl="gone",
    indexes=[
        "GSI1",
        GlobalIndex("some", pk="p", sk="s", projection=["a", "b"]),
        GlobalIndex("alone", pk="q", sk=(), projection="KEYS_ONLY"),
        GlobalIndex("parts", pk=["kind", "level"], sk=["price", "raw", "gone"]),
        LocalIndex("LSI1"),
    ],
)


class Level(IntEnum):
    """A number."""

    LOW = 1


class Thing(Entity, table=table, pk="THING#{name}", sk="THING"):
    """Has key attributes of every type."""

    parts = Index("parts", pk=["kind", "level"], sk=["price", "raw", "ends"])

    name: str
    kind: Literal["x", "y"] = "x"
    level: Level | None = None
    price: Decimal = Decimal(0)
    raw: bytes = b"0"
    ends: datetime | None = expires()


class Things(Store, table=table):
    """Has no patterns."""


def test_the_request_has_all_that_the_design_says() -> None:
    request = create_request(table, "other")
    assert request["TableName"] == "other"
    assert request["KeySchema"] == [
        {"AttributeName": "hash", "KeyType": "HASH"},
        {"AttributeName": "range", "KeyType": "RANGE"},
    ]
    assert request["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    by_name = {one["IndexName"]: one for one in request["GlobalSecondaryIndexes"]}
    assert [len(by_name[name]["KeySchema"]) for name in by_name] == [2, 2, 1, 5]
    assert by_name["some"]["Projection"] == {
        "ProjectionType": "INCLUDE",
        "NonKeyAttributes": ["a", "b"],
    }
    assert by_name["GSI1"]["Projection"] == {"ProjectionType": "ALL"}
    assert [one["IndexName"] for one in request["LocalSecondaryIndexes"]] == ["LSI1"]


def test_key_attributes_have_the_types_of_their_fields() -> None:
    types = attribute_types(table)
    assert {name for name, kind in types.items() if kind == "N"} == {"level", "price", "gone"}
    assert {name for name, kind in types.items() if kind == "B"} == {"raw"}
    assert types["GSI1hash"] == types["LSI1range"] == types["kind"] == "S"


def test_a_key_attribute_of_two_types_is_refused() -> None:
    torn = Table("torn", indexes=[GlobalIndex("by_at", pk=["at"], sk=())])

    class One(Entity, table=torn, pk="ONE#{at}", sk="ONE"):
        by_at = Index("by_at", pk=["at"])
        at: str

    class Two(Entity, table=torn, pk="TWO#{at}", sk="TWO"):
        by_at = Index("by_at", pk=["at"])
        at: int

    with pytest.raises(DesignError, match="'at' of table 'torn' is N for one entity and S"):
        create_request(torn, "torn")


def test_the_table_is_made_and_deletes_what_expires() -> None:
    with Things.connect(":memory:", table_name="mine") as store:
        described = store.backend.call("DescribeTable", {"TableName": "mine"})
        assert described["Table"]["TableStatus"] == "ACTIVE"
        expiry = store.backend.call("DescribeTimeToLive", {"TableName": "mine"})
        assert expiry["TimeToLiveDescription"]["AttributeName"] == "gone"
        store.create_table()  # it is there already
        store.put(Thing(name="a", level=Level.LOW))
        assert store.bind(Thing.get(name="a")).one().level is Level.LOW


class Slow(EmbeddedBackend):
    """Takes its time to make a table."""

    def __init__(self, polls: int) -> None:
        super().__init__(Engine(":memory:"), owned=True)
        self.polls = polls

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        if operation == "DescribeTable" and self.polls:
            self.polls -= 1
            if self.polls % 2:
                raise ResourceNotFoundException("not yet")
            return {"Table": {"TableStatus": "CREATING"}}
        return super().call(operation, request)


@pytest.mark.parametrize("there", [False, True])
def test_a_table_is_waited_for(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("singletable.store.drivers.time.sleep", pauses.append)
    backend = Slow(5)
    if there:
        backend.call("CreateTable", create_request(table, table.name))
    with Things.connect(backend, create=True) as store:
        assert len(pauses) == 5
        store.put(Thing(name="a"))


def test_a_table_that_never_comes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable.store.drivers.time.sleep", lambda _: None)
    with pytest.raises(StoreError, match="did not become active"):
        Things.connect(Slow(10_000), create=True)


def test_elsewhere_a_table_is_made_only_when_asked_for() -> None:
    client = Engine(":memory:")
    store = Things.connect(client, create=False)
    with pytest.raises(ResourceNotFoundException):
        store.backend.call("DescribeTable", {"TableName": table.name})
    store.create_table()
    assert store.backend.call("DescribeTable", {"TableName": table.name})
