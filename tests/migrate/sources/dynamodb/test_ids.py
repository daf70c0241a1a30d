"""An id stands for exactly one key, before JSON and after."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import UsageError
from singletable.migrate.sources.dynamodb.ids import id_of, id_value, key_of, key_value
from singletable.values import AttributeValue, normalize

NUMBERS = st.one_of(
    st.integers(-(10**38) + 1, 10**38 - 1).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-1e9, max_value=1e9).map(
        str
    ),
    st.sampled_from(["1E+20", "0.10", "-0", "1.000", "9007199254740993", "1e-100", "1E125"]),
)
VALUES = st.one_of(
    st.builds(lambda text: {"S": text}, st.text()),
    st.builds(lambda text: {"N": text}, NUMBERS),
    st.builds(lambda raw: {"B": raw}, st.binary()),
)


@given(st.lists(VALUES, min_size=1, max_size=2))
def test_an_id_comes_through_json_without_loss(values: list[AttributeValue]) -> None:
    names = ["pk", "sk"][: len(values)]
    types = {name: next(iter(value)) for name, value in zip(names, values, strict=True)}
    item = dict(zip(names, values, strict=True))
    one = id_of(item, names)
    hash(one)
    for back in (json.loads(json.dumps(one)), orjson.loads(orjson.dumps(one))):
        assert tuple(back) == one
        assert key_of(tuple(back), names, types) == {
            name: normalize(value) for name, value in item.items()
        }


@given(VALUES, VALUES)
def test_two_keys_of_one_type_have_one_id_only_if_they_are_one(
    one: AttributeValue, other: AttributeValue
) -> None:
    if one.keys() == other.keys():
        assert (id_value(one) == id_value(other)) == (normalize(one) == normalize(other))


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (5, "N", "5"),
        (Decimal("1.50"), "N", "1.5"),
        ("1.5", "N", "1.5"),
        (b"\x00", "B", b"\x00"),
        (bytearray(b"a"), "B", b"a"),
        ("YQ==", "B", b"a"),
    ],
)
def test_a_value_as_python_has_it_is_as_good_as_an_id(value: Any, kind: str, expected: Any) -> None:
    assert key_value(value, kind, "pk") == {kind: expected}


def test_an_id_with_too_few_values_is_refused() -> None:
    with pytest.raises(UsageError, match=r"\('a',\) is not that of a key of pk and sk"):
        key_of(("a",), ["pk", "sk"], {"pk": "S", "sk": "S"})


@pytest.mark.parametrize(
    ("value", "kind"),
    [(5, "S"), (None, "S"), ("five", "N"), (True, "N"), ("?", "B"), (7, "B"), (None, "N")],
)
def test_a_value_of_another_type_is_refused_by_name(value: Any, kind: str) -> None:
    with pytest.raises(UsageError, match=f"'pk' is of type {kind} and wants"):
        key_value(value, kind, "pk")
