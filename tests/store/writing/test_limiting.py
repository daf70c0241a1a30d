"""No sum and no list leaves the limits of its field: the item could not be read again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from singletable import (
    ConditionFailed,
    Entity,
    Index,
    Store,
    Table,
    add,
    append,
    include,
    prepend,
    subtract,
)

table = Table("limited", indexes=["GSI1"])


class Stats(BaseModel):
    """A map with a limit."""

    score: Annotated[int, Field(gt=-5, lt=5)] = 0


class Stock(Entity, table=table, pk="STOCK#{id}", sk="STOCK"):
    """Cannot be sold twice."""

    id: str
    left: Annotated[int, Field(ge=0, le=10)] = 5
    high: Annotated[int, Field(ge=3)] = 3
    ratio: Annotated[float, Field(le=1.0)] = 0.5
    names: Annotated[list[str], Field(max_length=2)] = Field(default=["a"])
    tags: Annotated[set[str], Field(max_length=2)] = Field(default_factory=set)
    stats: Stats = Stats()
    free: int = 0


class Listed(Entity, table=table, pk="LISTED#{id}", sk="LISTED"):
    """Has to be read before it is upserted."""

    by_kind = Index("GSI1", pk="{kind}", sk="{id}")

    id: str
    kind: str = "any"
    left: Annotated[int, Field(ge=0)] = 0


class Shop(Store, table=table):
    """No patterns: items are read by key."""


KEY = Stock.key(id="1")


@pytest.fixture
def store() -> Iterator[Shop]:
    with Shop.connect(":memory:") as made:
        made.put(Stock(id="1"))
        yield made


FINE: list[dict[str, Any]] = [
    {"left": subtract(5)},
    {"left": add(5)},
    {"left": add(-5)},
    {"ratio": add(0.5)},
    {"stats.score": add(4)},
    {"stats.score": subtract(4)},
    {"names": append(["b"])},
    {"tags": include({"a", "b"})},
    {"free": subtract(1000)},
]
BEYOND: list[tuple[dict[str, Any], str]] = [
    ({"left": subtract(6)}, r"Stock\.left would no longer be within its limits, ge=0, le=10"),
    ({"left": add(6)}, "left"),
    ({"left": add(-6)}, "left"),
    ({"ratio": add(0.6)}, r"ratio would .* le=1\.0"),
    ({"stats.score": add(5)}, r"Stock\.stats\.score would .* gt=-5, lt=5"),
    ({"stats.score": subtract(5)}, "score"),
    ({"names": append(["b", "c"])}, r"names would .* max_length=2"),
    ({"names": prepend(["b", "c"])}, "names"),
    ({"tags": include({"a", "b", "c"})}, "tags"),
]


@pytest.mark.parametrize("changes", FINE)
def test_what_stays_within_is_done(store: Shop, changes: dict[str, Any]) -> None:
    made = store.update(KEY, changes)
    assert store.bind(Stock.get(id="1")).one() == made != Stock(id="1")


@pytest.mark.parametrize(("changes", "message"), BEYOND)
def test_what_goes_beyond_is_refused(store: Shop, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConditionFailed, match=message) as failed:
        store.update(KEY, changes)
    assert failed.value.found == store.bind(Stock.get(id="1")).one() == Stock(id="1")
    with pytest.raises(ConditionFailed, match=message), store.transaction() as tx:
        tx.update(KEY, changes)


def test_what_is_missing_counts_from_nothing(store: Shop) -> None:
    names = {"#l": "left", "#h": "high", "#n": "names"}
    request = {"TableName": "limited", "Key": KEY.item_key, "ExpressionAttributeNames": names}
    store.backend.call("UpdateItem", {**request, "UpdateExpression": "REMOVE #l, #h, #n"})
    for changes in ({"left": subtract(1)}, {"high": add(1)}, {"names": append(["a", "b", "c"])}):
        with pytest.raises(ConditionFailed, match="limits"):
            store.update(KEY, changes)
    made = store.update(KEY, left=add(10), high=add(3), names=append(["a", "b"]))
    assert (made.left, made.high, made.names) == (10, 3, ["a", "b"])


def test_a_value_that_moves_away_from_a_limit_is_not_asked_for_it(store: Shop) -> None:
    (call,) = store.show(lambda shown: shown.update(Listed.key(id="1"), left=add(1)))
    assert call.request["ConditionExpression"] == "attribute_exists(#n1)"


@pytest.mark.parametrize("entity", [Stock, Listed])
def test_an_upsert_by_key_has_the_same_limits(store: Shop, entity: Any) -> None:
    key = entity.key(id="2")
    with pytest.raises(ConditionFailed, match="limits"):
        store.upsert(key, left=subtract(1))
    assert store.bind(entity.get(id="2")).first() is None
    assert store.upsert(key, left=add(2)).left == 2
    assert store.upsert(key, left=subtract(2)).left == 0
    with pytest.raises(ConditionFailed, match="limits"):
        store.upsert(key, left=subtract(1))
