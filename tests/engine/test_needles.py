"""Filters that drop items by their bytes: the same items pass as where every one is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import Engine
from singletable.engine.needles import NEEDLES_MAX, needles_of
from singletable.expressions import bind

TEXTS = st.text(st.sampled_from('aä"\\\n\x7f\u2028😀:{},'), max_size=4)
NAMES = st.sampled_from(["a", "b", 'q"', "ä", "a.b"])
NUMBERS = st.sampled_from(["1", "1.0", "10", "1e1", "-0", "0.10"])
VALUES = st.one_of(
    st.builds(lambda text: {"S": text}, TEXTS),
    st.builds(lambda text: {"N": text}, NUMBERS),
    st.builds(lambda text: {"L": [{"S": text}]}, TEXTS),
    st.builds(lambda text: {"M": {"a": {"S": text}}}, TEXTS),
    st.builds(lambda text: {"B": text.encode()}, TEXTS),
    st.just({"BOOL": True}),
)
FILTERS = st.sampled_from(
    ["#n = :v", ":v = #n", "#n IN (:v, :w)", "#n <> :v AND #n = :w", "#n = :v AND #m = :w"]
)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as made:
        made.create_table(
            TableName="items",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        yield made


def used(text: str, **given_: Any) -> dict[str, Any]:
    return {f"{'#' if isinstance(v, str) else ':'}{k}": v for k, v in given_.items() if k in text}


@given(
    items=st.lists(st.dictionaries(NAMES, VALUES, max_size=3), max_size=5),
    text=FILTERS,
    names=st.tuples(NAMES, NAMES),
    values=st.tuples(VALUES, VALUES),
)
def test_the_same_items_pass_as_where_all_are_decoded(
    engine: Engine,
    items: list[dict[str, Any]],
    text: str,
    names: tuple[str, str],
    values: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    for number in range(5):
        item = items[number] if number < len(items) else {}
        engine.put_item(TableName="items", Item={"PK": {"S": str(number)}, **item})
    options = {
        "TableName": "items",
        "ExpressionAttributeNames": used(text, n=names[0], m=names[1]),
        "ExpressionAttributeValues": used(text, v=values[0], w=values[1]),
    }
    found = engine.scan(FilterExpression=text, **options)
    decoded = engine.scan(FilterExpression=f"({text}) OR ({text})", **options)
    assert found["Items"] == decoded["Items"]
    assert found["ScannedCount"] == decoded["ScannedCount"] == 5


def needles(text: str, **values: Any) -> tuple[bytes, ...]:
    request = {
        "FilterExpression": text,
        "ExpressionAttributeValues": {f":{name}": value for name, value in values.items()},
    }
    condition = bind(request, "FilterExpression").filter
    assert condition is not None
    return needles_of(condition)


def test_an_equal_text_or_number_is_looked_for_as_it_is_stored() -> None:
    assert needles("kind = :v", v={"S": 'a "b"'}) == (b'"kind":{"S":"a \\"b\\""}',)
    assert needles("size(x) > :w AND n = :v", v={"N": "1"}, w={"N": "2"}) == (b'"n":{"N":"1"}',)
    assert needles("kind IN (:v, :w)", v={"S": "a"}, w={"S": "b"}) == (
        b'"kind":{"S":"a"}',
        b'"kind":{"S":"b"}',
    )


@pytest.mark.parametrize(
    "text",
    [
        "kind <> :v",
        "NOT kind = :v",
        "kind = :v OR kind = :v",
        "a.kind = :v",
        "kind = a AND a <> :v",
    ],
)
def test_of_other_conditions_nothing_can_be_said(text: str) -> None:
    assert needles(text, v={"S": "a"}) == ()


def test_more_are_not_looked_for_than_pays() -> None:
    options = {f"v{number}": {"N": str(number)} for number in range(NEEDLES_MAX + 1)}
    text = ", ".join(f":{name}" for name in options)
    assert needles(f"n IN ({text})", **options) == ()
